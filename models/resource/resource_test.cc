#include "models/resource/resource.h"

#include <gmock/gmock.h>

#include "testing/small_world.h"

namespace picklock::models::resource_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Client 1 is granted first, then client 2; client 1 writes, 2 writes, 1 writes again.
std::vector<Written> older_writes_after_newer(FencedBy fencing) {
  SmallWorld world{SmallWorld::Setup{.clients = 2, .resource = {fencing}}};
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
  return outcomes;
}

TEST(Resource, WithoutFencingAcceptsWhatItIsSent) {
  EXPECT_THAT(older_writes_after_newer(FencedBy::nothing),
              ElementsAre(Written::accepted, Written::accepted, Written::accepted));
}

// docs/facts/failures.md B-11
TEST(Resource, RejectsWhatIsSentToALogThatHasBeenClosed) {
  SmallWorld world{SmallWorld::Setup{.resource = {FencedBy::revocation}}};
  std::vector<Written> outcomes;
  world.client(1, [&](SmallWorld& all, Client&) {
    ResourceClient& resource = all.machines[0].resource();
    outcomes.push_back(resource.write(1, {.log = "server-1"}));
    EXPECT_TRUE(resource.close("server-1"));
    for (const std::string_view log : {"server-1", "server-2"})
      outcomes.push_back(resource.write(2, {.log = log}));
    outcomes.push_back(resource.write(3));
  });
  world.run();
  EXPECT_THAT(outcomes, ElementsAre(Written::accepted, Written::rejected, Written::accepted,
                                    Written::accepted));
}

TEST(Resource, WithIdealFencingRejectsAnOlderGrantAfterANewer) {
  EXPECT_THAT(older_writes_after_newer(FencedBy::order_of_grants),
              ElementsAre(Written::accepted, Written::accepted, Written::rejected));
}

TEST(Resource, WithIdealFencingAcceptsTheSameGrantAgain) {
  SmallWorld world{SmallWorld::Setup{.resource = {FencedBy::order_of_grants}}};
  std::vector<Written> outcomes;
  world.client(1, [&](SmallWorld& all, Client& self) {
    redis::server(self).set("lock", "a");
    for (int i = 0; i < 2; ++i) outcomes.push_back(all.machines[0].resource().write(1));
  });
  world.run();
  EXPECT_THAT(outcomes, ElementsAre(Written::accepted, Written::accepted));
}

// Writes with these tokens, one after the other.
std::vector<Written> writes_with_tokens(std::initializer_list<std::int64_t> tokens) {
  SmallWorld world{SmallWorld::Setup{.resource = {FencedBy::tokens}}};
  std::vector<Written> outcomes;
  world.client(1, [&](SmallWorld& all, Client&) {
    for (const std::int64_t token : tokens)
      outcomes.push_back(all.machines[0].resource().write(1, {.token = token}));
  });
  world.run();
  return outcomes;
}

TEST(Resource, WithTokensRejectsWhatIsBelowTheLargestItHasSeen) {
  EXPECT_THAT(writes_with_tokens({7, 7, 12, 9, 12}),
              ElementsAre(Written::accepted, Written::accepted, Written::accepted,
                          Written::rejected, Written::accepted));
}

TEST(Resource, WithTokensRejectsAWriteWithoutOneOnceItHasSeenOne) {
  EXPECT_THAT(writes_with_tokens({0, 1, 0}),
              ElementsAre(Written::accepted, Written::accepted, Written::rejected));
}

constexpr ResourceRules kVersioned{.versioned = true};

TEST(Resource, IsReadWithAVersionThatGrowsWithEachWrite) {
  SmallWorld world{SmallWorld::Setup{.resource = kVersioned}};
  world.client(1, [](SmallWorld& all, Client&) {
    ResourceClient& resource = all.machines[0].resource();
    Seen seen = *resource.read({});
    EXPECT_EQ(seen.version, 1u);
    EXPECT_EQ(seen.value, 0);
    EXPECT_EQ(resource.update(WriteMode::based_on_read, 7, seen, {}), Written::accepted);
    EXPECT_EQ(seen.version, 2u);
    EXPECT_EQ(resource.read({})->value, 7);
  });
  world.run();
  const history::History& history = world.history();
  const history::HistoryEvent& write = history[history.size() - 2];
  EXPECT_EQ(write.what, history::What::write_accepted);
  EXPECT_EQ(write.version, 2u);
  EXPECT_EQ(write.base, 1u);
  EXPECT_EQ(history.back().what, history::What::read_accepted);
  EXPECT_EQ(history.back().version, 2u);
}

TEST(Resource, RejectsAConditionalWriteOnceTheVersionHasMoved) {
  SmallWorld world{SmallWorld::Setup{.resource = kVersioned}};
  world.client(1, [](SmallWorld& all, Client&) {
    ResourceClient& resource = all.machines[0].resource();
    Seen old = *resource.read({});
    Seen seen = old;
    EXPECT_EQ(resource.update(WriteMode::if_version, 1, seen, {}), Written::accepted);
    EXPECT_EQ(resource.update(WriteMode::if_version, 1, old, {}), Written::rejected);
    EXPECT_EQ(old.version, 1u);
    EXPECT_EQ(resource.update(WriteMode::based_on_read, 1, old, {}), Written::accepted);
  });
  world.run();
  const history::HistoryEvent& rejected = *(world.history().end() - 2);
  EXPECT_EQ(rejected.what, history::What::write_rejected);
  EXPECT_EQ(rejected.cause, history::Cause::version);
  EXPECT_EQ(rejected.version, 2u);
  EXPECT_EQ(rejected.base, 1u);
}

TEST(Resource, RejectsAReadWhereItChecksThem) {
  SmallWorld world{SmallWorld::Setup{
      .resource = {.fenced_by = FencedBy::tokens, .checks = Checks::accesses, .versioned = true}}};
  world.client(1, [](SmallWorld& all, Client&) {
    ResourceClient& resource = all.machines[0].resource();
    EXPECT_EQ(resource.announce({.token = 2}), Written::accepted);
    EXPECT_TRUE(resource.read({.token = 2}).has_value());
    EXPECT_FALSE(resource.read({.token = 1}).has_value());
    EXPECT_EQ(resource.announce({.token = 1}), Written::rejected);
  });
  world.run();
  std::vector<history::What> what;
  for (const history::HistoryEvent& event : world.history()) what.push_back(event.what);
  EXPECT_THAT(what,
              testing::IsSupersetOf({history::What::token_announced, history::What::read_accepted,
                                     history::What::read_rejected, history::What::token_rejected}));
}

TEST(Resource, ComparesTheTokensOfOwnersAsTexts) {
  SmallWorld world{SmallWorld::Setup{
      .resource = {.fenced_by = FencedBy::owner_tokens, .checks = Checks::announced}}};
  std::vector<Written> outcomes;
  world.client(1, [&](SmallWorld& all, Client&) {
    ResourceClient& resource = all.machines[0].resource();
    outcomes.push_back(resource.announce({.owner = "f00"}));
    for (const std::string_view owner : {"f00", "f01"})
      outcomes.push_back(resource.write(1, {.owner = owner}));
  });
  world.run();
  EXPECT_THAT(outcomes, ElementsAre(Written::accepted, Written::accepted, Written::rejected));
}

TEST(Resource, TellsTheHistoryWhoWrote) {
  SmallWorld world;
  world.client(1, [](SmallWorld& all, Client&) {
    all.play(Role::write);
    all.machines[0].resource().write(1);
  });
  world.run();
  const history::HistoryEvent& write = world.history().back();
  EXPECT_EQ(write.what, history::What::write_accepted);
  EXPECT_EQ(write.tenure, 1u);
  EXPECT_EQ(write.peer, 0u);
  EXPECT_EQ(write.role, Role::write);
}

TEST(Resource, LeavesAWriteWithoutAnswerUnknown) {
  SmallWorld world;
  Written outcome{};
  world.client(1, [&](SmallWorld& all, Client&) { outcome = all.machines[0].resource().write(1); });
  world.run({fault_at(0s, sim::Verb::partition, "resource", 20s)});
  EXPECT_EQ(outcome, Written::unknown);
}

}  // namespace
}  // namespace picklock::models::resource_tests
