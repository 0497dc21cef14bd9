// A run as one JSON document for programs. Its fields are a contract, its numbers are exact and its
// order is fixed, so two runs with one digest give the same bytes.
#pragma once

#include <string>
#include <vector>

#include "scenarios/run.h"

namespace picklock::reports {

std::string json(const scenarios::Outcome& outcome);

// A scenario that could not be run: an object with `scenario` and `error`.
std::string json_error(const std::string& scenario, const std::string& problem);

// One document with all of these objects, in this order.
std::string json_array(const std::vector<std::string>& objects);

}  // namespace picklock::reports
