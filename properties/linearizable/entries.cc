#include "properties/linearizable/entries.h"

#include <algorithm>
#include <tuple>

namespace picklock::properties::linearizable {

Entries::Entries(std::span<const Interval> operations) : ends_(operations.size()) {
  all_.reserve(2 * operations.size() + 1);
  all_.emplace_back();
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    all_.push_back({.operation = i, .answers = false});
    if (operations[i].answered != kPending) all_.push_back({.operation = i, .answers = true});
  }
  const auto order = [&](const Entry& entry) {
    const Interval& interval = operations[entry.operation];
    return std::tuple(entry.answers ? interval.answered : interval.invoked, entry.answers,
                      entry.operation);
  };
  std::sort(all_.begin() + 1, all_.end(),
            [&](const Entry& a, const Entry& b) { return order(a) < order(b); });
  const auto count = static_cast<std::uint32_t>(all_.size());
  for (std::uint32_t entry = 0; entry < count; ++entry) {
    all_[entry].before = entry == 0 ? count - 1 : entry - 1;
    all_[entry].next = entry + 1 == count ? 0 : entry + 1;
    if (entry == 0) continue;
    Ends& ends = ends_[all_[entry].operation];
    (all_[entry].answers ? ends.answer : ends.invocation) = entry;
  }
  assign_lanes();
}

void Entries::assign_lanes() {
  std::vector<std::uint32_t> free;
  for (std::uint32_t entry = 1; entry < all_.size(); ++entry) {
    Ends& ends = ends_[all_[entry].operation];
    if (all_[entry].answers) {
      free.push_back(ends.lane);
    } else if (free.empty()) {
      ends.lane = lanes_++;
    } else {
      ends.lane = free.back();
      free.pop_back();
    }
  }
}

}  // namespace picklock::properties::linearizable
