// How far a stream of bytes has come, for whoever takes messages off its front.
#pragma once

#include <cstdint>

namespace picklock::conform {

// Of the next message: all of it is here, a part is, or no message begins like this.
enum class Framing : std::uint8_t { whole, partial, malformed };

}  // namespace picklock::conform
