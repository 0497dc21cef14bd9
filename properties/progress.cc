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

struct Section {
  bool finished = false;
  std::uint32_t cut_off = kNone;  // where the lock took itself from its holder
};

// Whether an entry of the holder was changed by then, since its grant, other than by a command of
// its own. Such a loss is judged by other properties.
bool is_lost(const Case& run, TenureId holder, std::uint32_t by) {
  for (std::uint32_t at = run.tenure(holder).granted; at < by; ++at) {
    const HistoryEvent& event = run.event(at);
    const bool changes = event.what == What::entry_altered || event.what == What::entry_removed;
    const bool own = event.cause == history::Cause::command && event.tenure == holder;
    if (changes && event.owner == holder && event.process >= run.context.first_server && !own)
      return true;
  }
  return false;
}

// Whether the entries of the holder still make a grant at this event.
bool still_holds(const Case& run, TenureId holder, std::uint32_t by) {
  std::uint32_t entries = 0;
  for (const EntryChange& change : run.timeline.entries()) {
    if (change.event >= by) break;
    if (change.loser == holder) entries = change.left;
    if (change.gainer == holder) entries = change.has;
  }
  return entries >= run.context.quorum_of(run.tenure(holder).process);
}

// The end of a release that was invoked at this event.
Section released(const Case& run, TenureId holder, std::uint32_t invoked) {
  for (std::uint32_t at = invoked + 1; at < run.history.size(); ++at) {
    const HistoryEvent& event = run.event(at);
    if (event.tenure != holder) continue;
    if (event.what == What::release_ok) return {.finished = true};
    const bool fails = event.what == What::release_failed;
    if (fails && !still_holds(run, holder, at)) return {.finished = true};
    if (fails || event.what == What::release_unknown) return {.cut_off = at};
  }
  return {};
}

Section section_of(const Case& run, TenureId holder) {
  const std::uint32_t ended = run.tenure(holder).ended;
  if (ended == kNone) return {};
  const What what = run.event(ended).what;
  if (what == What::release_invoked) return released(run, holder, ended);
  if (what == What::abandoned) return {.finished = true};
  if (what == What::loss_learned && !is_lost(run, holder, ended)) return {.cut_off = ended};
  return {};
}

// Whether no fault was in progress at the first event, and none struck or ended up to the last.
bool is_calm(const Case& run, std::uint32_t first, std::uint32_t last) {
  std::uint32_t faults = 0;
  for (std::uint32_t at = 0; at <= last; ++at) {
    const What what = run.event(at).what;
    if (what != What::fault_fired && what != What::fault_ended) continue;
    if (at > first) return false;
    if (what == What::fault_fired) ++faults;
    if (what == What::fault_ended && faults > 0) --faults;
  }
  return faults == 0;
}

// A lock that cuts every critical section off is of no use, however safe it is. A fault excuses the
// sections that it strikes.
void find_work(const Case& run, std::uint32_t horizon, Verdict& verdict) {
  std::uint32_t cut_off = kNone;
  for (const TenureId holder : run.timeline.believers()) {
    const Section section = section_of(run, holder);
    if (section.finished) return;
    if (section.cut_off == kNone || cut_off != kNone) continue;
    if (is_calm(run, run.tenure(holder).began, section.cut_off)) cut_off = section.cut_off;
  }
  if (cut_off != kNone) violated(verdict, {horizon, cut_off});
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
  find_work(run, horizon, verdict);
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
