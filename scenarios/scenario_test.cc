#include "scenarios/scenario.h"

#include <gmock/gmock.h>

#include "models/redis/spec.h"
#include "scenarios/world.h"

namespace picklock::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ConfigLine, IsAParameterAndItsValue) {
  EXPECT_THAT(redis::config_line("min-replicas-to-write 1"), Pair("min-replicas-to-write", "1"));
  EXPECT_THAT(redis::config_line("  maxmemory   100mb"), Pair("maxmemory", "100mb"));
  EXPECT_THAT(redis::config_line("save 3600 1 300 100"), Pair("save", "3600 1 300 100"));
}

TEST(ConfigLine, HasNoQuotesAroundItsValue) {
  EXPECT_THAT(redis::config_line("save \"\""), Pair("save", ""));
  EXPECT_THAT(redis::config_line("save \"60 1\""), Pair("save", "60 1"));
  EXPECT_THAT(redis::config_line("save \""), Pair("save", "\""));
}

TEST(ConfigLine, MayLackItsValueOrBeEmpty) {
  EXPECT_THAT(redis::config_line("save"), Pair("save", ""));
  EXPECT_THAT(redis::config_line("save  "), Pair("save", ""));
  EXPECT_THAT(redis::config_line(""), Pair("", ""));
  EXPECT_THAT(redis::config_line("  "), Pair("", ""));
}

redis::Spec configured(std::vector<std::string> all, std::vector<std::string> of_second = {}) {
  redis::Spec redis;
  redis.masters = 2;
  redis.config = std::move(all);
  redis::NodeSpec node;
  node.name = "redis-2";
  node.config = std::move(of_second);
  redis.nodes = {node};
  return redis;
}

TEST(ConfigOf, HasTheLinesOfAllAndThoseOfTheServer) {
  const redis::Spec redis = configured({"appendonly yes"}, {"maxmemory 1mb"});
  EXPECT_THAT(redis::config_of(redis, "redis-1"), ElementsAre("appendonly", "yes"));
  EXPECT_THAT(redis::config_of(redis, "redis-2"),
              ElementsAre("appendonly", "yes", "maxmemory", "1mb"));
  EXPECT_THAT(redis::config_of(redis::Spec{}, "redis-1"), IsEmpty());
}

// A server is told each parameter once: it would refuse to be told twice.
TEST(ConfigOf, HasWhatTheServersOwnLineSaysInPlaceOfTheOther) {
  const redis::Spec redis = configured({"appendonly yes", "maxmemory 1mb"}, {"appendonly no"});
  EXPECT_THAT(redis::config_of(redis, "redis-2"),
              ElementsAre("maxmemory", "1mb", "appendonly", "no"));
}

TEST(ConfigOf, IsWhatARunStartsWith) {
  Scenario scenario;
  scenario.lock.algorithm = "lua-check-delete";
  scenario.servers.of<redis::Spec>() = configured({"appendonly yes"}, {"appendonly no"});
  World world;
  world.set(scenario);
  EXPECT_NO_THROW(world.run(1));
}

bool second_persists(std::vector<std::string> all, std::vector<std::string> of_second = {}) {
  return redis::persists(configured(std::move(all), std::move(of_second)), "redis-2");
}

TEST(Persists, WhoHasALogOrSnapshots) {
  EXPECT_FALSE(second_persists({}));
  EXPECT_TRUE(second_persists({"appendonly yes"}));
  EXPECT_TRUE(second_persists({"appendonly YES"}));
  EXPECT_FALSE(second_persists({"appendonly no"}));
  EXPECT_TRUE(second_persists({"save 60 1"}));
  EXPECT_FALSE(second_persists({"save \"\""}));
  EXPECT_FALSE(second_persists({"appendfsync always"}));
}

TEST(Persists, WhomItsOwnLinesMakeTo) {
  EXPECT_TRUE(second_persists({"appendonly no"}, {"appendonly yes"}));
  EXPECT_FALSE(second_persists({"appendonly yes"}, {"appendonly no"}));
  EXPECT_TRUE(second_persists({"appendonly yes", "save 60 1"}, {"appendonly no"}));
  EXPECT_FALSE(second_persists({"save 60 1"}, {"save \"\""}));
}

TEST(Persists, NobodyByTheLinesOfAnother) {
  const redis::Spec redis = configured({}, {"appendonly yes"});
  EXPECT_FALSE(redis::persists(redis, "redis-1"));
  EXPECT_FALSE(redis::persists(redis, "redis-2-replica-1"));
}

}  // namespace
}  // namespace picklock::scenarios
