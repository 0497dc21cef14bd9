#include "properties/mutual_exclusion.h"

#include <span>

namespace picklock::properties {

void mutual_exclusion(const Case& run, MutualExclusionScratch& scratch, Verdict& verdict) {
  // The belief that lasts longest of those begun so far: a later belief that overlaps any of them
  // overlaps this one.
  scratch.longest.assign(run.timeline.keys(), kNone);
  const std::span<const Belief> beliefs = run.timeline.beliefs();
  for (std::uint32_t i = 0; i < beliefs.size(); ++i) {
    const Belief& later = beliefs[i];
    std::uint32_t& longest = scratch.longest[run.tenure(later.tenure).key];
    const Instant begins = run.at(later.began);
    const Instant ends = run.belief_ends(later);
    if (longest == kNone) {
      longest = i;
      continue;
    }
    const Belief& earlier = beliefs[longest];
    const Instant earlier_ends = run.belief_ends(earlier);
    if (begins < earlier_ends && begins < ends) violated(verdict, {later.began, earlier.began});
    if (ends > earlier_ends) longest = i;
  }
}

}  // namespace picklock::properties
