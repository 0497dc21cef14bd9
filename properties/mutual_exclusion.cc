#include "properties/mutual_exclusion.h"

namespace picklock::properties {

void mutual_exclusion(const Case& run, MutualExclusionScratch& scratch, Verdict& verdict) {
  // The belief that lasts longest of those begun so far: a later belief that overlaps any of them
  // overlaps this one.
  scratch.longest.assign(run.timeline.keys(), 0);
  for (const TenureId id : run.timeline.believers()) {
    const Tenure& later = run.tenure(id);
    TenureId& longest = scratch.longest[later.key];
    const Instant begins = run.at(later.began);
    const Instant ends = run.belief_ends(later);
    if (longest == 0) {
      longest = id;
      continue;
    }
    const Tenure& earlier = run.tenure(longest);
    const Instant earlier_ends = run.belief_ends(earlier);
    if (begins < earlier_ends && begins < ends) violated(verdict, {later.began, earlier.began});
    if (ends > earlier_ends) longest = id;
  }
}

}  // namespace picklock::properties
