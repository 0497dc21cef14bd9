// The stream that a replica is sent for each command (R30-R32). The expected streams were recorded
// by a raw replica of a real server.
#include <gmock/gmock.h>

#include "models/redis/effects.h"
#include "models/redis/lone_server.h"

namespace picklock::redis::effects_tests {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

// A server and a replica of it that only listens.
class Master {
 public:
  Master() : replica_(server_.connect()) {
    server_("CONFIG", "SET", "repl-diskless-sync", "no");
    send(replica_, {"PSYNC", "?", "-1"});
    server_.pushed(replica_);
  }

  std::string operator()(const Words& words) { return send(*server_.first, words); }
  void pass(sim::Duration time) { server_.pass(time); }
  std::string time_after(std::int64_t ms) const { return std::to_string(server_.clock_ms() + ms); }

  // The stream since the last call, one line for each command.
  Words stream() {
    const std::string bytes = server_.pushed(replica_);
    std::string_view rest = bytes;
    std::vector<std::string_view> argv;
    Words lines;
    while (take_request(rest, argv)) {
      std::string line;
      for (std::string_view word : argv) line.append(line.empty() ? "" : " ").append(word);
      lines.push_back(line);
    }
    EXPECT_EQ(rest, "");
    return lines;
  }
  // The stream of this command, without the leading `SELECT 0`.
  void replicate_relative_expiry() { server_.server.replicate_relative_expiry(true); }
  Words stream_of(const Words& command) {
    stream();
    (*this)(command);
    Words lines = stream();
    if (!lines.empty() && lines.front() == "SELECT 0") lines.erase(lines.begin());
    return lines;
  }

 private:
  std::string send(Session& session, const Words& words) {
    const std::vector<std::string_view> argv(words.begin(), words.end());
    return server_.send(session, argv);
  }

  LoneServer server_;
  Session& replica_;
};

using testing::ElementsAre;
using testing::IsEmpty;

// R30
TEST(Effects, CarryDeadlinesAsInstants) {
  Master master;
  const std::string then = master.time_after(30'000);
  EXPECT_THAT(master.stream_of({"SET", "k", "v", "NX", "PX", "30000"}),
              ElementsAre("SET k v PXAT " + then));
  EXPECT_THAT(master.stream_of({"SET", "k", "v", "EX", "30", "GET"}),
              ElementsAre("SET k v PXAT " + then));
  EXPECT_THAT(master.stream_of({"SETEX", "k", "30", "v"}), ElementsAre("SET k v PXAT " + then));
  EXPECT_THAT(master.stream_of({"PSETEX", "k", "30000", "v"}), ElementsAre("SET k v PXAT " + then));
  EXPECT_THAT(master.stream_of({"PEXPIRE", "k", "30000"}), ElementsAre("PEXPIREAT k " + then));
  EXPECT_THAT(master.stream_of({"EXPIRE", "k", "30", "XX"}),
              ElementsAre("PEXPIREAT k " + then + " XX"));
  EXPECT_THAT(master.stream_of({"GETEX", "k", "PX", "30000"}), ElementsAre("PEXPIREAT k " + then));
  EXPECT_THAT(master.stream_of({"GETEX", "k", "PERSIST"}), ElementsAre("PERSIST k"));
}

// R30
TEST(Effects, OfATimeInThePastAreARemoval) {
  Master master;
  master({"SET", "k", "v"});
  EXPECT_THAT(master.stream_of({"PEXPIRE", "k", "-1"}), ElementsAre("DEL k"));
  master({"SET", "k", "v"});
  EXPECT_THAT(master.stream_of({"GETEX", "k", "PXAT", "1"}), ElementsAre("DEL k"));
  master({"SET", "k", "v"});
  EXPECT_THAT(master.stream_of({"GETDEL", "k"}), ElementsAre("DEL k"));
}

// R30
TEST(Effects, KeepConditionsWhereThereIsNoDeadline) {
  Master master;
  EXPECT_THAT(master.stream_of({"SET", "k", "v", "NX"}), ElementsAre("SET k v NX"));
  EXPECT_THAT(master.stream_of({"SET", "k", "w", "XX", "GET"}), ElementsAre("SET k w XX"));
  EXPECT_THAT(master.stream_of({"SETNX", "n", "v"}), ElementsAre("SETNX n v"));
  EXPECT_THAT(master.stream_of({"GETSET", "k", "x"}), ElementsAre("SET k x"));
  EXPECT_THAT(master.stream_of({"HSET", "h", "f", "v"}), ElementsAre("HSET h f v"));
}

// R31
TEST(Effects, OfWhatChangedNothingAreNothing) {
  Master master;
  master({"SET", "k", "v", "PX", "30000"});
  EXPECT_THAT(master.stream_of({"SET", "k", "w", "NX", "PX", "1"}), IsEmpty());
  EXPECT_THAT(master.stream_of({"DEL", "nothing"}), IsEmpty());
  EXPECT_THAT(master.stream_of({"PEXPIRE", "nothing", "1000"}), IsEmpty());
  EXPECT_THAT(master.stream_of({"GET", "k"}), IsEmpty());
  EXPECT_THAT(master.stream_of({"GETEX", "k"}), IsEmpty());
  EXPECT_THAT(master.stream_of({"EVAL", "return redis.call('get', 'k')", "0"}), IsEmpty());
}

// R31
TEST(Effects, OfAMessageGoToReplicas) {
  Master master;
  EXPECT_THAT(master.stream_of({"PUBLISH", "c", "m"}), ElementsAre("PUBLISH c m"));
}

// R30
TEST(Effects, OfAKeyThatHasDiedAreItsRemoval) {
  Master master;
  master({"SET", "k", "v", "PX", "10"});
  master.pass(11ms);
  EXPECT_THAT(master.stream_of({"GET", "k"}), ElementsAre("DEL k"));
  master({"SET", "k", "v", "PX", "10"});
  master.pass(11ms);
  EXPECT_THAT(master.stream_of({"SET", "k", "w", "NX"}),
              ElementsAre("MULTI", "DEL k", "SET k w NX", "EXEC"));
  master({"SET", "k", "v", "PX", "10"});
  master.pass(11ms);
  EXPECT_THAT(master.stream_of({"DEL", "k"}), ElementsAre("DEL k"));
}

// R32
TEST(Effects, OfAScriptAreWhatItDid) {
  Master master;
  EXPECT_THAT(master.stream_of({"EVAL", "return redis.call('set', 'k', ARGV[1])", "0", "v"}),
              ElementsAre("set k v"));
  EXPECT_THAT(
      master.stream_of(
          {"EVAL", "redis.call('incr', 'n') redis.call('publish', 'c', 'm') return 1", "0"}),
      ElementsAre("MULTI", "incr n", "publish c m", "EXEC"));
}

TEST(Effects, OfATransactionAreOne) {
  Master master;
  master({"MULTI"});
  master({"SET", "a", "1"});
  master({"GET", "a"});
  master({"INCR", "b"});
  EXPECT_THAT(master.stream_of({"EXEC"}), ElementsAre("MULTI", "SET a 1", "INCR b", "EXEC"));
  master({"MULTI"});
  master({"SET", "a", "1"});
  EXPECT_THAT(master.stream_of({"EXEC"}), ElementsAre("SET a 1"));
}

TEST(Effects, NameTheDatabaseWhereItChanges) {
  Master master;
  master({"SET", "k", "v"});
  EXPECT_THAT(master.stream(), ElementsAre("SELECT 0", "SET k v"));
  master({"SELECT", "3"});
  master({"SET", "k", "v"});
  master({"SET", "k", "w"});
  EXPECT_THAT(master.stream(), ElementsAre("SELECT 3", "SET k v", "SET k w"));
}

TEST(Effects, OfMembersTakenByChanceNameThem) {
  Master master;
  master({"SADD", "s", "only"});
  EXPECT_THAT(master.stream_of({"SPOP", "s"}), ElementsAre("SREM s only"));
  master({"SADD", "s", "one", "two"});
  EXPECT_THAT(master.stream_of({"SPOP", "s", "2"}), ElementsAre("DEL s"));
}

// As before 7.0 (https://github.com/redis/redis/pull/8474): the command as it was sent.
TEST(Effects, BearARelativeExpiryToReplicasIfTheServerIsOld) {
  Master master;
  master.replicate_relative_expiry();
  EXPECT_THAT(master.stream_of({"SET", "k", "v", "NX", "PX", "30000"}),
              ElementsAre("SET k v NX PX 30000"));
  EXPECT_THAT(master.stream_of({"PEXPIRE", "k", "20000"}), ElementsAre("PEXPIRE k 20000"));
  const std::string then = master.time_after(20'000);
  EXPECT_THAT(master.stream_of({"PEXPIREAT", "k", then}), ElementsAre("PEXPIREAT k " + then));
  EXPECT_THAT(master.stream_of({"EVAL", "return redis.call('setex', 'k', 30, 'w')", "0"}),
              ElementsAre("setex k 30 w"));
}

}  // namespace
}  // namespace picklock::redis::effects_tests
