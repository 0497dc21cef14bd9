#include "properties/fair_order.h"

#include <algorithm>
#include <tuple>

namespace picklock::properties {

void fair_order(const Case& run, FairOrderScratch& scratch, Verdict& verdict) {
  std::vector<TenureId>& queue = scratch.queue;
  queue.clear();
  const auto tenures = run.timeline.tenures();
  for (TenureId id = 0; id < tenures.size(); ++id) {
    if (tenures[id].queued != kNone && tenures[id].enrolled) queue.push_back(id);
  }
  std::sort(queue.begin(), queue.end(), [&](TenureId a, TenureId b) {
    return std::tie(tenures[a].key, tenures[a].queued) >
           std::tie(tenures[b].key, tenures[b].queued);
  });

  // From the end of the queue to its head: of all who stand behind a waiter, only the few that were
  // told first decide whether it was overtaken too often.
  std::vector<std::uint32_t>& earliest = scratch.earliest;
  const std::size_t few = std::size_t{run.context.overtakes} + 1;
  KeyId key = 0;
  earliest.clear();
  for (const TenureId id : queue) {
    const Tenure& waiter = tenures[id];
    if (waiter.key != key) earliest.clear();
    key = waiter.key;
    const std::uint32_t waits_until = std::min(waiter.began, waiter.ended);
    if (earliest.size() == few && earliest.front() < waits_until)
      violated(verdict, {earliest.front(), waiter.queued});
    if (waiter.began == kNone || waiter.began < waiter.queued) continue;
    earliest.push_back(waiter.began);
    std::push_heap(earliest.begin(), earliest.end());
    if (earliest.size() <= few) continue;
    std::pop_heap(earliest.begin(), earliest.end());
    earliest.pop_back();
  }
}

}  // namespace picklock::properties
