// The result of a judge. A witness names events of the history. Reports take from them who, when
// and at which step; a search tells violations apart by them. No text is made here.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "picklock/lock.h"

namespace picklock::properties {

using picklock::kPropertyCount;
using picklock::Property;

enum class Outcome : std::uint8_t { holds, violated, unknown };

constexpr const char* name(Outcome outcome) {
  return outcome == Outcome::holds      ? "holds"
         : outcome == Outcome::violated ? "violated"
                                        : "unknown";
}

// Indices into the history: `event` is where the property broke, `other` the event it collides with
// (the same as `event` where there is none). For a cycle of waiters there is one witness per edge.
struct Witness {
  std::uint32_t event = 0;
  std::uint32_t other = 0;
};

struct Verdict {
  Property property{};
  Outcome outcome = Outcome::holds;
  std::uint32_t count = 0;         // how many violations; at most kWitnesses of them are kept
  std::vector<Witness> witnesses;  // in order of time
};

inline constexpr std::size_t kWitnesses = 8;

using Verdicts = std::array<Verdict, kPropertyCount>;  // in the order of Property

}  // namespace picklock::properties
