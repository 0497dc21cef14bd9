// Fencing tokens as clients obtain them: numbers that grow with each grant, counted in a second key
// (architecture "Fencing"). Tokens minted by the step that grants are in the order of the grants;
// tokens fetched by a second command are in the order of the fetches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "picklock/client.h"

namespace picklock::models {

std::string fencing_key(std::string_view key);

// Called after the grant. 0: there was no answer, so there is no token.
std::int64_t fetch_fencing_token(Client& self, std::string_view key);

}  // namespace picklock::models
