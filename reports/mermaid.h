// A run as a Mermaid sequence diagram, to be pasted into a page: requests, answers and notes, with
// retries folded. It uses plain syntax only, and no text of a run can end a label early.
#pragma once

#include <string>

#include "scenarios/run.h"

namespace picklock::reports {

// The last line is a comment with `repeat_command`, if it is given.
std::string mermaid(const scenarios::Outcome& outcome, const std::string& repeat_command = "");

}  // namespace picklock::reports
