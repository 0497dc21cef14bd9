#include "models/resource/resource.h"

#include <gmock/gmock.h>

#include "testing/small_world.h"

namespace picklock::models::resource_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Client 1 is granted first, then client 2; client 1 writes, 2 writes, 1 writes again.
std::vector<Written> older_writes_after_newer(FencedBy fencing) {
  SmallWorld world{SmallWorld::Setup{.clients = 2, .fencing = fencing}};
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
  SmallWorld world{SmallWorld::Setup{.fencing = FencedBy::revocation}};
  std::vector<Written> outcomes;
  world.client(1, [&](SmallWorld& all, Client&) {
    ResourceClient& resource = all.machines[0].resource();
    outcomes.push_back(resource.write(1, 0, "server-1"));
    EXPECT_TRUE(resource.close("server-1"));
    for (const std::string_view log : {"server-1", "server-2"})
      outcomes.push_back(resource.write(2, 0, log));
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
  SmallWorld world{SmallWorld::Setup{.fencing = FencedBy::order_of_grants}};
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
  SmallWorld world{SmallWorld::Setup{.fencing = FencedBy::tokens}};
  std::vector<Written> outcomes;
  world.client(1, [&](SmallWorld& all, Client&) {
    for (const std::int64_t token : tokens)
      outcomes.push_back(all.machines[0].resource().write(1, token));
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
