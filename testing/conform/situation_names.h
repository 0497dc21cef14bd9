// Helpers of the tests of situations, which are stories of failures that real servers and
// simulated ones are told. Test-only.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <string>

namespace picklock::conform {

// PICKLOCK_LONG: also the slow situations, and each several times.
inline bool at_length() { return std::getenv("PICKLOCK_LONG") != nullptr; }

// The name of a test: `A killed process` is AKilledProcess.
template <typename Situation>
std::string name_of(const testing::TestParamInfo<Situation>& about) {
  std::string name;
  bool begins = true;
  for (const char c : about.param.title) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0)
      name += static_cast<char>(begins ? std::toupper(letter) : letter);
    begins = std::isalnum(letter) == 0;
  }
  return name;
}

}  // namespace picklock::conform
