#include "properties/bounded_wakeups.h"

#include <algorithm>
#include <tuple>

namespace picklock::properties {

void bounded_wakeups(const Case& run, BoundedWakeupsScratch& scratch, Verdict& verdict) {
  if (!run.timeline.sleeps()) return;
  std::vector<BoundedWakeupsScratch::Wakeup>& wakeups = scratch.wakeups;
  wakeups.clear();
  for (std::uint32_t at = 0; at < run.history.size(); ++at) {
    const HistoryEvent& event = run.event(at);
    if (event.what == history::What::wait_ended && event.owner != 0)
      wakeups.push_back({event.owner, event.key, event.tenure, at});
  }
  // A waiter of several servers may hear the same release from each.
  std::sort(wakeups.begin(), wakeups.end(), [](const auto& a, const auto& b) {
    return std::tie(a.by, a.key, a.waiter, a.event) < std::tie(b.by, b.key, b.waiter, b.event);
  });
  wakeups.erase(std::unique(wakeups.begin(), wakeups.end(),
                            [](const auto& a, const auto& b) {
                              return std::tie(a.by, a.key, a.waiter) ==
                                     std::tie(b.by, b.key, b.waiter);
                            }),
                wakeups.end());
  std::sort(wakeups.begin(), wakeups.end(), [](const auto& a, const auto& b) {
    return std::tie(a.by, a.key, a.event) < std::tie(b.by, b.key, b.event);
  });
  for (auto first = wakeups.begin(); first != wakeups.end();) {
    const auto end = std::find_if(first, wakeups.end(), [&](const auto& other) {
      return std::tie(other.by, other.key) != std::tie(first->by, first->key);
    });
    if (const auto many = static_cast<std::size_t>(end - first); many > run.context.wakeups) {
      const Tenure& tenure = run.tenure(first->by);
      const bool ended = tenure.began != kNone && tenure.ended != kNone;
      violated(verdict, {first[run.context.wakeups].event, ended ? tenure.ended : first->event});
    }
    first = end;
  }
}

}  // namespace picklock::properties
