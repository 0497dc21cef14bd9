// How long a client believes in a lease that has a deadline by its own clock.
#include "models/client/sim_client.h"

#include <gmock/gmock.h>

#include "picklock/lock.h"
#include "testing/small_world.h"

namespace picklock::models::sim_client_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const Lease kLease{.key = "lock", .token = "a", .ttl = 10s};

// The times at which a deadline ended a belief, in ms of the run.
std::vector<std::int64_t> passed(const SmallWorld& world) {
  std::vector<std::int64_t> ms;
  for (const history::HistoryEvent& event : world.history()) {
    if (event.what == history::What::deadline_passed)
      ms.push_back(sim::nanoseconds(event.at) / 1'000'000);
  }
  return ms;
}

// Client 1 runs `body` and then sleeps for 30 s.
void play(SmallWorld& world, std::function<void(SmallWorld&, Client&)> body,
          const sim::Plan& plan = {}) {
  world.client(1, [run = std::move(body)](SmallWorld& all, Client& self) {
    run(all, self);
    self.sleep(30s);
  });
  world.run(plan);
}

TEST(BelieveUntil, EndsAtTheDeadline) {
  SmallWorld world;
  history::TenureId tenure = 0;
  play(world, [&](SmallWorld& all, Client& self) {
    self.witness().believe_until(kLease, self.monotonic_now() + 5s);
    tenure = all.simulation.scheduler.running()->tag;
    self.sleep(4999ms);
    EXPECT_FALSE(all.machines[0].has_lost(tenure));
    self.sleep(2ms);
    EXPECT_TRUE(all.machines[0].has_lost(tenure));
  });
  EXPECT_THAT(passed(world), ElementsAre(5000));
}

// The clock of a paused process keeps running.
TEST(BelieveUntil, EndsAtTheDeadlineThoughItsProcessIsPaused) {
  SmallWorld world;
  play(world,
       [](SmallWorld&, Client& self) {
         self.witness().believe_until(kLease, self.monotonic_now() + 5s);
       },
       {fault_at(1s, sim::Verb::pause, "client-1", 10s)});
  EXPECT_THAT(passed(world), ElementsAre(5000));
}

TEST(BelieveUntil, IsMovedOnByWhatIsSaidLater) {
  SmallWorld world;
  play(world, [](SmallWorld&, Client& self) {
    self.witness().believe_until(kLease, 5s);
    self.sleep(3s);
    self.witness().believe_until(kLease, 8s);
  });
  EXPECT_THAT(passed(world), ElementsAre(8000));
}

TEST(BelieveUntil, IsVoidAfterTheRelease) {
  SmallWorld world;
  play(world, [](SmallWorld& all, Client& self) {
    self.witness().believe_until(kLease, 5s);
    all.machines[0].end_belief(all.simulation.scheduler.running()->tag);
  });
  EXPECT_THAT(passed(world), ElementsAre());
}

TEST(BelieveUntil, CountsForEachTenureByItself) {
  SmallWorld world;
  for (const Duration until : {5s, 8s}) {
    world.client(1, [until](SmallWorld&, Client& self) {
      self.witness().believe_until(kLease, until);
      self.sleep(20s);
    });
  }
  world.run();
  EXPECT_THAT(passed(world), ElementsAre(5000, 8000));
}

TEST(BelieveUntil, IsAtOnceOverWhereTheDeadlineHasPassed) {
  SmallWorld world;
  play(world, [](SmallWorld&, Client& self) {
    self.sleep(3s);
    self.witness().believe_until(kLease, 1s);
  });
  EXPECT_THAT(passed(world), ElementsAre(3000));
}

TEST(BelieveUntil, FollowsTheStepsOfTheWallClockIfItIsCountedByThat) {
  for (const ClientClock clock : {ClientClock::wall, ClientClock::monotonic}) {
    SmallWorld world({.options = {.clock = clock}});
    play(world, [clock](SmallWorld& all, Client& self) {
      const Duration now = clock == ClientClock::wall ? self.wall_now() : self.monotonic_now();
      self.witness().believe_until(kLease, now + 5s);
      self.sleep(1s);
      sim::Scheduler& scheduler = all.simulation.scheduler;
      scheduler.processes().step_clock(all.machines[0].process(), 2s);
      all.machines[0].clock_changed();
    });
    EXPECT_THAT(passed(world), ElementsAre(clock == ClientClock::wall ? 3000 : 5000));
  }
}

TEST(BelieveUntil, EndsWithItsProcess) {
  SmallWorld world;
  play(world, [](SmallWorld& all, Client& self) {
    self.witness().believe_until(kLease, 5s);
    all.machines[0].forget();
  });
  EXPECT_THAT(passed(world), ElementsAre());
}

}  // namespace
}  // namespace picklock::models::sim_client_tests
