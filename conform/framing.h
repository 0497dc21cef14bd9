// Whether a stream of bytes begins with a message.
#pragma once

#include <cstdint>

namespace picklock::conform {

// All bytes of the next message have come, or a part of them, or no message begins like this.
enum class Framing : std::uint8_t { whole, partial, malformed };

}  // namespace picklock::conform
