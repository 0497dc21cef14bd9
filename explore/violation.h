// The identity of a violation (architecture "Witness"): the property, and the roles of the steps
// that its witness names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "history/history.h"
#include "picklock/lock.h"
#include "properties/verdict.h"

namespace picklock::explore {

struct Violation {
  Property property{};
  Role role{};   // of the step where it broke
  Role other{};  // of the step that it collides with
  bool operator==(const Violation&) const = default;
  bool operator<(const Violation& that) const {
    return std::tie(property, role, other) < std::tie(that.property, that.role, that.other);
  }

  template <typename Archive>
  friend void fields(Archive& archive, Violation& violation) {
    archive(violation.property, violation.role, violation.other);
  }
};

inline Violation violation(const properties::Verdict& verdict, const properties::Witness& witness,
                           const history::History& history) {
  return {verdict.property, history[witness.event].role, history[witness.other].role};
}

// The first of its witnesses that is such a one. Requires: there is one.
inline const properties::Witness& witness(const properties::Verdict& verdict,
                                          const Violation& wanted,
                                          const history::History& history) {
  return *std::find_if(
      verdict.witnesses.begin(), verdict.witnesses.end(),
      [&](const properties::Witness& one) { return violation(verdict, one, history) == wanted; });
}

// Whether the verdict has such a witness.
inline bool shows(const properties::Verdict& verdict, const Violation& wanted,
                  const history::History& history) {
  if (verdict.outcome != properties::Outcome::violated) return false;
  for (const properties::Witness& witness : verdict.witnesses) {
    if (violation(verdict, witness, history) == wanted) return true;
  }
  return false;
}

}  // namespace picklock::explore
