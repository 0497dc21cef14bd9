// How a client writes to the resource, and what it knows of it.
#pragma once

#include <cstdint>

namespace picklock::models {

// A write replaces any version; is based on a version that was read, which the resource is not told
// to compare; or is rejected unless the resource still has that version.
enum class WriteMode : std::uint8_t { unconditional, based_on_read, if_version };

// The last version that a client knows. Version 0: none.
struct Seen {
  std::uint32_t version = 0;
  std::int64_t value = 0;
};

}  // namespace picklock::models
