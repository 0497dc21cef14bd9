// The step that a message belongs to: its role. Layers above define the roles; the simulator only
// carries and compares them. `Role{}` is none: the message is part of no step.
#pragma once

#include <cstdint>

namespace picklock {

enum class Role : std::uint8_t;

namespace sim {

// A plan's triggers are bits of one word (sim/nemesis.h), where no role has none.
inline constexpr unsigned kMostRoles = 11;

}  // namespace sim
}  // namespace picklock
