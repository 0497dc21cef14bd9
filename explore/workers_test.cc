#include "explore/workers.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace picklock::explore {
namespace {

// All that the workers make, in the order in which they give it.
struct Collected {
  std::uint64_t runs = 0;
  std::vector<std::uint64_t> seen;
  std::vector<Workers::CrashedRun> crashed;
};

void take(Workers& workers, Collected& all) {
  workers.update();
  while (const auto made = workers.next()) {
    all.runs += made->block.tally.runs;
    for (const Sighting& one : made->block.sightings) all.seen.push_back(one.run);
    for (const Workers::CrashedRun& one : made->crashed) all.crashed.push_back(one);
  }
}

void wait(const Workers& workers) {
  std::vector<pollfd> all;
  workers.watch(all);
  poll(all.data(), all.size(), 1000);
}

Collected collect(Workers& workers) {
  Collected all;
  while (!workers.over()) {
    wait(workers);
    take(workers, all);
  }
  return all;
}

void see(std::uint64_t run, Block& block) {
  ++block.tally.runs;
  block.sightings.push_back({.run = run, .violation = {}});
}

std::vector<std::uint64_t> up_to(std::uint64_t end) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < end; ++i) all.push_back(i);
  return all;
}

TEST(Workers, GiveWhatTheyMakeInTheOrderOfTheRuns) {
  for (const unsigned jobs : {1u, 2u, 7u}) {
    for (const std::uint64_t runs : {1u, 64u, 65u, 1000u}) {
      Workers workers(jobs, runs, see);
      const Collected all = collect(workers);
      EXPECT_EQ(all.runs, runs);
      EXPECT_EQ(all.seen, up_to(runs));
      EXPECT_TRUE(all.crashed.empty());
    }
  }
}

// The runs before and after it are made, and it is told of once.
TEST(Workers, GoOnWhereARunEndsItsProcess) {
  Workers workers(2, 500, [](std::uint64_t run, Block& block) {
    if (run == 77) std::raise(SIGKILL);
    if (run == 78 || run == 400) throw std::runtime_error("out of luck");
    if (run == 300) std::_Exit(3);
    if (run == 301) std::_Exit(0);
    see(run, block);
  });
  const Collected all = collect(workers);
  EXPECT_EQ(all.runs, 495u);
  EXPECT_EQ(all.seen.size(), 495u);
  ASSERT_EQ(all.crashed.size(), 5u);
  EXPECT_EQ(all.crashed[0].run, 77u);
  EXPECT_EQ(all.crashed[0].how, "SIGKILL");
  EXPECT_EQ(all.crashed[1].run, 78u);
  EXPECT_EQ(all.crashed[1].how, "out of luck");
  EXPECT_EQ(all.crashed[2].how, "exit status 3");
  EXPECT_EQ(all.crashed[3].how, "exit status 0");
  EXPECT_EQ(all.crashed[4].run, 400u);
}

TEST(Workers, TellOfARunThatDiffersFromItself) {
  Workers workers(2, 500, [](std::uint64_t run, Block& block) {
    if (run == 200) throw NotDeterministic("run 201 differs");
    see(run, block);
  });
  try {
    collect(workers);
    FAIL() << "it came to an end";
  } catch (const NotDeterministic& error) {
    EXPECT_STREQ(error.what(), "run 201 differs");
  }
}

// Whenever they are stopped, what is left is the runs from the first to one.
TEST(Workers, LeaveNoGapsWhenTheyAreStopped) {
  for (const bool now : {false, true}) {
    Workers workers(3, UINT64_MAX / 2, see);
    Collected all;
    while (all.runs < 1000) {
      wait(workers);
      take(workers, all);
    }
    workers.stop(now);
    const Collected rest = collect(workers);
    all.seen.insert(all.seen.end(), rest.seen.begin(), rest.seen.end());
    EXPECT_EQ(all.seen, up_to(all.seen.size()));
    EXPECT_EQ(all.runs + rest.runs, all.seen.size());
  }
}

TEST(Workers, EndThoughNobodyTakesTheRest) {
  Workers workers(2, UINT64_MAX / 2, see);
  wait(workers);
  workers.update();
  workers.drop();
  while (!workers.over()) {
    wait(workers);
    workers.update();
  }
}

}  // namespace
}  // namespace picklock::explore
