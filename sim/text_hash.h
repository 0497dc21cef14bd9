// The hash of a text, for tables that find something by its name. That of the library takes six
// instructions for each letter, which was 3 % of a search that sends scripts.
#pragma once

#include <cstddef>
#include <string_view>

#include "sim/digest.h"

namespace picklock::sim {

struct TextHash {
  using is_avalanching = void;
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return static_cast<std::size_t>(fingerprint(text));
  }
};

}  // namespace picklock::sim
