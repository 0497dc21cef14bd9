// Consecutive runs, by their numbers.
#pragma once

#include <cstdint>

namespace picklock::explore {

// From one number to before another.
struct Span {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  bool operator==(const Span&) const = default;
};

}  // namespace picklock::explore
