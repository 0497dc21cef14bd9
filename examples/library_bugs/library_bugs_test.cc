// Every bug is found with the defaults of a search, and its fixed version is clean.
#include <picklock/test.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <regex>
#include <string>

#include "bugs.h"

namespace library_bugs {
namespace {

using picklock::search;
using picklock::SearchResult;

class LibraryBug : public ::testing::TestWithParam<Bug> {};

// The suite shortens the searches that find nothing; PICKLOCK_WHOLE makes them whole.
std::uint64_t runs_of_fixed() { return std::getenv("PICKLOCK_WHOLE") != nullptr ? 20'000 : 1'000; }

// "found in run 7 of 10000", and one line for each fault of the shrunk story.
std::string in_brief(const std::string& text) {
  std::smatch found;
  const std::regex run("\n  found    in (run [0-9]+|the run without faults)");
  if (!std::regex_search(text, found, run)) return "not found";
  std::size_t faults = 0;
  const std::string fired = "; fired at ";
  for (std::size_t at = 0; (at = text.find(fired, at)) != std::string::npos; ++at) ++faults;
  return found[1].str() + ", " + std::to_string(faults) + " faults";
}

TEST_P(LibraryBug, IsFoundWithDefaults) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const SearchResult result = search(GetParam().scenario(false), {.seed = seed});
    EXPECT_EQ(result.outcome, SearchResult::Outcome::violated) << result.text;
    const std::string property(picklock::name(GetParam().breaks));
    EXPECT_TRUE(result.text.starts_with(property + " violated")) << result.text;
    std::cout << GetParam().name << ", seed " << seed << ": " << in_brief(result.text) << '\n';
    if (seed == 1) std::cout << result.text;
  }
}

TEST_P(LibraryBug, IsCleanOnceFixed) {
  EXPECT_CLEAN(search(GetParam().scenario(true), {.runs = runs_of_fixed()}));
}

INSTANTIATE_TEST_SUITE_P(All, LibraryBug, ::testing::ValuesIn(all_bugs()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace

void PrintTo(const Bug& bug, std::ostream* out) { *out << bug.library << ": " << bug.thread; }

}  // namespace library_bugs
