// Consecutive runs, by their numbers.
#pragma once

#include <cstdint>

namespace picklock::explore {

// From one number to before another.
struct Span {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  bool operator==(const Span&) const = default;
  bool operator<(const Span& that) const {
    return from != that.from ? from < that.from : to < that.to;
  }

  template <typename Archive>
  friend void fields(Archive& archive, Span& span) {
    archive(span.from, span.to);
  }
};

}  // namespace picklock::explore
