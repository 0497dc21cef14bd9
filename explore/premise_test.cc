#include "explore/premise.h"

#include <gtest/gtest.h>

#include "models/locks/catalogue.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"
#include "scenarios/world.h"

namespace picklock::explore {
namespace {

constexpr std::string_view kWithinLease =
    "every critical section ends within its lease, by the server's clock";

TEST(Premise, IsJudgedWhereverALockPromisesOnOne) {
  for (const models::Algorithm* lock : models::locks::all()) {
    for (const models::LockOptions& options :
         {models::LockOptions{}, models::LockOptions{.value = models::TokenPer::client}}) {
      for (const models::Promise& promise : lock->promises(options))
        EXPECT_TRUE(is_judged(promise.premise)) << lock->name << ": " << promise.premise;
    }
  }
  EXPECT_FALSE(is_judged("the moon is full"));
  EXPECT_TRUE(was_kept("the moon is full", {}, {}));
}

bool within_lease(const std::string& more) {
  const scenarios::Scenario scenario =
      scenarios::parse("format = 1\n[lock]\nalgorithm = 'lua-check-delete'\n" + more, "x",
                       scenarios::shipped_vocabulary());
  scenarios::World world;
  world.set(scenario);
  world.run(1);
  return was_kept(kWithinLease, scenario, world.history());
}

TEST(Premise, OfTheLeaseIsBrokenByASectionThatOutlastsIt) {
  EXPECT_TRUE(within_lease("ttl = '10s'\n[clients]\nhold = '4s'\n"));
  EXPECT_FALSE(within_lease("ttl = '10s'\n[clients]\nhold = '11s'\n"));
  EXPECT_FALSE(
      within_lease("ttl = '10s'\n[clients]\nhold = '4s'\n[[fault]]\npause = 'client-1'\n"
                   "before = 'write.sent'\nfor = '11s'\n"));
}

// Who is dead believes nothing, and who has let go has let go.
TEST(Premise, OfTheLeaseIsKeptByHoldersThatNoLongerBelieve) {
  EXPECT_TRUE(
      within_lease("ttl = '10s'\n[clients]\nhold = '4s'\n[[fault]]\ncrash = 'client-1'\n"
                   "before = 'write.sent'\n"));
  EXPECT_TRUE(
      within_lease("ttl = '10s'\n[clients]\nhold = '4s'\n[[fault]]\nend-thread = "
                   "'client-1'\nbefore = 'write.sent'\n"));
  EXPECT_TRUE(
      within_lease("ttl = '10s'\n[clients]\nhold = '4s'\n[[fault]]\ndrop = 'client-1'\n"
                   "before = 'release.sent'\n"));
}

TEST(Premise, OfATokenForEachAcquisitionIsWhatTheScenarioSays) {
  scenarios::Scenario scenario;
  EXPECT_TRUE(was_kept("every acquisition has a token of its own", scenario, {}));
  scenario.lock.options.value = models::TokenPer::client;
  EXPECT_FALSE(was_kept("every acquisition has a token of its own", scenario, {}));
}

bool kept(std::string_view premise, const std::string& more) {
  const scenarios::Scenario scenario =
      scenarios::parse("format = 1\n[lock]\nalgorithm = 'naive-setnx'\n" + more, "x",
                       scenarios::shipped_vocabulary());
  scenarios::World world;
  world.set(scenario);
  world.run(1);
  return was_kept(premise, scenario, world.history());
}

std::string fault(const std::string& keys) { return "[[fault]]\n" + keys + "\n"; }

TEST(Premise, OfAnswersIsBrokenByAHolderThatDoesNotKnow) {
  constexpr std::string_view kAnswered =
      "every command is answered before its client gives up on it";
  EXPECT_TRUE(kept(kAnswered, ""));
  EXPECT_FALSE(kept(kAnswered, fault("drop = 'client-1'\nbefore = 'acquire.applied'")));
  EXPECT_FALSE(kept(kAnswered, fault("drop = 'client-1'\nbefore = 'release.applied'")));
  EXPECT_TRUE(kept(kAnswered, fault("crash = 'client-1'\nbefore = 'acquire.replied'")));
  EXPECT_FALSE(kept("a command takes effect before its client gives up on it",
                    fault("drop = 'client-1'\nbefore = 'release.applied'")));
}

TEST(Premise, OfWritesInTimeIsBrokenByOneThatLandsAfterTheRelease) {
  constexpr std::string_view kInTime = "every write arrives before its client gives up on it";
  EXPECT_TRUE(kept(kInTime, ""));
  EXPECT_FALSE(kept(kInTime, fault("delay = 'client-1'\nbefore = 'write.sent'\nfor = '10s'")));
}

TEST(Premise, OfAServerThatDoesNotStayAwayLooksAtTheEnd) {
  constexpr std::string_view kThere =
      "the clients' clocks agree, and the server does not stay away";
  EXPECT_TRUE(kept(kThere, fault("crash = 'redis-1'\nat = '1s'\nfor = '1s'")));
  EXPECT_FALSE(kept(kThere, fault("crash = 'redis-1'\nat = '1s'")));
  EXPECT_TRUE(kept(kThere, fault("partition = 'client-1'\nat = '1s'\nfor = '1s'")));
  EXPECT_FALSE(kept(kThere, fault("partition = 'client-1'\nat = '1s'")));
  EXPECT_TRUE(kept(kThere, fault("partition = 'client-1'\nfrom = 'resource'\nat = '1s'")));
}

TEST(Premise, OfWhatClientsDoIsWhatTheScenarioSays) {
  EXPECT_TRUE(kept("nothing but the lock's commands sets its key", ""));
  EXPECT_FALSE(
      kept("nothing but the lock's commands sets its key", "[clients]\nprogress = 'set'\n"));
  EXPECT_TRUE(kept("one lock, taken once at a time", ""));
  EXPECT_FALSE(kept("one lock, taken once at a time", "[clients]\nnested = true\n"));
}

TEST(Premise, OfTimestampsLeavesRoomForTheCommandsThatMakeThem) {
  constexpr std::string_view kAgree =
      "every critical section ends within its lease, and the clients' clocks agree";
  const auto with_hold = [](const std::string& hold) {
    return "ttl = '10s'\ncommand_timeout = '1s'\n[clients]\nhold = '" + hold + "'\n";
  };
  EXPECT_TRUE(kept(kAgree, with_hold("7s")));
  EXPECT_FALSE(kept(kAgree, with_hold("9s")));
}

}  // namespace
}  // namespace picklock::explore
