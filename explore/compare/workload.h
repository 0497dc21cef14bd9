// What every lock is compared in: the same clients with the same sections, on its own servers, with
// a lease of one length where it has a use for one. Everything else is as the lock's plain scenario
// has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.h"

namespace picklock::compare {

// `directory`: where the shipped scenarios are. Throws scenarios::BadInput.
scenarios::Scenario workload(std::string_view lock, const std::string& directory);

// Of every lock that is shipped, in the order of the catalogue.
std::vector<scenarios::Scenario> workloads(const std::string& directory);

// For a reader, as one sentence without its dot.
std::string in_words(const scenarios::ClientsSpec& clients, sim::Duration lease);

inline constexpr sim::Duration kLease = std::chrono::seconds(9);

}  // namespace picklock::compare
