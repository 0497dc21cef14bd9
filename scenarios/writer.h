// A scenario as the text of a file: what a search finds becomes one. The loader reads it back as
// the same scenario; keys at their defaults are left out, and so are comments and line numbers.
#pragma once

#include <string>

#include "scenarios/scenario.h"

namespace picklock::scenarios {

// Requires: nothing that a file could not say, as of a scenario that was loaded, with any plan that
// the loader takes.
std::string file_text(const Scenario& scenario);

}  // namespace picklock::scenarios
