#include "properties/own_release.h"

namespace picklock::properties {
namespace {

// Whether the owner's own release has dated the entry, to be free from then on. The owner claims
// nothing any more, but a client with a fast clock may date it late, and take it again before.
bool is_released(const Case& run, const HistoryEvent& touched, std::uint32_t at) {
  const std::uint32_t ended = run.tenure(touched.owner).ended;
  if (ended >= at || run.event(ended).what != history::What::release_invoked) return false;
  bool dated = false;
  for (std::uint32_t i = ended + 1; i < at; ++i) {
    const HistoryEvent& event = run.event(i);
    if (event.tenure != touched.owner) continue;
    if (event.what == history::What::release_ok) return dated;
    dated = dated || (event.what == history::What::entry_altered && event.role == Role::release &&
                      event.holds == 0 && event.process == touched.process);
  }
  return false;
}

}  // namespace

void own_release(const Case& run, Verdict& verdict) {
  for (const EntryChange& change : run.timeline.entries()) {
    const HistoryEvent& event = run.event(change.event);
    if (event.what == history::What::entry_created || event.cause != history::Cause::command)
      continue;
    if (event.tenure == 0 || event.owner == 0 || event.tenure == event.owner) continue;
    // Keys beside the lock, such as a counter of fencing tokens, are there for every tenure to
    // change.
    if (run.tenure(event.owner).key != event.key) continue;
    if (is_released(run, event, change.event)) continue;
    violated(verdict, {change.event, change.since == kNone ? change.event : change.since});
  }
}

}  // namespace picklock::properties
