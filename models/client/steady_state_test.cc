#include <gmock/gmock.h>

#include "models/locks/catalogue.h"
#include "testing/allocations.h"
#include "testing/small_world.h"

namespace picklock::models::steady_state_tests {
namespace {

using namespace std::chrono_literals;

struct Spent {
  std::size_t allocations = 0;
  std::uint64_t events = 0;
};

// Three clients take turns at one lock, `count` times each.
Spent cycles(SmallWorld& world, const Algorithm& algorithm, int count) {
  world.reset({.clients = 3});
  for (std::uint32_t i = 1; i <= 3; ++i) {
    world.client(i, [&algorithm, count](SmallWorld& all, Client& self) {
      const std::unique_ptr<Lock> lock = algorithm.make({.retry_every = 7ms});
      for (int cycle = 0; cycle < count; ++cycle) {
        all.play(Role::acquire);
        const Acquired acquired = lock->acquire(self, "lock");
        self.sleep(5ms);
        all.play(Role::release);
        lock->release(self, acquired.lease());
      }
    });
  }
  const std::size_t before = properties::allocations();
  world.run();
  return {properties::allocations() - before, world.simulation.scheduler.record().events()};
}

class SteadyState : public testing::TestWithParam<std::string_view> {};

INSTANTIATE_TEST_SUITE_P(Redis, SteadyState,
                         testing::Values("naive-setnx", "setnx-expire", "setnx-timestamp",
                                         "set-px-blind-delete", "set-px-check-delete",
                                         "lua-check-delete"));

TEST_P(SteadyState, AllocatesNothingPerEvent) {
  const Algorithm& algorithm = *locks::named(GetParam());
  SmallWorld world;
  cycles(world, algorithm, 400);
  const Spent few = cycles(world, algorithm, 100);
  const Spent many = cycles(world, algorithm, 200);
  EXPECT_GT(many.events, few.events + 1000);
  EXPECT_EQ(many.allocations, few.allocations) << "in " << many.events - few.events << " events";
}

// Bare commands as locks send them: a re-entrant holder's counter, a fencing token, a renewal.
Spent commands(SmallWorld& world, int count) {
  using Words = std::initializer_list<std::string_view>;
  world.reset({});
  world.client(1, [count](SmallWorld&, Client& self) {
    const auto send = [&](Words words) {
      const redis::Reply reply = redis::server(self).call(Role::none, words);
      ASSERT_TRUE(reply.answered() && !reply.is_error()) << reply.text;
    };
    for (int cycle = 0; cycle < count; ++cycle) {
      send({"HINCRBY", "holders", "client-1:7", "1"});
      send({"PEXPIRE", "holders", "10000"});
      send({"HINCRBY", "holders", "client-1:7", "1"});
      send({"HEXISTS", "holders", "client-1:7"});
      send({"HDEL", "holders", "client-1:7"});
      send({"INCR", "tokens"});
      send({"SET", "lock", "client-1:7", "NX", "PX", "10000"});
      send({"GET", "lock"});
      send({"GETDEL", "lock"});
    }
  });
  const std::size_t before = properties::allocations();
  world.run();
  return {properties::allocations() - before, world.simulation.scheduler.record().events()};
}

TEST(LockCommands, AllocateNothingInTheSteadyState) {
  SmallWorld world;
  commands(world, 400);
  const Spent few = commands(world, 100);
  const Spent many = commands(world, 200);
  EXPECT_GT(many.events, few.events + 1000);
  EXPECT_EQ(many.allocations, few.allocations) << "in " << many.events - few.events << " events";
}

}  // namespace
}  // namespace picklock::models::steady_state_tests
