// Writes a scenario as the text of a file, for example the finds of a search. The loader reads it
// back as the same scenario; keys at their defaults, comments and line numbers are left out.
#pragma once

#include <string>

#include "scenarios/scenario.h"

namespace picklock::scenarios {

// Requires: the scenario is one that a file can express, such as a loaded scenario with any plan
// that the loader accepts.
std::string file_text(const Scenario& scenario);

}  // namespace picklock::scenarios
