#include "models/redis/sentinel/promotion.h"

#include "testing/redis/fake_world.h"

namespace picklock::redis::promotion_tests {
namespace {

constexpr Milliseconds kNow = 1'000'000;

struct Candidates {
  Sentinel sentinel;
  Instance master;

  Candidates() {
    master.down_after = 1000;
    master.subjectively_down = true;
    master.subjectively_down_since = kNow - 2000;
  }
  Instance& add(std::string_view run_id, std::int64_t priority = 100, std::uint64_t offset = 7) {
    Instance& replica = *master.replicas.emplace_back(std::make_unique<Instance>());
    replica.kind = InstanceKind::replica;
    replica.contact = std::make_shared<Contact>(sentinel, kNow);
    replica.contact->disconnected = false;
    replica.run_id = run_id;
    replica.priority = priority;
    replica.offset = offset;
    replica.info_at = kNow - 1000;
    return replica;
  }
  std::string best() const {
    const Instance* replica = best_for_promotion(master, kNow);
    return replica == nullptr ? "none" : replica->run_id;
  }
};

TEST(Promotion, GoesByPriorityFirst) {
  Candidates all;
  all.add("a", 100, 9);
  all.add("b", 10, 1);
  EXPECT_EQ(all.best(), "b");
}

TEST(Promotion, GoesByOffsetAmongEqualPriorities) {
  Candidates all;
  all.add("a", 100, 8);
  all.add("b", 100, 9);
  EXPECT_EQ(all.best(), "b");
}

TEST(Promotion, GoesByRunIdAmongEqualOffsets) {
  Candidates all;
  all.add("");
  all.add("B");
  all.add("a");
  EXPECT_EQ(all.best(), "a");
}

TEST(Promotion, IsNotForPriorityZero) {
  Candidates all;
  all.add("a", 0);
  EXPECT_EQ(all.best(), "none");
}

TEST(Promotion, IsNotForOneThatIsDownOrDisconnected) {
  Candidates all;
  all.add("a").subjectively_down = true;
  all.add("b").contact->disconnected = true;
  EXPECT_EQ(all.best(), "none");
}

TEST(Promotion, IsNotForOneThatHasNotAnsweredForFiveSeconds) {
  Candidates all;
  Instance& replica = all.add("a");
  replica.contact->last_available_at = kNow - 5000;
  EXPECT_EQ(all.best(), "a");
  --replica.contact->last_available_at;
  EXPECT_EQ(all.best(), "none");
}

TEST(Promotion, IsNotForOneWhoseInfoIsOld) {
  Candidates all;
  Instance& replica = all.add("a");
  replica.info_at = kNow - 5000;
  EXPECT_EQ(all.best(), "a");
  --replica.info_at;
  EXPECT_EQ(all.best(), "none");
  all.master.subjectively_down = false;  // then INFO is requested less often
  EXPECT_EQ(all.best(), "a");
  replica.info_at = kNow - 30001;
  EXPECT_EQ(all.best(), "none");
}

// Ten times down-after, and as long as the master has been down.
TEST(Promotion, IsNotForOneThatLostItsMasterLongBefore) {
  Candidates all;
  Instance& replica = all.add("a");
  replica.link_down_ms = 12'000;
  EXPECT_EQ(all.best(), "a");
  ++replica.link_down_ms;
  EXPECT_EQ(all.best(), "none");
}

TEST(Promotion, IsForTheReplicaWithTheLargestOffset) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FakeWorld world({.seed = seed, .servers = 4});
    world.server(3).offset = 2000;
    world.at(30s, [&] { world.kill(world.server(1)); });
    world.run(33s + 2s);
    EXPECT_EQ(FakeWorld::count(*world.leader(), "+selected-slave slave 10.0.0.3:6379"), 1u);
  }
}

}  // namespace
}  // namespace picklock::redis::promotion_tests
