// An account in words and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "serve/account.h"

namespace picklock::serve {

// Each violation in a sentence; empty: none of these properties is violated.
std::vector<std::string> violations(const Account& account, const std::vector<Property>& of);

// A timeline, and below it the verdicts and the entries that are held.
std::string told(const Account& account, bool everything);

// The verdicts with their sentences, and the entries that are held.
nlohmann::ordered_json verdicts(const Account& account);

}  // namespace picklock::serve
