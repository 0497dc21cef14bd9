// The inside of a user's Scenario (picklock/scenario.h): the text that was read, and the scenario
// that it describes.
#pragma once

#include <memory>
#include <string>

#include "picklock/scenario.h"
#include "scenarios/document.h"
#include "scenarios/scenario.h"

namespace picklock {

struct Scenario::State {
  scenarios::Document document;
  const models::Algorithm* own = nullptr;  // that the text may name; nullptr: shipped locks alone
  bool changed = false;                    // since it was read: committed digests say nothing
  scenarios::Scenario scenario{};
};

}  // namespace picklock

namespace picklock::explore {

// Throws BadInput where the document makes no sense.
picklock::Scenario user_scenario(scenarios::Document document, const models::Algorithm* own,
                                 bool changed);

// For a scenario that was made here, such as one with drawn faults.
picklock::Scenario user_scenario(scenarios::Scenario scenario);

}  // namespace picklock::explore
