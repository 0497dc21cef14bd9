#include "models/redis/replication.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "models/servers/verbs.h"
#include "testing/redis/replicated_servers.h"

namespace picklock::redis::replication_tests {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

// R40
TEST(Replication, AnswersBeforeAnyReplicaHasTheWrite) {
  ReplicatedServers redis;
  std::string here, there, later;
  redis.at(1s, [&] {
    here = redis.say(1, "SET", "lock", "a", "NX");
    there = redis.say(2, "GET", "lock");
  });
  redis.at(1010ms, [&] { later = redis.say(2, "GET", "lock"); });
  redis.run(2s);
  EXPECT_EQ(here, "+OK\r\n");
  EXPECT_EQ(there, "$-1\r\n");
  EXPECT_EQ(later, "$1\r\na\r\n");
}

// R119
TEST(Replication, SendsTheEvictionOfAKey) {
  ReplicatedServers redis;
  std::string before, after;
  redis.at(1s, [&] { redis.say(1, "SET", "lock", "a"); });
  redis.at(2s, [&] {
    before = redis.say(2, "GET", "lock");
    const sim::Fault evict{.verb = models::kEvict, .target = "redis-1"};
    sim::Strike::Findings findings;
    redis.server(1).strike(
        {.fault = evict, .target = redis.process(1), .to = nullptr, .findings = findings});
    EXPECT_TRUE(findings.any);
  });
  redis.at(3s, [&] { after = redis.say(2, "GET", "lock"); });
  redis.run(4s);
  EXPECT_EQ(before, "$1\r\na\r\n");
  EXPECT_EQ(after, "$-1\r\n");
}

// R41, R42: data that the master has sent arrive even if it is dead by then and the replica was
// stopped.
TEST(Replication, OutlivesTheProcessThatHasSent) {
  for (const bool stopped : {false, true}) {
    ReplicatedServers redis;
    redis.at(1s, [&] {
      if (stopped) redis.simulation.scheduler.processes().pause(redis.process(2));
      EXPECT_EQ(redis.say(1, "SET", "lock", "a", "NX"), "+OK\r\n");
      redis.kill(1);
    });
    redis.at(2s, [&] {
      if (stopped) redis.simulation.scheduler.processes().resume(redis.process(2));
    });
    redis.at(3s, [&] {
      EXPECT_EQ(redis.field(2, "master_link_status"), "down");
      EXPECT_EQ(redis.say(2, "GET", "lock"), "$1\r\na\r\n");
    });
    redis.run(4s);
  }
}

// R40: if its link is cut and the master's machine stops, the replica never gets the lock.
TEST(Replication, LosesWhatWasNotSentWithTheMaster) {
  ReplicatedServers redis;
  redis.at(1s, [&] {
    redis.simulation.scheduler.processes().pause(redis.process(2));
    EXPECT_EQ(redis.say(1, "CLIENT", "KILL", "TYPE", "replica"), ":1\r\n");
    EXPECT_EQ(redis.say(1, "SET", "lock", "a", "NX"), "+OK\r\n");
    redis.kill(1);
    redis.simulation.scheduler.processes().resume(redis.process(2));
  });
  redis.at(2s, [&] {
    EXPECT_EQ(redis.say(2, "REPLICAOF", "NO", "ONE"), "+OK\r\n");
    EXPECT_EQ(redis.say(2, "SET", "lock", "b", "NX"), "+OK\r\n");
  });
  redis.run(3s);
}

// R33
TEST(Replication, ReplicaHidesADeadKeyAndKeepsIt) {
  ReplicatedServers redis({.clock_offsets = {0s, 5s}});
  redis.at(1s, [&] { redis.say(1, "SET", "lock", "a", "PX", "3000"); });
  redis.at(1100ms, [&] {
    EXPECT_EQ(redis.say(2, "GET", "lock"), "$-1\r\n");
    EXPECT_EQ(redis.say(2, "EXISTS", "lock"), ":0\r\n");
    EXPECT_EQ(redis.say(2, "PTTL", "lock"), ":-2\r\n");
    EXPECT_EQ(redis.say(2, "TYPE", "lock"), "+none\r\n");
    EXPECT_EQ(redis.say(2, "KEYS", "*"), "*0\r\n");
    EXPECT_EQ(redis.say(2, "DBSIZE"), ":1\r\n");
    EXPECT_EQ(redis.say(1, "GET", "lock"), "$1\r\na\r\n");
  });
  redis.at(4s, [&] { EXPECT_EQ(redis.say(2, "DBSIZE"), ":1\r\n"); });
  redis.at(4300ms, [&] { EXPECT_EQ(redis.say(2, "DBSIZE"), ":0\r\n"); });  // the master's DEL
  redis.run(5s);
}

// R34
TEST(Replication, PromotionKeepsDeadlinesToTheMillisecond) {
  ReplicatedServers redis;
  std::string before, after;
  redis.at(1s, [&] {
    redis.say(1, "SET", "lock", "a", "PX", "30000");
    before = redis.say(1, "PEXPIRETIME", "lock");
  });
  redis.at(2s, [&] {
    EXPECT_EQ(redis.say(2, "REPLICAOF", "NO", "ONE"), "+OK\r\n");
    after = redis.say(2, "PEXPIRETIME", "lock");
  });
  redis.run(3s);
  EXPECT_EQ(before, after);
}

// R34
TEST(Replication, PromotedServerRemovesDeadKeysWithinACycle) {
  ReplicatedServers redis({.clock_offsets = {0s, 5s}});
  redis.at(1s, [&] { redis.say(1, "SET", "lock", "a", "PX", "3000"); });
  redis.at(2s, [&] {
    redis.say(2, "REPLICAOF", "NO", "ONE");
    EXPECT_EQ(redis.say(2, "DBSIZE"), ":1\r\n");
  });
  redis.at(2101ms, [&] { EXPECT_EQ(redis.say(2, "DBSIZE"), ":0\r\n"); });
  redis.run(3s);
}

// R35
TEST(Replication, ClockOffsetDecidesHowLongALockOutlivesAPromotion) {
  for (const auto& [offset, free] : {std::pair(5s, true), std::pair(-5s, false)}) {
    ReplicatedServers redis({.clock_offsets = {0s, offset}});
    std::string second, left;
    redis.at(1s, [&] { redis.say(1, "SET", "lock", "a", "PX", "3000"); });
    redis.at(1100ms, [&] {
      redis.say(2, "REPLICAOF", "NO", "ONE");
      second = redis.say(2, "SET", "lock", "b", "NX", "PX", "3000");
      left = redis.say(2, "PTTL", "lock");
    });
    redis.run(2s);
    EXPECT_EQ(second, free ? "+OK\r\n" : "$-1\r\n");
    EXPECT_EQ(left, free ? ":3000\r\n" : ":7900\r\n");
  }
}

// R49
TEST(Replication, ReplicaRefusesWritesAndAllowsMessages) {
  ReplicatedServers redis;
  redis.at(1s, [&] {
    EXPECT_EQ(redis.say(2, "SET", "k", "v"),
              "-READONLY You can't write against a read only replica.\r\n");
    EXPECT_EQ(redis.say(2, "DEL", "k"),
              "-READONLY You can't write against a read only replica.\r\n");
    EXPECT_THAT(redis.say(2, "EVAL", "return redis.call('set', 'k', 'v')", "0"),
                HasSubstr("READONLY You can't write against a read only replica. script: "));
    EXPECT_EQ(redis.say(2, "EVAL", "return redis.call('get', 'k')", "0"), "$-1\r\n");
    EXPECT_EQ(redis.say(2, "PUBLISH", "c", "m"), ":0\r\n");
  });
  redis.run(2s);
}

// R50
TEST(Replication, ReplicaWithoutItsMasterMayRefuseEverything) {
  constexpr std::string_view kDown =
      "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n";
  ReplicatedServers redis;
  redis.at(500ms, [&] {
    redis.say(1, "SET", "k", "v");
    redis.say(2, "CONFIG", "SET", "replica-serve-stale-data", "no");
  });
  redis.at(1s, [&] {
    EXPECT_EQ(redis.say(2, "GET", "k"), "$1\r\nv\r\n");
    redis.kill(1);
  });
  redis.at(2s, [&] {
    EXPECT_EQ(redis.say(2, "GET", "k"), kDown);
    EXPECT_EQ(redis.say(2, "EVAL", "return 1", "0"), kDown);
    EXPECT_EQ(redis.say(2, "PING"), kDown);
    EXPECT_THAT(redis.say(2, "SET", "k", "w"), StartsWith("-READONLY "));
    EXPECT_THAT(redis.say(2, "INFO"), HasSubstr("master_link_status:down"));
    redis.say(2, "CONFIG", "SET", "replica-serve-stale-data", "yes");
    EXPECT_EQ(redis.say(2, "GET", "k"), "$1\r\nv\r\n");
  });
  redis.run(3s);
}

// R44
TEST(Replication, FullSynchronisationWaitsForOthersToJoin) {
  ReplicatedServers redis({.in_step = false});
  redis.at(100ms, [&] { redis.say(1, "SET", "k", "v"); });
  sim::Instant up{};
  for (int ms = 100; ms < 8000; ms += 10) {
    redis.at(sim::Duration(ms * 1'000'000ll), [&] {
      if (up == sim::Instant{} && redis.field(2, "master_link_status") == "up")
        up = redis.simulation.now();
    });
  }
  redis.run(9s);
  EXPECT_GE(up, sim::kStart + 5s);
  EXPECT_LE(up, sim::kStart + 7s);
  EXPECT_EQ(redis.say(2, "GET", "k"), "$1\r\nv\r\n");
}

// R43
TEST(Replication, LinkIsUpBeforeTheStreamFlows) {
  int missed = 0;
  constexpr int kSeeds = 60;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ReplicatedServers redis({.seed = seed});
    redis.at(900ms, [&] {
      redis.say(1, "CONFIG", "SET", "repl-diskless-sync-delay", "0");
      redis.say(2, "REPLICAOF", "NO", "ONE");
    });
    redis.at(1s, [&] { redis.say(2, "REPLICAOF", "10.0.0.1", "6379"); });
    bool written = false;
    std::string soon, later;
    for (int ms = 1001; ms < 4000; ++ms) {
      redis.at(sim::Duration(ms * 1'000'000ll), [&] {
        if (written || redis.field(2, "master_link_status") != "up") return;
        written = true;
        redis.say(1, "SET", "k", "v");
        const sim::Duration now = redis.simulation.now() - sim::kStart;
        redis.at(now + 200ms, [&] { soon = redis.say(2, "GET", "k"); });
        redis.at(now + 1100ms, [&] { later = redis.say(2, "GET", "k"); });
      });
    }
    redis.run(5s);
    EXPECT_EQ(later, "$1\r\nv\r\n");
    missed += soon == "$-1\r\n" ? 1 : 0;
  }
  EXPECT_GT(missed, 0);
  EXPECT_LT(missed, kSeeds);
}

// R45
TEST(Replication, LinkThatWasCutGoesOnWhereItWasAtOnce) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ReplicatedServers redis({.seed = seed});
    redis.at(1s, [&] { redis.say(1, "SET", "a", "1"); });
    redis.at(1100ms, [&] {
      EXPECT_EQ(redis.say(1, "CLIENT", "KILL", "TYPE", "replica"), ":1\r\n");
      redis.say(1, "SET", "b", "2");
    });
    redis.at(1120ms, [&] {
      EXPECT_EQ(redis.say(2, "GET", "b"), "$1\r\n2\r\n");
      EXPECT_EQ(redis.field(2, "slave_repl_offset"), redis.field(1, "master_repl_offset"));
      EXPECT_THAT(redis.say(1, "INFO", "stats"), HasSubstr("sync_partial_ok:1\r\n"));
    });
    redis.run(2s);
  }
}

// R46
TEST(Replication, NodeThatIsTakenBackLosesWhatItWroteAlone) {
  ReplicatedServers redis;
  redis.at(1s, [&] { redis.say(1, "SET", "k", "old"); });
  redis.at(2s, [&] {
    redis.say(1, "CONFIG", "SET", "repl-diskless-sync-delay", "0");
    redis.say(2, "REPLICAOF", "NO", "ONE");
    redis.say(2, "SET", "k", "own");
    redis.say(2, "SET", "alone", "x");
    redis.say(1, "SET", "k", "new");
  });
  redis.at(3s, [&] { EXPECT_EQ(redis.say(2, "REPLICAOF", "10.0.0.1", "6379"), "+OK\r\n"); });
  redis.at(5s, [&] {
    EXPECT_EQ(redis.say(2, "GET", "k"), "$3\r\nnew\r\n");
    EXPECT_EQ(redis.say(2, "EXISTS", "alone"), ":0\r\n");
  });
  redis.run(6s);
}

// R46, though the new master has written as much and more.
TEST(Replication, OldMasterThatWroteOnIsSentEverything) {
  ReplicatedServers redis;
  redis.at(1s, [&] { redis.say(2, "REPLICAOF", "NO", "ONE"); });
  redis.at(2s, [&] {
    redis.say(1, "SET", "alone", "x");
    redis.say(2, "CONFIG", "SET", "repl-diskless-sync-delay", "0");
    for (int i = 0; i < 10; ++i) redis.say(2, "SET", "k", "v");
  });
  redis.at(3s, [&] { redis.say(1, "REPLICAOF", "10.0.0.2", "6379"); });
  redis.at(5s, [&] {
    EXPECT_EQ(redis.say(1, "GET", "k"), "$1\r\nv\r\n");
    EXPECT_EQ(redis.say(1, "EXISTS", "alone"), ":0\r\n");
    EXPECT_THAT(redis.say(2, "INFO", "stats"), HasSubstr("sync_full:1\r\n"));
  });
  redis.run(6s);
}

// R47
TEST(Replication, MasterThatComesBackEmptyEmptiesItsReplicas) {
  ReplicatedServers redis;
  redis.at(1s, [&] { redis.say(1, "SET", "lock", "a"); });
  redis.at(2s, [&] {
    redis.restart(1, sim::Keeps::none);
    redis.say(1, "CONFIG", "SET", "repl-diskless-sync-delay", "0");
  });
  redis.at(2001ms, [&] { EXPECT_EQ(redis.say(2, "GET", "lock"), "$1\r\na\r\n"); });
  redis.at(4s, [&] { EXPECT_EQ(redis.say(2, "GET", "lock"), "$-1\r\n"); });
  redis.run(5s);
}

// R48
TEST(Replication, DemotionUnblocksWhoWaits) {
  ReplicatedServers redis({.count = 3});
  std::string heard;
  redis.at(1s, [&] {
    Session& waiting = redis.server(1).connect();
    redis.say_on(waiting, "SET", "k", "v");
    EXPECT_EQ(redis.say_on(waiting, "WAIT", "3", "0"), "");
    redis.say(2, "REPLICAOF", "NO", "ONE");
    redis.say(1, "REPLICAOF", "10.0.0.2", "6379");
    heard = waiting.unasked;
    EXPECT_FALSE(waiting.connected);
  });
  redis.run(2s);
  EXPECT_EQ(heard,
            "-UNBLOCKED force unblock from blocking operation, instance state changed (master -> "
            "replica?)\r\n");
}

// R51
TEST(Wait, CountsReplicasAndPromisesNothing) {
  ReplicatedServers redis({.count = 3});
  redis.at(1s, [&] {
    EXPECT_EQ(redis.say(1, "WAIT", "0", "0"), ":2\r\n");
    EXPECT_EQ(redis.say(1, "WAIT", "-1", "0"), ":2\r\n");
    EXPECT_EQ(redis.say(1, "WAIT", "1", "-1"), "-ERR timeout is negative\r\n");
  });
  std::string heard;
  redis.at(1500ms, [&] {
    Session& writer = redis.server(1).connect();
    redis.say_on(writer, "SET", "k", "v");
    EXPECT_EQ(redis.say_on(writer, "WAIT", "2", "1000"), "");
    redis.at(1510ms, [&] { heard = writer.unasked; });
  });
  redis.run(2s);
  EXPECT_EQ(heard, ":2\r\n");
}

// R51, R52, R53
TEST(Wait, IsOfItsOwnConnectionAlone) {
  ReplicatedServers redis;
  std::string writer_heard, other_heard;
  sim::Instant answered{};
  redis.at(1s, [&] {
    redis.simulation.scheduler.processes().pause(redis.process(2));
    Session& writer = redis.server(1).connect();
    Session& other = redis.server(1).connect();
    redis.say_on(writer, "SET", "k", "v");
    EXPECT_EQ(redis.say_on(writer, "WAIT", "1", "100"), "");
    other_heard = redis.say_on(other, "WAIT", "1", "100");
    for (int ms = 1000; ms < 1300; ++ms) {
      redis.at(sim::Duration(ms * 1'000'000ll), [&] {
        if (answered == sim::Instant{} && !writer.unasked.empty())
          answered = redis.simulation.now();
        writer_heard = writer.unasked;
      });
    }
  });
  redis.run(2s);
  EXPECT_EQ(other_heard, ":1\r\n");
  EXPECT_EQ(writer_heard, ":0\r\n");
  EXPECT_GE(answered, sim::kStart + 1100ms);
  EXPECT_LE(answered, sim::kStart + 1202ms);
}

// R51: the request that WAIT sends to replicas is part of the stream; they acknowledge that part a
// second later.
TEST(Wait, LeavesItsOwnQuestionUnacknowledged) {
  ReplicatedServers redis({.count = 3});
  std::string asked, at_once, later;
  Session* writer = nullptr;
  redis.at(1500ms, [&] {
    writer = &redis.server(1).connect();
    redis.say_on(*writer, "SET", "k", "v");
    redis.say_on(*writer, "WAIT", "2", "1000");
  });
  redis.at(1510ms, [&] {
    asked = writer->unasked;
    EXPECT_EQ(redis.say_on(*writer, "WAIT", "1", "0"), ":2\r\n");
    at_once = redis.say_on(*writer, "WAIT", "0", "0");
  });
  redis.at(2600ms, [&] { later = redis.say_on(*writer, "WAIT", "0", "0"); });
  redis.run(3s);
  EXPECT_EQ(asked, ":2\r\n");
  EXPECT_EQ(at_once, ":0\r\n");
  EXPECT_EQ(later, ":2\r\n");
}

// R55: a replica that has acknowledged has the write only in memory, and loses it with its process.
TEST(Wait, SaysNothingOfADisk) {
  ReplicatedServers redis;
  Session* writer = nullptr;
  redis.at(1s, [&] {
    writer = &redis.server(1).connect();
    redis.say_on(*writer, "SET", "lock", "a");
    redis.say_on(*writer, "WAIT", "1", "1000");
  });
  redis.at(2s, [&] {
    EXPECT_EQ(writer->unasked, ":1\r\n");
    redis.kill(1);
    redis.kill(2);
    redis.simulation.scheduler.processes().restart(redis.process(2), sim::Keeps::none);
    EXPECT_EQ(redis.say(2, "GET", "lock"), "$-1\r\n");
  });
  redis.run(3s);
}

// R53
TEST(Wait, IsOverWhenTheEventLoopTurns) {
  std::vector<int> took;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    ReplicatedServers redis({.seed = seed});
    Session* writer = nullptr;
    redis.at(1s, [&] {
      redis.simulation.scheduler.processes().pause(redis.process(2));
      writer = &redis.server(1).connect();
      redis.say_on(*writer, "SET", "k", "v");
      redis.say_on(*writer, "WAIT", "1", "50");
    });
    int answered = 0;
    for (int ms = 1; ms < 300; ++ms) {
      redis.at(1s + std::chrono::milliseconds(ms), [&, ms] {
        if (answered == 0 && !writer->unasked.empty()) answered = ms;
      });
    }
    redis.run(2s);
    took.push_back(answered);
  }
  EXPECT_THAT(took, testing::Each(testing::AllOf(testing::Ge(50), testing::Le(152))));
  EXPECT_LE(*std::min_element(took.begin(), took.end()), 70);
  EXPECT_GE(*std::max_element(took.begin(), took.end()), 130);
}

// R54
TEST(Wait, DoesNotBlockInATransactionAndIsRefusedElsewhere) {
  ReplicatedServers redis;
  redis.at(1s, [&] {
    redis.simulation.scheduler.processes().pause(redis.process(2));
    Session& session = redis.server(1).connect();
    redis.say_on(session, "SET", "k", "v");
    redis.say_on(session, "MULTI");
    redis.say_on(session, "SET", "k", "v");
    redis.say_on(session, "WAIT", "1", "0");
    EXPECT_EQ(redis.say_on(session, "EXEC"), "*2\r\n+OK\r\n:0\r\n");
    EXPECT_THAT(redis.say(1, "EVAL", "return redis.call('wait', 1, 0)", "0"),
                StartsWith("-ERR This Redis command is not allowed from script script: "));
    EXPECT_THAT(redis.say(2, "WAIT", "1", "0"),
                StartsWith("-ERR WAIT cannot be used with replica instances. "));
  });
  redis.run(2s);
}

// R56, R57
TEST(MinReplicas, RefuseWritesSecondsAfterTheReplicaHasFallenSilent) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ReplicatedServers redis({.seed = seed});
    sim::Instant refused{}, healed{};
    redis.at(500ms, [&] {
      redis.say(1, "CONFIG", "SET", "min-replicas-to-write", "1", "min-replicas-max-lag", "2");
      redis.say(1, "SET", "k", "v", "PX", "60000");
    });
    redis.at(5s, [&] { redis.simulation.scheduler.processes().pause(redis.process(2)); });
    redis.at(12s, [&] {
      constexpr std::string_view kFew = "-NOREPLICAS Not enough good replicas to write.\r\n";
      EXPECT_EQ(redis.say(1, "DEL", "k"), kFew);
      EXPECT_EQ(redis.say(1, "PEXPIRE", "nothing", "1"), kFew);
      EXPECT_EQ(redis.say(1, "GET", "k"), "$1\r\nv\r\n");
      EXPECT_EQ(redis.say(1, "EVAL_RO", "return 1", "0"), ":1\r\n");
      EXPECT_EQ(redis.say(1, "PUBLISH", "c", "m"), ":0\r\n");
      EXPECT_THAT(redis.say(1, "EVAL", "return redis.call('del', 'k')", "0"),
                  StartsWith("-NOREPLICAS Not enough good replicas to write. script: "));
      redis.simulation.scheduler.processes().resume(redis.process(2));
    });
    for (int ms = 5000; ms < 15000; ms += 10) {
      redis.at(sim::Duration(ms * 1'000'000ll), [&] {
        const bool ok = redis.say(1, "SET", "probe", "v") == "+OK\r\n";
        if (!ok && refused == sim::Instant{}) refused = redis.simulation.now();
        if (ok && refused != sim::Instant{} && healed == sim::Instant{})
          healed = redis.simulation.now();
      });
    }
    redis.run(16s);
    EXPECT_GT(refused, sim::kStart + 5s + 2s) << seed;
    EXPECT_LE(refused, sim::kStart + 5s + 4s + 10ms) << seed;
    EXPECT_LE(healed, sim::kStart + 12s + 2s + 10ms) << seed;
  }
}

// It reads what its replicas have sent before it finds that they have gone (R67).
TEST(MinReplicas, LetAStoppedMasterServeWhoIsQuickWhenItGoesOn) {
  int served = 0;
  constexpr int kSeeds = 40;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ReplicatedServers redis({.seed = seed});
    std::string quick, slow;
    redis.at(500ms, [&] {
      redis.say(1, "CONFIG", "SET", "min-replicas-to-write", "1");
      redis.simulation.scheduler.processes().pause(redis.process(1));
    });
    redis.at(3s, [&] { redis.kill(2); });
    redis.at(4s, [&] { redis.simulation.scheduler.processes().resume(redis.process(1)); });
    redis.at(4s + 100us, [&] { quick = redis.say(1, "SET", "k", "v"); });
    redis.at(4s + 20ms, [&] { slow = redis.say(1, "SET", "k", "v"); });
    redis.run(5s);
    EXPECT_EQ(slow, "-NOREPLICAS Not enough good replicas to write.\r\n");
    served += quick == "+OK\r\n" ? 1 : 0;
  }
  EXPECT_GT(served, 0);
  EXPECT_LT(served, kSeeds);
}

// No lock depends on the entries of a replica until it is promoted. After that, no lock depends on
// the entries of the server that it replaces.
TEST(Replication, HistoryKnowsOnlyTheEntriesOfMasters) {
  ReplicatedServers redis;
  redis.at(1s, [&] { redis.say(1, "SET", "lock", "a", "PX", "30000"); });
  redis.at(2s, [&] { redis.say(2, "REPLICAOF", "NO", "ONE"); });
  redis.at(3s, [&] { redis.say(1, "REPLICAOF", "10.0.0.2", "6379"); });
  redis.run(4s);
  std::vector<std::string> entries;
  for (const history::HistoryEvent& event : redis.simulation.recorder.history()) {
    if (event.what < history::What::entry_created || event.what > history::What::entry_removed)
      continue;
    entries.push_back(redis.simulation.scheduler.processes().at(event.process).name() + " " +
                      std::string(history::name(event.what)) + " " +
                      std::string(history::name(event.cause)));
  }
  EXPECT_THAT(entries, testing::ElementsAre("redis-1 entry created command",
                                            "redis-2 entry created failover",
                                            "redis-1 entry removed failover"));
}

TEST(Replication, IsTheSameForTheSameSeed) {
  const auto digest = [](std::uint64_t seed) {
    ReplicatedServers redis({.seed = seed, .count = 3, .in_step = false});
    redis.at(7s, [&] { redis.say(1, "SET", "k", "v", "PX", "1000"); });
    redis.run(10s);
    return redis.simulation.scheduler.record().digest().value();
  };
  EXPECT_EQ(digest(3), digest(3));
  EXPECT_NE(digest(3), digest(4));
}

}  // namespace
}  // namespace picklock::redis::replication_tests
