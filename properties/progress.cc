#include "properties/progress.h"

#include <algorithm>

namespace picklock::properties {

using history::What;

namespace {

std::uint32_t first_acquire(const Case& run, std::uint32_t horizon) {
  std::uint32_t first = 0;
  while (first < horizon && run.event(first).what != What::acquire_invoked) ++first;
  return first;
}

// Outages that end by themselves.
void find_outages(const Case& run, IdleScratch& scratch, Verdict& verdict) {
  const Duration bound = run.context.patience;
  if (bound == Duration::zero() || !is_unheld_for(run, bound, scratch)) return;
  for (const IdleTime& time : idle_times(run, scratch)) {
    if (time.over && time.calm > bound) violated(verdict, {time.ended, time.waiter});
  }
}

}  // namespace

void progress(const Case& run, ProgressScratch& scratch, Verdict& verdict) {
  if (run.history.empty() || run.history.back().what != What::horizon) {
    verdict.outcome = Outcome::unknown;
    return;
  }
  const auto horizon = static_cast<std::uint32_t>(run.history.size() - 1);
  if (run.timeline.believers().empty())
    return violated(verdict, {horizon, first_acquire(run, horizon)});
  find_outages(run, scratch.idle, verdict);
  const auto tenures = run.timeline.tenures();
  if (std::none_of(tenures.begin(), tenures.end(), waits_alive)) return;
  scratch.held.assign(run.timeline.keys(), false);
  for (const TenureId id : run.timeline.believers()) {
    const Tenure& tenure = run.tenure(id);
    if (tenure.ended == kNone) scratch.held[tenure.key] = true;
  }
  const Standstill standstill(run, scratch.stuck);
  for (const Tenure& waiter : tenures) {
    if (!waits_alive(waiter) || scratch.held[waiter.key]) continue;
    if (standstill.stuck_behind(waiter) == kNone) violated(verdict, {waiter.waiting, horizon});
  }
}

}  // namespace picklock::properties
