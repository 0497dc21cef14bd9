// A resource on three nodes: epochs that a majority has promised, and the recovery of the log.
#include <gmock/gmock.h>

#include "models/resource/resource.h"
#include "testing/small_world.h"

namespace picklock::models::replicated_tests {
namespace {

using namespace std::chrono_literals;
using history::What;
using testing::ElementsAre;

TEST(ReplicatedLog, IsReadAsItWasWritten) {
  const Log log = {{.operation = 1, .value = 41}, {.operation = 2, .reads = true}};
  const Promised promised =
      replicated::read_promised(replicated::promised({.log_epoch = 7, .high = 1, .log = log}));
  EXPECT_EQ(promised.log_epoch, 7);
  EXPECT_EQ(promised.high, 1u);
  ASSERT_EQ(promised.log.size(), 2u);
  EXPECT_EQ(promised.log[0].value, 41);
  EXPECT_TRUE(promised.log[1].reads);
  EXPECT_EQ(replicated::store(8, 1, 2, log), "STORE 8 AFTER 1 HIGH 2 LOG 2=read");
  const Stored stored = replicated::read_store("STORE 8 AFTER 1 HIGH 2 LOG 2=read");
  EXPECT_EQ(stored.epoch, 8);
  EXPECT_EQ(stored.after, 1u);
  EXPECT_EQ(stored.high, 2u);
  EXPECT_EQ(stored.log.size(), 1u);
  EXPECT_TRUE(replicated::read_promised("PROMISED 0 HIGH 0 LOG").log.empty());
}

SmallWorld::Setup on_three_nodes(ResourceRules rules = {.fenced_by = FencedBy::tokens}) {
  return {.clients = 3, .resource = rules, .resource_nodes = 3};
}

sim::Fault at(sim::Instant when, sim::Verb verb, std::string target) {
  sim::Fault fault;
  fault.verb = verb;
  fault.target = std::move(target);
  fault.trigger.at = when;
  return fault;
}

sim::Fault cut(std::string target, std::vector<std::string> from, sim::Instant when = {}) {
  sim::Fault fault = at(when, sim::Verb::partition, std::move(target));
  fault.from = std::move(from);
  return fault;
}

// The operations that the resource has accepted and rejected: "write accepted 2 of 1" made version
// 2 and is of tenure 1.
std::vector<std::string> at_resource(const SmallWorld& world) {
  std::vector<std::string> lines;
  for (const history::HistoryEvent& event : world.history()) {
    if (!history::is_at_resource(event.what)) continue;
    lines.push_back(std::string(history::name(event.what)) + " " + std::to_string(event.version) +
                    " of " + std::to_string(event.tenure));
  }
  return lines;
}

TEST(ReplicatedResource, RefusesAWriterOnceAMajorityHasPromisedANewerEpoch) {
  SmallWorld world{on_three_nodes()};
  std::vector<Written> outcomes;
  world.client(1, [&](SmallWorld& all, Client& self) {
    outcomes.push_back(all.machines[0].resource().write(1, {.token = 1}));
    self.sleep(2s);
    outcomes.push_back(all.machines[0].resource().write(2, {.token = 1}));
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1s);
    outcomes.push_back(all.machines[1].resource().announce({.token = 2}));
  });
  world.run();
  EXPECT_THAT(outcomes, ElementsAre(Written::accepted, Written::accepted, Written::rejected));
  EXPECT_THAT(at_resource(world), ElementsAre("token announced 1 of 1", "write accepted 2 of 1",
                                              "token announced 2 of 2", "write rejected 2 of 1"));
}

TEST(ReplicatedResource, ShowsWhatAFormerWriterHasWritten) {
  SmallWorld world{on_three_nodes()};
  world.client(1, [&](SmallWorld& all, Client&) {
    all.machines[0].resource().write(7, {.token = 1});
    all.machines[0].resource().write(8, {.token = 1});
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1s);
    ResourceClient& resource = all.machines[1].resource();
    Seen seen = *resource.read({.token = 2});
    EXPECT_EQ(seen.version, 3u);
    EXPECT_EQ(seen.value, 8);
    EXPECT_EQ(resource.update(WriteMode::if_version, 9, seen, {.token = 2}), Written::accepted);
    Seen old{.version = 3};
    EXPECT_EQ(resource.update(WriteMode::if_version, 9, old, {.token = 2}), Written::rejected);
  });
  world.run();
}

TEST(ReplicatedResource, HasNoOperationWithoutAMajority) {
  SmallWorld world{on_three_nodes()};
  Written outcome = Written::accepted;
  world.client(1, [&](SmallWorld& all, Client&) {
    outcome = all.machines[0].resource().write(1, {.token = 1});
    EXPECT_FALSE(all.machines[0].resource().read({.token = 1}));
  });
  world.run({cut("client-1", {"resource-2", "resource-3"})});
  EXPECT_EQ(outcome, Written::unknown);
  EXPECT_THAT(at_resource(world), ElementsAre());
}

TEST(ReplicatedResource, GoesOnWithoutOneNodeAndBringsItUpToDate) {
  SmallWorld world{on_three_nodes()};
  world.client(1, [&](SmallWorld& all, Client& self) {
    ResourceClient& resource = all.machines[0].resource();
    EXPECT_EQ(resource.write(1, {.token = 1}), Written::accepted);
    self.sleep(4s);
    EXPECT_EQ(resource.write(2, {.token = 1}), Written::accepted);
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(8s);
    EXPECT_EQ(all.machines[1].resource().read({.token = 2})->version, 3u);
  });
  sim::Fault once = cut("resource-3", {"client-1"});
  once.lasts = 2s;
  world.run({once, cut("client-2", {"resource-1"})});
}

// A write whose fate its writer does not know takes effect with the log that has it.
TEST(ReplicatedResource, AcceptsAnUnknownWriteWhenANewWriterRecoversIt) {
  SmallWorld world{on_three_nodes()};
  std::vector<Written> outcomes;
  world.client(1, [&](SmallWorld& all, Client& self) {
    outcomes.push_back(all.machines[0].resource().write(1, {.token = 1}));
    self.sleep(1s);
    outcomes.push_back(all.machines[0].resource().write(2, {.token = 1}));
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(8s);
    all.machines[1].resource().write(3, {.token = 2});
  });
  world.run({cut("client-1", {"resource-2", "resource-3"}, sim::kStart + 500ms),
             cut("client-2", {"resource-3"})});
  EXPECT_THAT(outcomes, ElementsAre(Written::accepted, Written::unknown));
  EXPECT_THAT(at_resource(world), ElementsAre("token announced 1 of 1", "write accepted 2 of 1",
                                              "write accepted 3 of 1", "token announced 3 of 2",
                                              "write accepted 4 of 2"));
}

TEST(ReplicatedResource, PromisesOneEpochToOneClientOnly) {
  SmallWorld world{on_three_nodes()};
  world.client(1, [&](SmallWorld& all, Client&) {
    EXPECT_EQ(all.machines[0].resource().write(1, {.token = 5}), Written::accepted);
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1s);
    EXPECT_EQ(all.machines[1].resource().write(1, {.token = 5}), Written::rejected);
  });
  world.run();
}

TEST(ReplicatedResource, TakesTheOrderOfGrantsAsEpochWithIdealFencing) {
  SmallWorld world{on_three_nodes({.fenced_by = FencedBy::order_of_grants})};
  std::vector<Written> outcomes;
  world.client(1, [&](SmallWorld& all, Client& self) {
    redis::server(self).set("lock", "a", {.nx = true, .px = 500ms});
    outcomes.push_back(all.machines[0].resource().write(1));
    self.sleep(2s);
    outcomes.push_back(all.machines[0].resource().write(2));
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1s);
    redis::server(self).set("lock", "b", {.nx = true});
    outcomes.push_back(all.machines[1].resource().write(1));
  });
  world.run();
  EXPECT_THAT(outcomes, ElementsAre(Written::accepted, Written::accepted, Written::rejected));
}

// The promise of client-2's epoch is on the nodes 1 and 2. Then node 2 restarts, and client-1
// writes to the nodes 2 and 3.
Written old_write_after(bool forced, sim::Keeps keeps) {
  SmallWorld world{
      on_three_nodes({.fenced_by = FencedBy::tokens, .nodes = {.force_promises = forced}})};
  Written outcome = Written::unknown;
  world.client(1, [&](SmallWorld& all, Client& self) {
    all.machines[0].resource().write(1, {.token = 1});
    self.sleep(3s);
    outcome = all.machines[0].resource().write(2, {.token = 1});
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1s);
    all.play(Role::write);
    all.machines[1].resource().announce({.token = 2});
  });
  sim::Fault pause = at({}, sim::Verb::pause, "client-2");
  pause.trigger = {.role = Role::write, .phase = sim::Phase::sent, .nth = 4, .by = "client-2"};
  pause.lasts = 10s;
  sim::Fault restart = at(sim::kStart + 2s, sim::Verb::restart, "resource-2");
  restart.keeps = keeps;
  world.run({cut("client-2", {"resource-3"}), pause, restart});
  return outcome;
}

TEST(ReplicatedResource, KeepsAPromiseThroughALossOfPowerOnlyIfItWasForced) {
  EXPECT_EQ(old_write_after(true, sim::Keeps::fsynced), Written::rejected);
  EXPECT_EQ(old_write_after(false, sim::Keeps::fsynced), Written::accepted);
  EXPECT_EQ(old_write_after(false, sim::Keeps::all), Written::rejected);
  EXPECT_EQ(old_write_after(true, sim::Keeps::none), Written::accepted);
}

// Two acknowledged writes are on the nodes 1 and 2; node 2 restarts; client-2 recovers from the
// nodes 2 and 3.
std::uint32_t recovered_after_restart(RestartedLog restarted) {
  SmallWorld world{
      on_three_nodes({.fenced_by = FencedBy::tokens, .nodes = {.restarted_log = restarted}})};
  std::uint32_t version = 0;
  world.client(1, [&](SmallWorld& all, Client&) {
    for (const std::uint32_t number : {1u, 2u})
      EXPECT_EQ(all.machines[0].resource().write(number, {.token = 1}), Written::accepted);
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(4s);
    version = all.machines[1].resource().read({.token = 2})->version;
  });
  sim::Fault restart = at(sim::kStart + 3s, sim::Verb::restart, "resource-2");
  restart.keeps = sim::Keeps::all;
  world.run({cut("client-1", {"resource-3"}), cut("client-2", {"resource-1"}), restart});
  return version;
}

TEST(ReplicatedResource, LosesItsLastWriteIfARestartedNodeCutsItsLogAtTheHighWatermark) {
  EXPECT_EQ(recovered_after_restart(RestartedLog::whole), 3u);
  EXPECT_EQ(recovered_after_restart(RestartedLog::high_watermark), 2u);
}

// Client-1's four writes are on node 1 alone; client-2's two are on the nodes 2 and 3; client-3
// recovers from the nodes 1 and 2.
Seen recovered(RecoverBy by) {
  SmallWorld world{on_three_nodes({.fenced_by = FencedBy::tokens, .recover_by = by})};
  Seen seen;
  world.client(1, [&](SmallWorld& all, Client& self) {
    all.machines[0].resource().announce({.token = 1});
    self.sleep(1s);
    for (const std::uint32_t number : {1u, 2u, 3u, 4u})
      all.machines[0].resource().write(number, {.token = 1});
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(20s);
    for (const std::uint32_t number : {11u, 12u})
      EXPECT_EQ(all.machines[1].resource().write(number, {.token = 2}), Written::accepted);
  });
  world.client(3, [&](SmallWorld& all, Client& self) {
    self.sleep(40s);
    seen = *all.machines[2].resource().read({.token = 3});
  });
  world.run({cut("client-1", {"resource-2", "resource-3"}, sim::kStart + 500ms),
             cut("client-2", {"resource-1"}), cut("client-3", {"resource-3"})});
  return seen;
}

TEST(ReplicatedResource, RecoversTheLogOfTheLatestWriterOrTheLongest) {
  EXPECT_EQ(recovered(RecoverBy::epoch).value, 12);
  EXPECT_EQ(recovered(RecoverBy::epoch).version, 3u);
  EXPECT_EQ(recovered(RecoverBy::length).value, 4);
  EXPECT_EQ(recovered(RecoverBy::length).version, 5u);
}

}  // namespace
}  // namespace picklock::models::replicated_tests
