// Shared by the tests of single judges: the verdict for a hand-written history, and matchers for
// verdicts. Test-only.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "history/history.h"
#include "properties/judge.h"
#include "testing/history_builder.h"

namespace picklock::properties {

inline Verdict verdict_of(Property property, const history::History& history,
                          const Context& context = {}) {
  Judge judge;
  return judge.judge(history, context)[static_cast<std::size_t>(property)];
}

// The names of every property that the history violates, in order.
inline std::vector<std::string> violated_in(const history::History& history,
                                            const Context& context = {}) {
  Judge judge;
  std::vector<std::string> names;
  for (const Verdict& verdict : judge.judge(history, context)) {
    if (verdict.outcome == Outcome::violated) names.emplace_back(picklock::name(verdict.property));
  }
  return names;
}

MATCHER(Holds, "holds") { return arg.outcome == Outcome::holds && arg.count == 0; }

MATCHER_P2(IsViolatedBy, event, other, "is violated once, with this witness") {
  return arg.outcome == Outcome::violated && arg.count == 1 && arg.witnesses.size() == 1 &&
         arg.witnesses[0].event == event && arg.witnesses[0].other == other;
}

inline void PrintTo(const Verdict& verdict, std::ostream* out) {
  *out << picklock::name(verdict.property) << ' ' << name(verdict.outcome) << " x" << verdict.count;
  for (const Witness& witness : verdict.witnesses) {
    *out << " (" << witness.event << ", " << witness.other << ')';
  }
}

}  // namespace picklock::properties
