#include "models/redis/sentinel/promotion.h"

#include <algorithm>

#include "models/redis/commands.h"

namespace picklock::redis {
namespace {

bool smaller_in_any_case(std::string_view one, std::string_view other) {
  return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end(),
                                      [](char a, char b) { return lower(a) < lower(b); });
}

}  // namespace

bool may_be_promoted(const Instance& replica, const Instance& master, Milliseconds now) {
  const Milliseconds down_for =
      master.subjectively_down ? now - master.subjectively_down_since : Milliseconds{0};
  // While the master is down, its replicas get INFO every second.
  const Milliseconds info_valid_for = master.subjectively_down ? 5 * kPingPeriod : 3 * kInfoPeriod;
  return !replica.subjectively_down && !replica.contact->disconnected &&
         now - replica.contact->last_available_at <= 5 * kPingPeriod && replica.priority != 0 &&
         now - replica.info_at <= info_valid_for &&
         replica.link_down_ms <= down_for + 10 * master.down_after;
}

bool better_for_promotion(const Instance& one, const Instance& other) {
  if (one.priority != other.priority) return one.priority < other.priority;
  if (one.offset != other.offset) return one.offset > other.offset;
  if (one.run_id.empty() || other.run_id.empty()) return !one.run_id.empty();
  return smaller_in_any_case(one.run_id, other.run_id);
}

Instance* best_for_promotion(const Instance& master, Milliseconds now) {
  Instance* best = nullptr;
  for (const auto& replica : master.replicas) {
    if (!may_be_promoted(*replica, master, now)) continue;
    if (best == nullptr || better_for_promotion(*replica, *best)) best = replica.get();
  }
  return best;
}

}  // namespace picklock::redis
