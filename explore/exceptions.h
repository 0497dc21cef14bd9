// What is known before a search: violations that it counts and passes over (`--except`). An
// exception names a property, a fault, or both. A violation is known by a fault if it does not
// happen without the faults of the plan that the exception names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "picklock/client.h"
#include "picklock/lock.h"
#include "scenarios/scenario.h"
#include "sim/fault.h"

namespace picklock::explore {

struct Exception {
  std::string text;                    // as it was given
  std::optional<Property> property{};  // nullopt: any
  std::string fault{};                 // a class of faults or a verb; empty: any
  std::string step{};                  // at which the fault strikes, in words; empty: any
  std::optional<Role> role{};          // of the step; none: a message of no step
  std::optional<sim::Phase> phase{};   // of the step; nullopt: any
  std::string mark{};                  // in place of the step

  bool is_about(Property one) const { return !property || *property == one; }
  bool names_fault() const { return !fault.empty() || !step.empty(); }
  // Whether it names this fault. Requires: names_fault().
  bool names(const sim::Fault& one, const scenarios::Scenario& scenario) const;
};

// Reads PROPERTY, FAULT or PROPERTY:FAULT. FAULT is a class or a verb, @STEP, or both:
// `pause@release.sent`. STEP is ROLE, ROLE.PHASE, mark:NAME or message.sent. Throws keys::BadInput.
Exception exception_from(std::string_view text, const scenarios::Scenario& scenario);

using Exceptions = std::vector<Exception>;

// Whether an exception covers violations of the property in every run, or names a fault of the
// plan: then the violation may be known.
bool may_be_known(const Exceptions& all, Property property, const sim::Plan& plan,
                  const scenarios::Scenario& scenario);
// Whether an exception covers all violations of the property, whatever causes them.
bool is_known_anyway(const Exceptions& all, Property property);
// The plan without the faults by which violations of the property are known.
sim::Plan without_known(const Exceptions& all, Property property, sim::Plan plan,
                        const scenarios::Scenario& scenario);

}  // namespace picklock::explore
