// The release script of one of the notes that the project started from, unchanged, with the answers
// of a real server (docs/facts/fidelity.md R118).
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "models/redis/lone_server.h"

namespace picklock::redis::seed_script_tests {
namespace {

std::string seed_script() {
  std::ifstream file("models/redis/testdata/seed-unlock.lua");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// KEYS: the lock and its channel; ARGV: the message, the lease in milliseconds, the owner.
class SeedScript : public testing::Test {
 protected:
  std::string release(const std::string& owner) {
    return server_("EVAL", seed_script(), "2", "lock", "channel", "0", "30000", owner);
  }

  LoneServer server_;
};

TEST_F(SeedScript, AnswersNilToWhoIsNotTheOwner) {
  server_("HSET", "lock", "owner-1", "1");
  EXPECT_EQ(release("owner-2"), "$-1\r\n");
  EXPECT_EQ(server_("HGET", "lock", "owner-1"), "$1\r\n1\r\n");
}

TEST_F(SeedScript, AnswersNilWhereThereIsNoLock) { EXPECT_EQ(release("owner-1"), "$-1\r\n"); }

TEST_F(SeedScript, CountsDownAndResetsTheTtlWhileTheLockIsHeldTwice) {
  server_("HSET", "lock", "owner-1", "2");
  server_("PEXPIRE", "lock", "1000");
  EXPECT_EQ(release("owner-1"), ":0\r\n");
  EXPECT_EQ(server_("HGET", "lock", "owner-1"), "$1\r\n1\r\n");
  EXPECT_EQ(server_("PTTL", "lock"), ":30000\r\n");
}

TEST_F(SeedScript, DeletesTheLockAndPublishesWhenTheCountIsDown) {
  server_("HSET", "lock", "owner-1", "1");
  Session& waiter = server_.connect();
  const std::string_view subscribe[] = {"SUBSCRIBE", "channel"};
  server_.send(waiter, subscribe);
  EXPECT_EQ(release("owner-1"), ":1\r\n");
  EXPECT_EQ(server_("EXISTS", "lock"), ":0\r\n");
  EXPECT_EQ(LoneServer::pushed(waiter), "*3\r\n$7\r\nmessage\r\n$7\r\nchannel\r\n$1\r\n0\r\n");
}

// docs/facts/failures.md A-27: the same note acquires the lock by SET.
TEST_F(SeedScript, FailsOnTheStringThatSetMakes) {
  server_("SET", "lock", "owner-1", "NX", "EX", "10");
  EXPECT_THAT(release("owner-1"), testing::StartsWith("-WRONGTYPE Operation against a key holding "
                                                      "the wrong kind of value"));
  EXPECT_EQ(server_("GET", "lock"), "$7\r\nowner-1\r\n");
}

}  // namespace
}  // namespace picklock::redis::seed_script_tests
