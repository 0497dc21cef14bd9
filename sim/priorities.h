// Priorities of the connections of a run, of each direction by itself: a message of a higher one
// takes less of the time that its link allows. They are drawn from a number, and at some messages
// the priority of their direction falls below all others: Burckhardt, Kothari, Musuvathi,
// Nagarakatte, A randomized scheduler with probabilistic guarantees of finding bugs (ASPLOS 2010).
// There a thread of low priority waits for all others; here it waits as long as its link allows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/digest.h"
#include "sim/time.h"
#include "sim/wide.h"

namespace picklock::sim {

class Priorities {
 public:
  // 0: there are none. `changes`: messages, counted from 1 over the whole run.
  void set(std::uint64_t number, const std::vector<std::uint64_t>& changes) {
    number_ = number;
    changes_ = changes;
    levels_.clear();
    messages_ = 0;
    directions_ = 0;
    changed_ = 0;
  }

  bool on() const { return number_ != 0; }

  // How much of the slack the next message uses; `direction` numbers the directions.
  Duration part_of(Duration slack, std::size_t direction, std::uint64_t hash) {
    if (levels_.size() <= direction) levels_.resize(direction + 1, kUnknown);
    std::uint64_t& level = levels_[direction];
    const std::uint64_t steps = changes_.size() + 1;
    if (level == kUnknown) {
      ++directions_;
      level = (mixed(hash ^ mixed(number_)) >> 32) / steps;
    }
    ++messages_;
    if (std::find(changes_.begin(), changes_.end(), messages_) != changes_.end())
      level = kAll / steps * (1 + std::min(++changed_, steps - 1));
    return Duration(static_cast<std::int64_t>(
        (static_cast<UnsignedWide>(static_cast<std::uint64_t>(slack.count())) * level) >> 32));
  }

  // Of this run so far.
  std::uint64_t messages() const { return messages_; }
  std::uint64_t directions() const { return directions_; }

 private:
  static constexpr std::uint64_t kAll = 1ull << 32;
  static constexpr std::uint64_t kUnknown = UINT64_MAX;

  std::uint64_t number_ = 0;
  std::vector<std::uint64_t> changes_;
  std::vector<std::uint64_t> levels_;  // of each direction, in parts of kAll
  std::uint64_t messages_ = 0;
  std::uint64_t directions_ = 0;
  std::uint64_t changed_ = 0;
};

}  // namespace picklock::sim
