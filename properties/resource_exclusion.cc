#include "properties/resource_exclusion.h"

#include <span>

namespace picklock::properties {

void resource_exclusion(const Case& run, ResourceExclusionScratch& scratch, Verdict& verdict) {
  const std::span<const Operation> operations = run.timeline.operations();
  if (operations.empty()) return;
  scratch.last_at.assign(run.timeline.places(), kNone);
  scratch.last_of.assign(run.timeline.tenures().size(), kNone);
  scratch.before.resize(operations.size());

  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Operation& now = operations[i];
    std::uint32_t& last_of = scratch.last_of[now.tenure];
    std::uint32_t& last_at = scratch.last_at[now.place];
    if (last_at != kNone && operations[last_at].tenure != now.tenure) {
      std::uint32_t first = last_of;
      while (first != kNone && operations[first].place != now.place) first = scratch.before[first];
      if (first != kNone) violated(verdict, {now.event, operations[last_at].event});
    }
    scratch.before[i] = last_of;
    last_of = i;
    last_at = i;
  }
}

}  // namespace picklock::properties
