#include "models/locks/zookeeper/coordinator.h"

#include <gmock/gmock.h>

#include "models/locks/catalogue.h"
#include "models/locks/zookeeper/ephemeral_lock.h"
#include "models/zookeeper/kind.h"
#include "testing/small_world.h"

namespace picklock::models::locks::zookeeper::coordinator_tests {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::StartsWith;

LockOptions coordinated() {
  LockOptions options = as_it_comes(*named("zk-ephemeral"));
  options.of<EphemeralOptions>().freed_by = FreedBy::coordinator;
  return options;
}

// Two clients that want the lock, and one or two coordinators: clients 3 and 4.
class Coordinated : public testing::Test {
 protected:
  // Requests the lock at `at`; records when it was granted, in milliseconds.
  void wants(std::uint32_t client, sim::Duration at, sim::Duration hold) {
    locks_.push_back(make_lock(*named("zk-ephemeral"), coordinated()));
    world.client(client, [=, this, lock = locks_.back().get()](SmallWorld& all, Client& self) {
      self.sleep(at);
      all.play(Role::acquire);
      const Acquired acquired = lock->acquire(self, "lock");
      if (!acquired) return;
      tokens[client] = acquired.lease().token;
      granted[client] = all.milliseconds();
      self.sleep(hold);
      all.play(Role::release);
      released[client] = lock->release(self, acquired.lease());
    });
  }
  void coordinates(std::uint32_t client, std::function<bool(std::string_view)> revoke = {}) {
    if (!revoke) {
      revoke = [this](std::string_view token) {
        revoked.emplace_back(token);
        return true;
      };
    }
    world.client(client, [=](SmallWorld& all, Client& self) {
      all.simulation.scheduler.running()->tag = 0;
      Coordinator({.key = "lock", .revokes = Revokes::before_freeing, .revoke = revoke}).run(self);
    });
  }
  void run(const sim::Plan& plan = {}) {
    world.client(1, [](SmallWorld& all, Client& self) {
      self.sleep(100s);
      all.simulation.scheduler.stop();
    });
    world.run(plan);
  }

  SmallWorld world{SmallWorld::Setup{.clients = 4,
                                     .other = &picklock::zookeeper::kKind,
                                     .coordinated = true,
                                     .options = coordinated()}};
  std::map<std::uint32_t, std::string> tokens;
  std::map<std::uint32_t, std::int64_t> granted;
  std::map<std::uint32_t, Released> released;
  std::vector<std::string> revoked;

 private:
  std::vector<std::unique_ptr<Lock>> locks_;
};

TEST_F(Coordinated, FreesTheLockOfAHolderWhoseSessionHasEnded) {
  wants(1, 0s, 20s);
  wants(2, 1s, 20s);
  coordinates(3);
  run({fault_at(2s, sim::Verb::pause, "client-1", 15s)});
  EXPECT_THAT(revoked, ElementsAre(tokens[1]));
  EXPECT_EQ(released[1], Released::not_held);
  EXPECT_EQ(released[2], Released::ok);
  EXPECT_THAT(
      world.effects(),
      ElementsAre(AllOf(StartsWith("0.0"), EndsWith("entry created command by 1 of 0")),
                  AllOf(StartsWith("12.0"), EndsWith("entry removed coordinator by 0 of 1")),
                  AllOf(StartsWith("12.0"), EndsWith("entry created command by 2 of 0")),
                  AllOf(StartsWith("32.0"), EndsWith("entry removed command by 2 of 2"))));
}

TEST_F(Coordinated, LeavesItWhereItIsUntilTheRevocationIsAnswered) {
  wants(1, 0s, 20s);
  wants(2, 1s, 1s);
  coordinates(3, [this](std::string_view) { return world.milliseconds() > 40'000; });
  run({fault_at(2s, sim::Verb::pause, "client-1", 15s)});
  EXPECT_GT(granted[2], 40'000);
  EXPECT_LT(granted[2], 41'000);
}

TEST_F(Coordinated, HasNothingToDoWithALockThatItsHolderGivesBack) {
  wants(1, 0s, 20s);
  wants(2, 1s, 20s);
  coordinates(3);
  run();
  EXPECT_THAT(revoked, IsEmpty());
  EXPECT_LT(granted[2], 20'200);
  EXPECT_EQ(released[2], Released::ok);
}

TEST_F(Coordinated, LeavesAloneAWaiterThatHasHadAnotherSessionBefore) {
  wants(1, 0s, 30s);
  wants(2, 1s, 20s);
  coordinates(3);
  run({fault_at(2s, sim::Verb::pause, "client-2", 20s)});
  EXPECT_THAT(revoked, IsEmpty());
  EXPECT_EQ(released[1], Released::ok);
  EXPECT_EQ(released[2], Released::ok);
}

// With the same token the client would take itself for the holder of its earlier session, and wait
// for itself.
TEST_F(Coordinated, IsAskedUnderAnotherTokenInAnotherSession) {
  wants(1, 0s, 1s);
  coordinates(3, [this](std::string_view) { return world.milliseconds() > 40'000; });
  sim::Fault cut = fault_at(0s, sim::Verb::partition, "client-1", 20s);
  cut.trigger = {};
  cut.trigger.side = sim::Side::after;
  cut.trigger.role = Role::acquire;
  cut.trigger.phase = sim::Phase::applied;
  run({cut});
  EXPECT_GT(granted[1], 40'000);
  EXPECT_EQ(released[1], Released::ok);
}

// Requests of the first coordinator may still be under way, and would hit the next holder of the
// lock.
TEST_F(Coordinated, WaitsForTheSessionOfTheCoordinatorBeforeItToEnd) {
  wants(1, 0s, 20s);
  wants(2, 1s, 1s);
  coordinates(3);
  std::int64_t took_over = 0;
  world.client(4, [&](SmallWorld& all, Client& self) {
    all.simulation.scheduler.running()->tag = 0;
    self.sleep(500ms);
    Coordinator({.key = "lock",
                 .revokes = Revokes::before_freeing,
                 .revoke =
                     [&](std::string_view) {
                       took_over = all.milliseconds();
                       return true;
                     }})
        .run(self);
  });
  run({fault_at(2s, sim::Verb::pause, "client-1", 60s),
       fault_at(8s, sim::Verb::pause, "client-3", 60s)});
  EXPECT_THAT(revoked, IsEmpty());
  EXPECT_GT(took_over, 16'000);
  EXPECT_LT(took_over, 21'000);
  EXPECT_GT(granted[2], took_over);
}

}  // namespace
}  // namespace picklock::models::locks::zookeeper::coordinator_tests
