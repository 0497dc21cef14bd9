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

}  // namespace
}  // namespace picklock::explore
