// A run as one JSON document for programs. Its fields are a contract, its numbers are exact and its
// order is fixed, so two runs with one digest give the same bytes.
#pragma once

#include <string>

#include "scenarios/run.h"

namespace picklock::reports {

std::string json(const scenarios::Outcome& outcome);

}  // namespace picklock::reports
