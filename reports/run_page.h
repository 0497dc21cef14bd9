// One run of a scenario, with its twins, as one HTML page that needs nothing beside it: what broke,
// the story as a diagram, and every property. The texts of a run are only shown: no text can become
// markup or script.
#pragma once

#include <string>

#include "scenarios/run.h"

namespace picklock::reports {

// Requires runs with their traces (Runner::run_file with `with_trace`). `repeat_command`: shown as
// the command that repeats the run; may be empty.
std::string run_page(const scenarios::Outcome& outcome, const std::string& repeat_command);

}  // namespace picklock::reports
