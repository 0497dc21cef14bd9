// The result of a search that tried every plan and found nothing, as a file that a test can repeat:
// the table `complete` of a scenario.
#pragma once

#include <cstdint>
#include <string>

#include "explore/search.h"
#include "scenarios/run.h"
#include "scenarios/scenario.h"

namespace picklock::explore {

// "2 faults", or "1 fault or late message" where the search also tries orders of messages.
std::string in_plans(std::uint32_t most, const strategies::Decided& decided);

// Whether the search has tried every plan that it was to try, has judged each, and found nothing.
bool is_complete(const Search& search);

// The scenario of such a search, with what it has found. Requires: it is complete.
std::string complete_file(const Search& search);

// Makes the search again that the scenario expects to be complete, in this process, and adds to its
// run every way in which it is not. `counted`: the numbers of plans apply, because neither the file
// nor its seed was changed. Does nothing if the scenario expects no search.
void repeat_complete_search(const scenarios::Scenario& scenario, bool counted, scenarios::Run& run);

}  // namespace picklock::explore
