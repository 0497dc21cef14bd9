// The same scenario and seed make the same run: regardless of earlier runs, order and tracing, and
// as at the time when the digest was committed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "scenarios/shipped.h"
#include "testing/whole.h"

namespace picklock::scenarios {
namespace {

using Digests = std::vector<std::uint64_t>;

// Some scenarios show what a seed cannot change.
std::uint64_t some_seeds() {
  return std::min<std::uint64_t>(shipped::seeds(), tests_are_whole() ? 40 : 15);
}

std::vector<shipped::Part> every_part() {
  std::vector<shipped::Part> all;
  for (const std::string& name : shipped::names()) {
    for (shipped::Part& part : shipped::parts(shipped::document(name))) {
      part.what = name + ", " + part.what;
      all.push_back(std::move(part));
    }
  }
  return all;
}

TEST(Digest, IsTheSameAloneAndAfterOtherRunsOfOtherScenarios) {
  const std::vector<shipped::Part> parts = every_part();
  std::vector<Digests> alone(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    World world;
    world.set(parts[i].scenario);
    for (std::uint64_t seed = 1; seed <= some_seeds(); ++seed) {
      world.run(seed);
      alone[i].push_back(world.digest());
    }
  }
  World shared;
  for (std::uint64_t seed = some_seeds(); seed >= 1; --seed) {
    for (std::size_t i = parts.size(); i-- > 0;) {
      shared.set(parts[i].scenario);
      shared.run(seed);
      ASSERT_EQ(shared.digest(), alone[i][seed - 1]) << parts[i].what << ", seed " << seed;
    }
  }
}

TEST(Digest, IsTheSameWithATraceAndWithout) {
  World world;
  for (const shipped::Part& part : every_part()) {
    world.set(part.scenario);
    for (std::uint64_t seed = 1; seed <= some_seeds(); ++seed) {
      world.run(seed, true);
      const std::uint64_t traced = world.digest();
      const std::size_t records = world.trace().records.size();
      world.run(seed, false);
      ASSERT_EQ(world.digest(), traced) << part.what << ", seed " << seed;
      ASSERT_TRUE(records > 0 && world.trace().records.empty());
    }
  }
}

TEST(Digest, DiffersFromSeedToSeed) {
  World world;
  for (const shipped::Part& part : every_part()) {
    world.set(part.scenario);
    Digests all;
    for (std::uint64_t seed = 1; seed <= some_seeds(); ++seed) {
      world.run(seed);
      all.push_back(world.digest());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << part.what;
  }
}

// --- the committed ones

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// Puts each digest last among the keys of its table: [expect], then every [[twin]].
void write_digests(const std::string& path, const Digests& digests) {
  const std::vector<std::string> lines = lines_of(path);
  std::vector<std::string> kept;
  std::size_t next = 0;
  bool open = false;
  const auto close = [&] {
    if (!std::exchange(open, false)) return;
    std::size_t at = kept.size();
    while (at > 0 && (kept[at - 1].empty() || kept[at - 1].starts_with('#'))) --at;
    kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(at),
                fmt::format("digest = \"{:016x}\"", digests.at(next++)));
  };
  for (const std::string& line : lines) {
    if (line.starts_with('[')) close();
    if (line.starts_with("[expect]") || line.starts_with("[[twin]]")) open = true;
    if (!open || !line.starts_with("digest ")) kept.push_back(line);
  }
  close();
  std::ofstream file(path);
  for (const std::string& line : kept) file << line << '\n';
}

class CommittedDigest : public ::testing::TestWithParam<std::string> {};

TEST_P(CommittedDigest, IsWhatTheRunComesTo) {
  const auto run_all = [](const std::vector<shipped::Part>& parts) {
    Digests digests;
    World world;
    for (const shipped::Part& part : parts) {
      if (part.what.starts_with("neighbour")) continue;
      world.set(part.scenario);
      world.run(parts[0].scenario.seed);
      digests.push_back(world.digest());
    }
    return digests;
  };
  if (std::getenv("PICKLOCK_UPDATE") != nullptr) {
    write_digests(find_scenario(GetParam(), shipped::kDirectory),
                  run_all(shipped::parts(shipped::document(GetParam()))));
  }
  const std::vector<shipped::Part> parts = shipped::parts(shipped::document(GetParam()));
  const Digests digests = run_all(parts);
  for (std::size_t i = 0; i < digests.size(); ++i) {
    ASSERT_TRUE(parts[i].scenario.expect.digest) << parts[i].what << " has no committed digest";
    EXPECT_EQ(fmt::format("{:016x}", digests[i]),
              fmt::format("{:016x}", *parts[i].scenario.expect.digest))
        << parts[i].what
        << ": runs differ from the committed ones; know why before PICKLOCK_UPDATE=1";
  }
}

INSTANTIATE_TEST_SUITE_P(Scenario, CommittedDigest, ::testing::ValuesIn(shipped::names()),
                         [](const auto& instance) { return shipped::test_name(instance.param); });

}  // namespace
}  // namespace picklock::scenarios
