// The first difference between two runs that should be the same.
#pragma once

#include <string>
#include <vector>

#include "sim/trace.h"

namespace picklock::explore {

// The first event in which their traces differ, in words; empty: they are the same.
std::string first_difference(const sim::Trace& one, const sim::Trace& other,
                             const std::vector<std::string>& processes);

}  // namespace picklock::explore
