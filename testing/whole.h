// How long the tests take. `./check` shortens those whose full length seldom finds more, and
// `./check --all` runs them whole.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "sim/sanitizer.h"

namespace picklock {

inline bool tests_are_whole() { return std::getenv("PICKLOCK_WHOLE") != nullptr; }

// With sanitizers a run takes ten times as long, and a fault of memory shows in the first ones.
inline bool tests_are_short() { return sim::kSanitized && !tests_are_whole(); }

inline std::uint32_t shortened(std::uint32_t whole, std::uint32_t part) {
  return tests_are_short() ? part : whole;
}

}  // namespace picklock
