#include "properties/holder_refused.h"

#include <algorithm>
#include <span>

namespace picklock::properties {

void no_holder_refused(const Case& run, HolderRefusedScratch& scratch, Verdict& verdict) {
  const Timeline& timeline = run.timeline;
  if (timeline.rejections().empty()) return;
  scratch.grants.clear();
  for (const Tenure& tenure : timeline.tenures()) {
    if (tenure.granted != kNone) scratch.grants.push_back({tenure.granted, tenure.key});
  }
  std::sort(scratch.grants.begin(), scratch.grants.end(),
            [](const auto& a, const auto& b) { return a.event < b.event; });
  scratch.newest.assign(timeline.keys(), kNone);
  scratch.entries.assign(timeline.tenures().size(), 0);

  const std::span<const EntryChange> changes = timeline.entries();
  auto change = changes.begin();
  auto grant = scratch.grants.begin();
  for (const std::uint32_t at : timeline.rejections()) {
    for (; change != changes.end() && change->event < at; ++change) {
      if (change->loser != 0) scratch.entries[change->loser] = change->left;
      if (change->gainer != 0) scratch.entries[change->gainer] = change->has;
    }
    for (; grant != scratch.grants.end() && grant->event < at; ++grant)
      scratch.newest[grant->key] = grant->event;
    const TenureId id = run.event(at).tenure;
    const Tenure& tenure = run.tenure(id);
    const std::uint32_t quorum = run.context.quorum_of(tenure.process);
    if (!tenure.believes_at(at) || scratch.entries[id] < quorum) continue;
    if (scratch.newest[tenure.key] == tenure.granted) violated(verdict, {at, tenure.granted});
  }
}

}  // namespace picklock::properties
