// Whether two plans do the same, regardless of the lines of their faults in a file.
#pragma once

#include <algorithm>
#include <tuple>

#include "sim/fault.h"

namespace picklock::testing {

inline auto plan_members(const sim::Fault& f) {
  const sim::Trigger& t = f.trigger;
  return std::tie(f.verb, f.target, t.at, t.side, t.role, t.phase, t.mark, t.nth, t.by, t.on,
                  t.command, f.lasts, f.step, f.rate_ppb, f.from, f.outbound, f.inbound, f.host,
                  f.silent, f.keeps, f.to, f.key);
}

inline bool same_plan(const sim::Plan& a, const sim::Plan& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const sim::Fault& x, const sim::Fault& y) { return plan_members(x) == plan_members(y); });
}

}  // namespace picklock::testing
