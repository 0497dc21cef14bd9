// How a client finds the leading server of a group: at an address that an operator moves, or from
// Sentinels.
#pragma once

#include <cstdint>

namespace picklock::servers {

enum class FindBy : std::uint8_t { address, sentinel };

}  // namespace picklock::servers
