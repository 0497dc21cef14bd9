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

std::uint32_t quorum_of(const Case& run, TenureId id) {
  return run.context.quorum_of(run.tenure(id).process);
}

void judge(const Case& run, TenureId id, std::uint32_t lost, Verdict& verdict) {
  const Tenure& tenure = run.tenure(id);
  if (tenure.ended == kNone) {
    violated(verdict, {static_cast<std::uint32_t>(run.history.size() - 1), lost});
  } else if (run.event(tenure.ended).what == What::release_invoked ||
             run.event(tenure.ended).what == What::abandoned) {
    violated(verdict, {tenure.ended, lost});
  }
}

}  // namespace

void loss_noticed(const Case& run, LossNoticedScratch& scratch, Verdict& verdict) {
  scratch.lost.assign(run.timeline.tenures().size(), kNone);
  bool before_belief = false;
  for (const EntryChange& change : run.timeline.entries()) {
    if (change.gainer != 0 && change.has >= quorum_of(run, change.gainer)) {
      // A later attempt of the same acquire has made up for what an earlier one lost.
      if (change.event < run.tenure(change.gainer).began) scratch.lost[change.gainer] = kNone;
    }
    if (change.loser == 0) continue;
    const std::uint32_t quorum = quorum_of(run, change.loser);
    if (change.left >= quorum) continue;
    if (its_own_alteration(run.event(change.event), change.loser)) continue;
    const Tenure& tenure = run.tenure(change.loser);
    std::uint32_t& lost = scratch.lost[change.loser];
    if (tenure.began != kNone && change.event < tenure.began) {
      if (change.left + 1 == quorum) lost = change.event;
      before_belief = true;
      continue;
    }
    if (!tenure.believes_at(change.event) || lost != kNone) continue;
    // A tenure that releases in the instant of the loss did not hold on to the lock.
    if (run.at(change.event) == run.belief_ends(tenure)) continue;
    lost = change.event;
    judge(run, change.loser, lost, verdict);
  }
  if (!before_belief) return;
  for (const TenureId id : run.timeline.believers()) {
    const Tenure& tenure = run.tenure(id);
    const std::uint32_t lost = scratch.lost[id];
    if (lost == kNone || lost > tenure.began) continue;
    if (run.at(tenure.began) != run.belief_ends(tenure)) judge(run, id, lost, verdict);
  }
}

}  // namespace picklock::properties
