// An account in words and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "serve/account.h"

namespace picklock::serve {

// Since the run began, in microseconds: what is finer is the order of events at one instant (Loop).
double seconds(sim::Instant at);

// Each violation in a sentence; empty: none of these properties is violated.
std::vector<std::string> violations(const Account& account, const std::vector<Property>& of);

// A timeline, and below it the verdicts, the entries that are held, and what releases led to.
std::string told(const Account& account, bool everything);

// The verdicts with their sentences, the entries that are held, and what releases led to.
nlohmann::ordered_json verdicts(const Account& account);

}  // namespace picklock::serve
