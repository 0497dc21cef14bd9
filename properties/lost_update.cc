#include "properties/lost_update.h"

namespace picklock::properties {

void no_lost_update(const Case& run, LostUpdateScratch& scratch, Verdict& verdict) {
  const auto operations = run.timeline.operations();
  // All operations of a run have versions, or none has.
  if (operations.empty() || run.event(operations.back().event).version == 0) return;
  scratch.at.assign(run.timeline.places(), {});
  for (const Operation& now : operations) {
    const HistoryEvent& write = run.event(now.event);
    LostUpdateScratch::Writes& before = scratch.at[now.place];
    if (write.what == history::What::read_accepted) {
      if (before.last != kNone && run.event(before.last).version > write.version)
        violated(verdict, {now.event, before.last});
      continue;
    }
    if (write.what != history::What::write_accepted) continue;
    const bool own = before.last != kNone && run.event(before.last).tenure == now.tenure;
    const std::uint32_t replaced = own ? before.other : before.last;
    if (write.base != 0 && replaced != kNone && run.event(replaced).version > write.base)
      violated(verdict, {now.event, replaced});
    before = {.last = now.event, .other = replaced};
  }
}

}  // namespace picklock::properties
