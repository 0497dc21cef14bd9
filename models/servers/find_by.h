// How a client finds the leading server of a group: at an address that an operator moves, or from
// the monitors of the group (servers::Monitors).
#pragma once

#include <cstdint>

namespace picklock::servers {

enum class FindBy : std::uint8_t { address, monitors };

}  // namespace picklock::servers
