// One case of a comparison: what a few connections say to one server, in one order. It is drawn
// once, and then given to the model and to a real server alike. Plain data, so that it can be cut
// down to the steps that make a difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace picklock::conform {

template <typename Step>
struct Case {
  std::uint64_t seed = 0;  // draws this very case as the first of a run
  std::uint32_t connections = 2;
  std::vector<Step> steps{};
};

// The first step of a case at which the two sides differ, and what each of them did.
struct Difference {
  std::size_t step = 0;
  std::optional<std::uint32_t> connection{};  // counted from 0; none: the whole step differs
  std::vector<std::string> model{};           // lines, as a user reads them
  std::vector<std::string> real{};
  // Two differences of one kind have one cause, as far as can be told.
  std::string kind{};
};

}  // namespace picklock::conform
