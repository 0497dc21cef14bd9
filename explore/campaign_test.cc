#include "explore/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <string_view>

#include "picklock/lock.h"
#include "scenarios/own_lock.h"
#include "scenarios/shipped.h"
#include "testing/whole.h"

namespace picklock::explore {
namespace {

using namespace std::chrono_literals;
using scenarios::Scenario;
using ::testing::HasSubstr;

// A lock that deletes any key, and calls is_late() if it holds the lock for too long.
class Careless : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(picklock::Client& self, std::string_view key) override {
    const std::string token(self.name());
    const auto reply = redis::server(self).set(key, token, {.nx = true, .px = settings().ttl});
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.ok()) return std::nullopt;
    since_ = self.monotonic_now();
    return Lease{.key = std::string(key), .token = token, .ttl = settings().ttl};
  }
  Released release(picklock::Client& self, const Lease& lease) override {
    if (self.monotonic_now() - since_ > 15s) is_late();
    const auto reply = redis::server(self).del(lease.key);
    return reply.answered() ? Released::ok : Released::unknown;
  }

 protected:
  virtual void is_late() {}

 private:
  Duration since_{};
};

class Crashing final : public Careless {
 public:
  using Careless::Careless;

 private:
  void is_late() override { std::raise(SIGKILL); }  // a signal that no sanitizer handles
};

class Throwing final : public Careless {
 public:
  using Careless::Careless;

 private:
  void is_late() override { throw std::runtime_error("late beyond belief"); }
};

// Sends another name each time, regardless of the seed.
class Whimsical final : public Careless {
 public:
  using Careless::Careless;
  Released release(picklock::Client& self, const Lease& lease) override {
    static int releases = 0;
    redis::server(self).set("mood", std::to_string(++releases), {});
    return Careless::release(self, lease);
  }
};

struct Seen {
  std::size_t finds = 0;
  std::size_t crashes = 0;
  bool interrupted = false;
};

Onlooker onlooker(Seen& seen) {
  return {.found = [&seen](const Find&) { ++seen.finds; },
          .crashed = [&seen](const Crash&) { ++seen.crashes; },
          .progress = [](const Progress&) {},
          .interrupted = [&seen] { return seen.interrupted; }};
}

SearchOptions pauses() {
  return {.faults = {.classes = {FaultClass::pause}},
          .all_classes = false,
          .properties = {Property::own_release},
          .command = "a search"};
}

template <typename LockType>
Scenario contention() {
  return scenarios::contended(own_lock<LockType>(), {.clients = 2, .ttl = 10s, .hold = 4s});
}

TEST(Campaign, FindsWhatASearchInOneProcessFinds) {
  const Scenario scenario = scenarios::shipped::document("plain/set-px-blind-delete")
                                .scenario(scenarios::shipped_vocabulary());
  const SearchOptions options{.properties = {Property::own_release, Property::no_stale_write},
                              .command = "a search"};
  Search alone(scenario, options);
  while (alone.tally().runs < 500) alone.run_next();
  for (const unsigned jobs : {1u, 3u}) {
    Search search(scenario, options);
    Seen seen;
    make(search, {.jobs = jobs, .runs = 500}, onlooker(seen));
    EXPECT_EQ(search.tally().runs, 500u);
    EXPECT_EQ(search.tally().events, alone.tally().events);
    EXPECT_EQ(search.tally().fired_of, alone.tally().fired_of);
    ASSERT_EQ(search.finds().size(), alone.finds().size());
    EXPECT_EQ(seen.finds, alone.finds().size());
    for (std::size_t i = 0; i < alone.finds().size(); ++i) {
      EXPECT_EQ(search.finds()[i].text, alone.finds()[i].text);
      EXPECT_EQ(search.finds()[i].run, alone.finds()[i].run);
      EXPECT_EQ(search.finds()[i].shrunk_in, alone.finds()[i].shrunk_in);
    }
  }
}

// Told of, with the plan that did it, and everything else is found as well.
TEST(Campaign, GoesOnWhereARunEndsItsProcess) {
  Search search(contention<Crashing>(), pauses());
  Seen seen;
  make(search, {.jobs = 2, .runs = 800}, onlooker(seen));
  EXPECT_EQ(search.tally().runs, 800u);
  ASSERT_EQ(search.crashes().size(), 1u);
  EXPECT_EQ(seen.crashes, 1u);
  const Crash& crash = search.crashes()[0];
  EXPECT_EQ(crash.how, "SIGKILL");
  EXPECT_EQ(crash.times, search.tally().crashed);
  EXPECT_THAT(crash.text, HasSubstr("pause = \"client-"));
  EXPECT_FALSE(search.finds().empty());
  EXPECT_TRUE(search.finds()[0].minimal);
}

TEST(Campaign, EndsWhereRunAfterRunCrashes) {
  if (tests_are_short()) GTEST_SKIP() << "some hundred processes";
  Search search(contention<Throwing>(), pauses());
  Seen seen;
  make(search, {.jobs = 2, .runs = UINT64_MAX / 2}, onlooker(seen));
  EXPECT_GE(search.tally().crashed, kMostCrashes);
  EXPECT_EQ(search.crashes()[0].times, search.tally().crashed);
}

TEST(Campaign, SaysWhatARunHasThrown) {
  Search search(contention<Throwing>(), pauses());
  Seen seen;
  make(search, {.jobs = 1, .runs = 300}, onlooker(seen));
  ASSERT_EQ(search.crashes().size(), 1u);
  EXPECT_EQ(search.crashes()[0].how, "late beyond belief");
}

TEST(Campaign, StopsAtARunThatDiffersFromItselfAndSaysWhere) {
  Search search(contention<Whimsical>(), pauses());
  Seen seen;
  try {
    make(search, {.jobs = 2, .runs = 300}, onlooker(seen));
    FAIL() << "it came to an end";
  } catch (const NotDeterministic& error) {
    EXPECT_THAT(error.what(), HasSubstr("is not deterministic: digest "));
    EXPECT_THAT(error.what(), HasSubstr("; event "));
    EXPECT_THAT(error.what(), HasSubstr("`SET mood "));
  }
}

// Its finds up to then are complete, but perhaps not as short as possible.
TEST(Campaign, EndsWithWhatItHasWhenItIsInterrupted) {
  Search search(contention<Careless>(), pauses());
  Seen seen;
  Onlooker looks_on = onlooker(seen);
  looks_on.progress = [&](const Progress& progress) { seen.interrupted = progress.runs > 200; };
  make(search, {.jobs = 2, .runs = UINT64_MAX / 2}, looks_on);
  EXPECT_GT(search.tally().runs, 0u);
  EXPECT_LT(search.tally().runs, 1'000'000u);
  EXPECT_EQ(seen.finds, search.finds().size());
  ASSERT_FALSE(search.finds().empty());
  EXPECT_FALSE(search.finds()[0].story.faults.empty());
}

}  // namespace
}  // namespace picklock::explore
