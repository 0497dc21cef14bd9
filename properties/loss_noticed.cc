#include "properties/loss_noticed.h"

namespace picklock::properties {

using history::Cause;
using history::What;

namespace {

// A nested release that releases the hold of the outer acquire is a loss as well.
bool its_own_alteration(const HistoryEvent& event, TenureId tenure) {
  return event.what == What::entry_altered && event.cause == Cause::command &&
         event.tenure == tenure;
}

}  // namespace

void loss_noticed(const Case& run, LossNoticedScratch& scratch, Verdict& verdict) {
  scratch.lost.assign(run.timeline.tenures().size(), kNone);
  for (const EntryChange& change : run.timeline.entries()) {
    if (change.loser == 0 || change.left >= run.context.quorum) continue;
    if (its_own_alteration(run.event(change.event), change.loser)) continue;
    const Tenure& tenure = run.tenure(change.loser);
    if (!tenure.believes_at(change.event)) continue;
    // A tenure that releases in the instant of the loss did not hold on to the lock.
    if (run.at(change.event) == run.belief_ends(tenure)) continue;
    std::uint32_t& lost = scratch.lost[change.loser];
    if (lost != kNone) continue;
    lost = change.event;
    if (tenure.ended == kNone) {
      violated(verdict, {static_cast<std::uint32_t>(run.history.size() - 1), lost});
    } else if (run.event(tenure.ended).what == What::release_invoked) {
      violated(verdict, {tenure.ended, lost});
    }
  }
}

}  // namespace picklock::properties
