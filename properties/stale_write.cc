#include "properties/stale_write.h"

#include <span>

namespace picklock::properties {

void no_stale_write(const Case& run, StaleWriteScratch& scratch, Verdict& verdict) {
  const std::span<const Operation> operations = run.timeline.operations();
  scratch.newest.assign(run.timeline.places(), kNone);
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Operation& now = operations[i];
    const std::uint32_t granted = run.tenure(now.tenure).granted;
    if (granted == kNone) continue;  // never granted, so neither older nor newer than anyone
    std::uint32_t& newest = scratch.newest[now.place];
    if (newest == kNone || granted > run.tenure(operations[newest].tenure).granted) {
      newest = i;
    } else if (operations[newest].tenure != now.tenure &&
               run.event(now.event).what == history::What::write_accepted) {
      violated(verdict, {now.event, operations[newest].event});
    }
  }
}

}  // namespace picklock::properties
