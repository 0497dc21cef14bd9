#include "scenarios/topology.h"

#include <gmock/gmock.h>

#include "models/lease_store/kind.h"
#include "models/redis/kind.h"
#include "models/redis/spec.h"
#include "scenarios/process_kinds.h"
#include "scenarios/world.h"

namespace picklock::scenarios {
namespace {

using ::testing::ElementsAre;

Scenario with(std::uint32_t masters, std::uint32_t replicas, std::uint32_t sentinels) {
  Scenario scenario;
  scenario.lock.algorithm = "lua-check-delete";
  scenario.clients.count = 2;
  scenario.servers.of<redis::Spec>().masters = masters;
  scenario.servers.of<redis::Spec>().replicas = replicas;
  scenario.servers.of<redis::Spec>().sentinels = sentinels;
  return scenario;
}

std::vector<std::string> names(const Scenario& scenario) {
  std::vector<std::string> all;
  for (const ProcessSpec& process : processes_of(scenario)) all.push_back(process.name);
  return all;
}

TEST(Topology, HasClientsThenPrimariesThenTheResource) {
  EXPECT_THAT(names(with(2, 0, 0)),
              ElementsAre("client-1", "client-2", "redis-1", "redis-2", "resource"));
}

// They come last, so that a run without them is unchanged.
TEST(Topology, HasWhatBelongsToEachPrimaryBehindTheResource) {
  EXPECT_THAT(names(with(2, 2, 1)),
              ElementsAre("client-1", "client-2", "redis-1", "redis-2", "resource",
                          "redis-1-replica-1", "redis-1-replica-2", "redis-1-sentinel-1",
                          "redis-2-replica-1", "redis-2-replica-2", "redis-2-sentinel-1"));
}

TEST(Topology, TellsWhatEachProcessIsAndToWhomItBelongs) {
  const std::vector<ProcessSpec> all = processes_of(with(2, 1, 1));
  const auto is = [&all](std::string_view name, const ProcessKind& kind, std::uint32_t group) {
    const ProcessSpec* process = find(all, name);
    ASSERT_NE(process, nullptr) << name;
    EXPECT_EQ(process->kind, &kind) << name;
    EXPECT_EQ(process->group, group) << name;
  };
  is("client-2", kClientKind, 0);
  is("redis-2", redis::kPrimaryKind, 1);
  is("resource", kResourceKind, 0);
  is("redis-1-replica-1", redis::kReplicaKind, 0);
  is("redis-2-replica-1", redis::kReplicaKind, 1);
  is("redis-2-sentinel-1", redis::kSentinelKind, 1);
  EXPECT_EQ(find(all, "redis-3"), nullptr);
  EXPECT_EQ(find(all, "redis-1-replica"), nullptr);
}

TEST(Topology, NumbersTheNodesOfAReplicatedResource) {
  Scenario scenario = with(1, 1, 0);
  scenario.servers.resource.nodes = 2;
  EXPECT_THAT(names(scenario), ElementsAre("client-1", "client-2", "redis-1", "resource-1",
                                           "resource-2", "redis-1-replica-1"));
  EXPECT_TRUE(is_resource("resource-2"));
  EXPECT_TRUE(is_resource("resource"));
  EXPECT_FALSE(is_resource("redis-1"));
}

// All of them have copies of one entry, wherever the slot of its key is.
TEST(Topology, PutsTheServersOfARedisClusterIntoOneGroup) {
  Scenario scenario = with(2, 1, 0);
  scenario.servers.of<redis::Spec>().cluster.enabled = true;
  const std::vector<ProcessSpec> all = processes_of(scenario);
  EXPECT_EQ(find(all, "redis-2")->group, 0u);
  EXPECT_EQ(find(all, "redis-2-replica-1")->group, 0u);
}

TEST(Topology, HasALeaseStoreInPlaceOfThePrimariesWhereTheLockLivesOnOne) {
  Scenario scenario = with(1, 0, 0);
  scenario.lock.algorithm = "lease-store-lock";
  EXPECT_THAT(names(scenario), ElementsAre("client-1", "client-2", "store", "resource"));
  const std::vector<ProcessSpec> all = processes_of(scenario);
  EXPECT_EQ(find(all, "store")->kind, &lease_store::kServerKind);
  World world;
  world.set(scenario);
  EXPECT_EQ(world.processes(), names(scenario));
}

TEST(Topology, IsThatOfTheRun) {
  const Scenario scenario = with(2, 1, 3);
  World world;
  world.set(scenario);
  EXPECT_EQ(world.processes(), names(scenario));
}

}  // namespace
}  // namespace picklock::scenarios
