#include "properties/own_release.h"

namespace picklock::properties {

void own_release(const Case& run, Verdict& verdict) {
  for (const EntryChange& change : run.timeline.entries()) {
    const HistoryEvent& event = run.event(change.event);
    if (event.what == history::What::entry_created || event.cause != history::Cause::command)
      continue;
    if (event.tenure == 0 || event.owner == 0 || event.tenure == event.owner) continue;
    // Keys beside the lock, such as a counter of fencing tokens, are there for every tenure to
    // change.
    if (run.tenure(event.owner).key != event.key) continue;
    violated(verdict, {change.event, change.since == kNone ? change.event : change.since});
  }
}

}  // namespace picklock::properties
