// How a client finds the server of a group that leads: at an address that an operator moves, or by
// asking Sentinels.
#pragma once

#include <cstdint>

namespace picklock::redis {

enum class FindBy : std::uint8_t { address, sentinel };

}  // namespace picklock::redis
