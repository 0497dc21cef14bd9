// A key that a lock calls unused changes none of its runs, whatever strikes.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "explore/fault_plan.h"
#include "models/locks/catalogue.h"
#include "models/mysql/spec.h"
#include "models/redis/spec.h"
#include "picklock/zookeeper.h"
#include "scenarios/runner.h"
#include "scenarios/shipped.h"
#include "scenarios/world.h"
#include "testing/whole.h"

namespace picklock::explore {
namespace {

using namespace std::chrono_literals;

using Set = void (*)(servers::Specs& servers);

const std::map<std::string_view, Set> kValues = {
    {"clock_offset", [](auto& servers) { servers.template of<redis::Spec>().clock_offset = 30s; }},
    {"relative_expiry",
     [](auto& servers) { servers.template of<redis::Spec>().relative_expiry = true; }},
    {"isolation",
     [](auto& servers) {
       servers.template of<mysql::Spec>().settings.isolation = mysql::Isolation::read_committed;
     }},
};

// With replicas, so that what is copied to them counts as well.
scenarios::Scenario scenario_of(const models::Algorithm& lock) {
  scenarios::Scenario scenario = scenarios::shipped::document("plain/" + std::string(lock.name))
                                     .scenario(scenarios::shipped_vocabulary());
  const servers::Kind& server = scenarios::lock_server(scenario);
  if (server.add_replicas != nullptr) server.add_replicas(scenario.servers);
  return scenario;
}

std::uint64_t digest(const scenarios::Scenario& scenario, std::uint64_t seed) {
  scenarios::World world;
  world.set(scenario);
  world.run(seed);
  return world.digest();
}

TEST(UnusedKeys, ChangeNoRunOfTheirLock) {
  const std::uint64_t runs = shortened(100, 10);
  std::size_t unused = 0;
  for (const models::Algorithm* lock : models::locks::all()) {
    // An ensemble with other sequence numbers has the lock's folder from the beginning.
    if (lock->unused.empty() || lock->uses.server == zookeeper::kServer) continue;
    scenarios::Scenario scenario = scenario_of(*lock);
    FaultPlans plans(scenario, profile(scenario, scenario.seed));
    const FaultLimits limits{.classes = plans.possible(), .most = 3};
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      plans.draw(1, seed, limits, scenario.faults);
      const std::uint64_t without = digest(scenario, seed);
      for (const models::UnusedKey& one : lock->unused) {
        scenarios::Scenario with = scenario;
        kValues.at(one.key)(with.servers);
        EXPECT_EQ(digest(with, seed), without) << lock->name << ' ' << one.key;
        ++unused;
      }
    }
  }
  EXPECT_GE(unused, 7 * runs) << "of five locks";
}

}  // namespace
}  // namespace picklock::explore
