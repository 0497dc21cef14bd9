#include "properties/balanced_holds.h"

#include <span>

namespace picklock::properties {

using history::Cause;
using history::What;

namespace {

class Counts {
 public:
  Counts(const Case& run, BalancedHoldsScratch& scratch) : run_(run), scratch_(scratch) {
    scratch_.counts.assign(run.timeline.slots(), {});
    scratch_.depth.assign(run.timeline.tenures().size(), 0);
    scratch_.freed.assign(run.timeline.tenures().size(), kNone);
  }

  void deeper(TenureId id) { ++scratch_.depth[id]; }
  void shallower(TenureId id) {
    if (scratch_.depth[id] > 0) --scratch_.depth[id];
    scratch_.freed[id] = kNone;
  }
  std::uint32_t freed(TenureId id) const { return scratch_.freed[id]; }

  void entry(const EntryChange& change) {
    const HistoryEvent& event = run_.event(change.event);
    scratch_.counts[change.slot] = {change.owner, event.holds, change.event};
    const bool removed = event.what == What::entry_removed && event.cause == Cause::command;
    if (removed && change.loser != 0 && event.tenure == change.loser &&
        change.left + 1 == run_.context.quorum_of(run_.tenure(change.loser).process))
      scratch_.freed[change.loser] = change.event;
  }

  // The event that set a count other than the tenure's depth; kNone: they all agree.
  std::uint32_t disagrees(TenureId id) const {
    const Timeline& timeline = run_.timeline;
    const KeyId key = run_.tenure(id).key;
    for (const Slot* slot = timeline.first_slot(key); slot != nullptr;
         slot = timeline.next_slot(*slot)) {
      const Count& count = scratch_.counts[timeline.index(*slot)];
      if (counts(count, id) && count.holds != scratch_.depth[id] && !outdated(id, key, *slot))
        return count.set;
    }
    return kNone;
  }

 private:
  using Count = BalancedHoldsScratch::Count;

  static bool counts(const Count& count, TenureId id) {
    return count.owner == id && count.holds > 0;
  }

  // A primary that crashed keeps the count it had when its replica took over.
  bool outdated(TenureId id, KeyId key, const Slot& slot) const {
    const Timeline& timeline = run_.timeline;
    for (const Slot* other = timeline.first_slot(key); other != nullptr;
         other = timeline.next_slot(*other)) {
      const Count& newer = scratch_.counts[timeline.index(*other)];
      if (counts(newer, id) && newer.set > scratch_.counts[timeline.index(slot)].set &&
          timeline.are_copies(*other, slot)) {
        return true;
      }
    }
    return false;
  }

  const Case& run_;
  BalancedHoldsScratch& scratch_;
};

}  // namespace

void balanced_holds(const Case& run, BalancedHoldsScratch& scratch, Verdict& verdict) {
  if (!run.timeline.counts_holds() && !run.timeline.had_nothing()) return;
  Counts counts(run, scratch);
  std::span<const EntryChange> entries = run.timeline.entries();
  for (std::uint32_t at = 0; at < run.history.size(); ++at) {
    const HistoryEvent& event = run.event(at);
    switch (event.what) {
      case What::acquire_ok:
        counts.deeper(event.tenure);
        break;
      case What::release_invoked:
        counts.shallower(event.tenure);
        continue;
      case What::release_ok:
      case What::release_failed:
        break;
      case What::entry_created:
      case What::entry_altered:
      case What::entry_removed:
        if (entries.empty() || entries.front().event != at) continue;
        counts.entry(entries.front());
        entries = entries.subspan(1);
        continue;
      default:
        continue;
    }
    if (event.tenure == 0) continue;
    std::uint32_t set = counts.disagrees(event.tenure);
    if (set == kNone && event.what == What::release_failed) set = counts.freed(event.tenure);
    if (set != kNone) violated(verdict, {at, set});
  }
}

}  // namespace picklock::properties
