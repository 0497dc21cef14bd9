// Fencing tokens as clients come by them: numbers that grow with each grant, counted in a key
// beside the lock's (architecture "Fencing"). Minted by the very step that grants, they are in the
// order of the grants; fetched by a second command, they are in the order of the fetching.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "picklock/client.h"

namespace picklock::models {

std::string fencing_key(std::string_view key);

// After the grant. 0: there was no answer, and so there is no token.
std::int64_t fetch_fencing_token(Client& self, std::string_view key);

}  // namespace picklock::models
