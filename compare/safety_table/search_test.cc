// Every claim of the safety table is searched at length. PICKLOCK_SEEDS: for how many seeds what is
// within reach is found (20); PICKLOCK_RUNS: in how many runs nothing is found of what is not
// (200000). Every claim is a test of its own, so that GTEST_TOTAL_SHARDS divides the work.
#include <gtest/gtest.h>

#include <cstdlib>

#include "keys/duration_text.h"
#include "testing/safety_table_search.h"

namespace picklock::compare::safety_table {
namespace {

using claims::Case;
using claims::Claim;
using explore::Find;
using explore::Search;

constexpr std::uint64_t kSoon = 20'000;         // runs, within which what is within reach is found
constexpr std::uint64_t kWaitsOfASeed = 1'000;  // runs, whose waits are measured

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? std::max(1ull, std::strtoull(given, nullptr, 10)) : otherwise;
}
std::uint64_t seeds() { return from_environment("PICKLOCK_SEEDS", 20); }
std::uint64_t runs() { return from_environment("PICKLOCK_RUNS", 200'000); }

class SafetyTableSearch : public testing::TestWithParam<Case> {
 protected:
  static void say(const std::string& what) {
    fmt::print("{}: {}\n", claims::test_name(GetParam()), what);
    std::fflush(stdout);
  }

  static void is_clean() {
    Search search(claims::scenario(GetParam()), claims::options(GetParam(), 1));
    const Find* find = claims::first_find(search, runs());
    EXPECT_EQ(find, nullptr) << find->text;
    const std::uint64_t judged = search.tally().judged();
    EXPECT_TRUE(find != nullptr || judged > runs() - runs() / 100) << judged;
    const bool fenced = GetParam().claim == Claim::fenced;
    say(fmt::format("S, {} runs clean, below {:.2g}% at 95% confidence, {} cut short; as {}",
                    judged, 100 * explore::upper_bound_95(judged), search.tally().cut_short,
                    fenced ? "tokens grow with the order of grants" : GetParam().cell->premise));
  }

  static void is_found(std::size_t shortest, std::string_view what) {
    std::vector<std::uint64_t> found_in;
    std::vector<std::size_t> faults;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
      Search search(claims::scenario(GetParam()), claims::options(GetParam(), seed));
      const Find* find = claims::first_find(search, kSoon);
      ASSERT_NE(find, nullptr) << "seed " << seed << ": not within " << kSoon << " runs";
      found_in.push_back(find->run);
      faults.push_back(find->story.faults.size());
    }
    std::sort(found_in.begin(), found_in.end());
    std::sort(faults.begin(), faults.end());
    const std::size_t middle = faults.size() / 2;
    say(fmt::format("{}, found for {} seeds in {} runs, {} at most; by {} faults, {} to {}", what,
                    seeds(), found_in[middle], found_in.back(), faults[middle], faults.front(),
                    faults.back()));
    // Not every story gets as short as that of the catalogue: two faults may each be needed in it
    // for what one alone does elsewhere.
    EXPECT_LE(faults[middle], shortest);
  }
};

TEST_P(SafetyTableSearch, IsWhatTheTableSays) {
  const Case& one = GetParam();
  if (one.claim != Claim::wait) {
    if (one.reach() == Reach::safe) {
      is_clean();
    } else {
      is_found(one.cell->shortest, "U");
    }
  } else if (one.cell->stuck == Stuck::for_ever) {
    is_found(one.cell->most, "K for ever");
  } else {
    const claims::Waits seen = claims::waits(one, seeds(), kWaitsOfASeed);
    say(fmt::format("K longest wait {} in {} of {} runs, {} stuck", keys::to_text(seen.longest),
                    seen.single, seen.runs, seen.stuck));
    EXPECT_EQ(seen.stuck, 0U);
    EXPECT_GE(seen.longest, one.cell->wait.low);
    EXPECT_LE(seen.longest, one.cell->wait.high);
  }
}

// With PICKLOCK_UPDATE it prints what decided.inc should have.
TEST_P(SafetyTableSearch, IsDecidedAsFarAsTheTableSays) {
  const Case& one = GetParam();
  if (one.claim == Claim::wait || one.reach() == Reach::unsafe) return;
  const bool fenced = one.claim == Claim::fenced;
  const auto [found, find] = claims::every_plan(one);
  EXPECT_EQ(find, "");
  EXPECT_EQ(found.unjudged, 0U);
  if (std::getenv("PICKLOCK_UPDATE") != nullptr) {
    fmt::print("{{\"{}\", {}, {}}},\n", claim_of(*one.configuration, *one.cell, fenced), found.most,
               found.plans);
    std::fflush(stdout);
    return;
  }
  const Decided* told = decided(*one.configuration, *one.cell, fenced);
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(found.most, told->faults);
  EXPECT_EQ(found.plans, told->plans);
}

INSTANTIATE_TEST_SUITE_P(Cells, SafetyTableSearch, testing::ValuesIn(claims::cases()),
                         [](const auto& instance) { return claims::test_name(instance.param); });

}  // namespace
}  // namespace picklock::compare::safety_table
