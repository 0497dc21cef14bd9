#include "models/redis/taken_keys.h"

#include <gmock/gmock.h>

#include <string>

#include "models/redis/wire.h"

namespace picklock::redis::taken_keys_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> taken(const std::vector<std::string_view>& argv) {
  sim::Payload request;
  write_request(request, argv);
  const std::vector<std::string_view> keys = taken_keys(request.view());
  return {keys.begin(), keys.end()};
}

TEST(TakenKeys, AreThoseOfACommandThatSetsThemOnlyIfTheyAreFree) {
  EXPECT_THAT(taken({"set", "orders", "a", "px", "10000", "nx"}), ElementsAre("orders"));
  EXPECT_THAT(taken({"SETNX", "orders", "a"}), ElementsAre("orders"));
  EXPECT_THAT(taken({"HSETNX", "orders", "owner", "a"}), ElementsAre("orders"));
  EXPECT_THAT(taken({"MSETNX", "orders", "a", "bills", "a"}), ElementsAre("orders", "bills"));
  EXPECT_THAT(taken({"RENAMENX", "mine", "orders"}), ElementsAre("mine", "orders"));
}

TEST(TakenKeys, AreThoseThatAScriptIsGiven) {
  EXPECT_THAT(taken({"EVAL", "return 1", "2", "orders", "queue", "a"}),
              ElementsAre("orders", "queue"));
  EXPECT_THAT(taken({"EVALSHA", "0123", "1", "orders", "a"}), ElementsAre("orders"));
}

TEST(TakenKeys, AreNoneWhereNothingWouldBeRefused) {
  EXPECT_THAT(taken({"SET", "greeting", "nx", "px", "10000"}), IsEmpty());
  EXPECT_THAT(taken({"SET", "greeting"}), IsEmpty());
  EXPECT_THAT(taken({"HSET", "basket", "nx", "1"}), IsEmpty());
  EXPECT_THAT(taken({"RPUSH", "jobs", "one"}), IsEmpty());
  EXPECT_THAT(taken({"EVAL_RO", "return 1", "1", "orders"}), IsEmpty());
  EXPECT_THAT(taken({"NOSUCH", "orders"}), IsEmpty());
  EXPECT_THAT(taken_keys("no request"), IsEmpty());
}

}  // namespace
}  // namespace picklock::redis::taken_keys_tests
