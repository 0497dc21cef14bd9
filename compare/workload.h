// The workload of a comparison: the same clients and critical sections for every lock, on its own
// servers, with one length of lease where the lock has leases. Everything else is as in the lock's
// plain scenario.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.h"

namespace picklock::compare {

// `directory`: where the shipped scenarios are. Throws keys::BadInput.
scenarios::Scenario workload(std::string_view lock, const std::string& directory);

// The same with two clients that take the lock once each. Every plan of one fault is tried with it,
// which are some ten times fewer.
scenarios::Scenario small(const scenarios::Scenario& workload);

// The workloads of all shipped locks, in the order of the catalogue.
std::vector<scenarios::Scenario> workloads(const std::string& directory);

// As a sentence without its period.
std::string in_words(const scenarios::ClientsSpec& clients, sim::Duration lease);

inline constexpr sim::Duration kLease = std::chrono::seconds(9);

}  // namespace picklock::compare
