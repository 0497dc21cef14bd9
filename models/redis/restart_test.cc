// The effects of a restart on the history and on replicas.
#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <vector>

#include "models/redis/persistence.h"
#include "testing/redis/replicated_servers.h"
#include "testing/small_world.h"

namespace picklock::redis::restart_tests {
namespace {

using namespace std::chrono_literals;
using sim::Duration;
using testing::ElementsAre;
using Configuration = std::vector<std::string_view>;

constexpr std::string_view kNil = "$-1\r\n";
const Configuration kLogged = {"appendonly", "yes"};

// ---------------------------------------------------------------- delayed restarts

// When redis-1 answers again, in milliseconds.
double back_after(const RestartDelay& delay, const sim::Plan& faults) {
  models::SmallWorld world({.clients = 1, .command_timeout = 10ms});
  world.server().delay_restarts(delay);
  std::int64_t back = 0;
  world.client(1, [&](models::SmallWorld& all, picklock::Client& self) {
    self.sleep(3s);
    while (!redis::server(self).get("lock").answered()) self.sleep(10ms);
    back = all.milliseconds();
  });
  world.run(faults);
  return static_cast<double>(back);
}

sim::Fault restart_at(Duration when) {
  return models::fault_at(when, sim::Verb::restart, "redis-1");
}

// A restart at 2 s, and a step of the machine's clock at 5 s.
double back_after(const RestartDelay& delay, Duration forward) {
  sim::Fault step = models::fault_at(5s, sim::Verb::step_clock, "redis-1");
  step.step = forward;
  return back_after(delay, {restart_at(2s), step});
}

TEST(RestartDelay, KeepsAServerDownForItsLengthOnTheMachinesClock) {
  EXPECT_NEAR(back_after({}, 0s), 3001, 20);
  EXPECT_NEAR(back_after({.length = 10s}, 0s), 12'000, 40);
  EXPECT_NEAR(back_after({.length = 10s, .clock = sim::ClockKind::wall}, 0s), 12'000, 40);
}

TEST(RestartDelay, IsCutShortOrDrawnOutByAStepOfTheClockThatMeasuresIt) {
  const RestartDelay by_wall{.length = 10s, .clock = sim::ClockKind::wall};
  EXPECT_NEAR(back_after(by_wall, 4s), 8'000, 40);
  EXPECT_NEAR(back_after(by_wall, 1h), 5'000, 40);
  EXPECT_NEAR(back_after(by_wall, -4s), 16'000, 40);
  EXPECT_NEAR(back_after({.length = 10s}, 1h), 12'000, 40);
}

TEST(RestartDelay, BeginsAnewWithARestartMeanwhile) {
  EXPECT_NEAR(back_after({.length = 10s}, {restart_at(2s), restart_at(7s)}), 17'000, 40);
}

// ---------------------------------------------------------------- the history of a restart

sim::Fault restarted(Duration when, sim::Keeps keeps, Duration lasts) {
  sim::Fault fault = models::fault_at(when, sim::Verb::restart, "redis-1", lasts);
  fault.keeps = keeps;
  return fault;
}

// Two clients: the first acquires the lock, then the second runs `second`.
std::vector<std::string> told(const Configuration& configuration, const sim::Fault& fault,
                              const std::function<void(picklock::Client& self)>& second) {
  models::SmallWorld world({.clients = 2, .configuration = configuration});
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    redis::server(self).set("lock", "a", {.px = 20s});
    self.sleep(30s);
  });
  world.client(2, [&](models::SmallWorld&, picklock::Client& self) {
    self.sleep(1s);
    second(self);
  });
  world.run({fault});
  return world.effects();
}

TEST(History, OfARestartThatFindsEverythingSaysNothing) {
  EXPECT_THAT(told(kLogged, restarted(2s, sim::Keeps::all, 1s), [](picklock::Client&) {}),
              ElementsAre("0.0005 entry created command by 1 of 0 until 20.001",
                          "20.001 entry removed expiry by 0 of 1"));
}

TEST(History, OfAnEntryThatDiesWhileItsServerIsDownSaysWhen) {
  EXPECT_THAT(told(kLogged, restarted(15s, sim::Keeps::all, 10s), [](picklock::Client&) {}),
              ElementsAre("0.0005 entry created command by 1 of 0 until 20.001",
                          "20.001 entry removed expiry by 0 of 1"));
}

TEST(History, OfAnEntryThatDiesWhileItsServerLoadsSaysWhen) {
  const Configuration slow = {"appendonly", "yes", "key-load-delay", "5000000"};
  EXPECT_THAT(told(slow, restarted(15s, sim::Keeps::all, 1s), [](picklock::Client&) {}),
              ElementsAre("0.0005 entry created command by 1 of 0 until 20.001",
                          "20.001 entry removed expiry by 0 of 1"));
}

TEST(History, OfARestartSaysWhatIsGone) {
  const Configuration by_kernel = {"appendonly", "yes", "appendfsync", "no"};
  EXPECT_THAT(told(by_kernel, restarted(2s, sim::Keeps::fsynced, 1s), [](picklock::Client&) {}),
              ElementsAre("0.0005 entry created command by 1 of 0 until 20.001",
                          "3.0 entry removed restart by 0 of 1"));
}

// The owner is stored with the bytes of log and snapshot.
TEST(History, OfARestartSaysWhoseEntriesAreThereAgain) {
  const auto overwrite = [](picklock::Client& self) {
    const std::string_view save[] = {"SAVE"};
    redis::server(self).call(Role::none, save);
    redis::server(self).set("lock", "b", {.px = 20s});
  };
  EXPECT_THAT(told({}, restarted(2s, sim::Keeps::all, 1s), overwrite),
              ElementsAre("0.0005 entry created command by 1 of 0 until 20.001",
                          "1.0015 entry altered command by 2 of 1 until 21.002",
                          "3.0 entry removed restart by 0 of 2",
                          "3.0 entry created restart by 0 of 1 until 20.001",
                          "20.001 entry removed expiry by 0 of 1"));
}

TEST(History, OfARestartSaysWhichDeadlinesAreOldOnes) {
  const auto renew = [](picklock::Client& self) {
    const std::string_view save[] = {"SAVE"};
    redis::server(self).call(Role::none, save);
    redis::server(self).pexpire("lock", 60s);
  };
  EXPECT_THAT(told({}, restarted(2s, sim::Keeps::all, 1s), renew),
              ElementsAre("0.0005 entry created command by 1 of 0 until 20.001",
                          "1.0015 entry altered command by 2 of 1 until 61.002",
                          "3.0 entry altered restart by 0 of 1 until 20.001",
                          "20.001 entry removed expiry by 0 of 1"));
}

TEST(History, OfARestartSaysWhatWasRemovedAndIsThereAgain) {
  const auto remove = [](picklock::Client& self) {
    const std::string_view save[] = {"SAVE"};
    redis::server(self).call(Role::none, save);
    redis::server(self).del("lock");
  };
  EXPECT_THAT(told({}, restarted(2s, sim::Keeps::all, 1s), remove),
              ElementsAre("0.0005 entry created command by 1 of 0 until 20.001",
                          "1.0015 entry removed command by 2 of 1",
                          "3.0 entry created restart by 0 of 1 until 20.001",
                          "20.001 entry removed expiry by 0 of 1"));
}

// An entry of a replica is no lock; the same entry of a master is.
TEST(History, OfAReplicaThatStartsAsAMasterSaysWhatItHas) {
  ReplicatedServers redis({.in_step = false});
  redis.at(8s, [&] {
    redis.say(2, "REPLICAOF", "NO", "ONE");
    redis.say(2, "CONFIG", "SET", "repl-diskless-sync-delay", "0");
    redis.say(2, "SET", "lock", "a", "PX", "20000");
    redis.say(1, "REPLICAOF", "10.0.0.2", "6379");
  });
  redis.at(11s, [&] { redis.say(1, "SAVE"); });
  redis.at(12s, [&] { redis.restart(1); });
  redis.at(13s, [&] {
    EXPECT_EQ(redis.field(1, "role"), "master");
    EXPECT_EQ(redis.say(1, "GET", "lock"), "$1\r\na\r\n");
  });
  redis.run(30s);
  std::vector<std::string> events;
  for (const history::HistoryEvent& event : redis.simulation.recorder.history()) {
    const bool entry =
        event.what >= history::What::entry_created && event.what <= history::What::entry_removed;
    if (entry && event.process == redis.process(1).id())
      events.push_back(std::string(history::name(event.what)) + " " +
                       std::string(history::name(event.cause)));
  }
  EXPECT_THAT(events, ElementsAre("entry created restart", "entry removed expiry"));
}

TEST(Restart, GrantsNothingAnew) {
  models::SmallWorld world({.configuration = kLogged});
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    redis::server(self).set("lock", "a", {.px = 20s});
    self.sleep(5s);
  });
  world.run({restarted(2s, sim::Keeps::all, 1s)});
  EXPECT_EQ(world.tenures.grants(), 1u);
}

// ---------------------------------------------------------------- replicas

bool has_dump(ReplicatedServers& redis, std::size_t number) {
  return redis.server(number).persistence().disk().find(Persistence::kDump) != nullptr;
}

// R97
TEST(FullSynchronisation, LeavesItsSnapshotWithTheReplica) {
  ReplicatedServers redis({.in_step = false});
  redis.at(1s, [&] { redis.say(1, "SET", "k", "v"); });
  redis.at(10s, [&] {
    EXPECT_TRUE(has_dump(redis, 2));
    EXPECT_FALSE(has_dump(redis, 1));
    redis.say(1, "SET", "l", "v");
  });
  redis.at(11s, [&] {
    redis.crash(1);
    redis.restart(2);
    EXPECT_EQ(redis.say(2, "GET", "k"), "$1\r\nv\r\n");
    EXPECT_EQ(redis.say(2, "GET", "l"), kNil);
  });
  redis.run(12s);
}

// R97
TEST(FullSynchronisation, LeavesItsSnapshotWithTheMasterTooIfItGoesByItsDisk) {
  ReplicatedServers redis({.in_step = false});
  redis.server(1).configure(Configuration{"repl-diskless-sync", "no"});
  redis.at(1s, [&] { redis.say(1, "SET", "k", "v"); });
  redis.at(10s, [&] {
    redis.crash(2);
    redis.restart(1);
    EXPECT_EQ(redis.say(1, "DBSIZE"), ":0\r\n");
    EXPECT_TRUE(has_dump(redis, 1));
  });
  redis.run(12s);
}

// R45
TEST(RestartedReplica, IsSentOnlyWhatItsSnapshotLacks) {
  ReplicatedServers redis;
  redis.at(1s, [&] { redis.say(1, "SET", "k", "v"); });
  redis.at(2s, [&] { redis.restart(2); });
  redis.at(4s, [&] {
    EXPECT_EQ(redis.say(2, "GET", "k"), "$1\r\nv\r\n");
    EXPECT_EQ(redis.server(1).stats().partial_syncs, 1u);
    EXPECT_EQ(redis.server(1).stats().full_syncs, 1u);
  });
  redis.run(5s);
}

TEST(RestartedReplica, LogsWhatItIsSentAndWhatItObeys) {
  ReplicatedServers redis;
  redis.server(2).configure(kLogged);
  redis.at(1s, [&] {
    redis.say(1, "SET", "k", "v");
    redis.say(1, "EVAL", "redis.call('set','a','1') redis.call('set','b','1')", "0");
  });
  redis.at(2s, [&] {
    redis.crash(1);
    redis.restart(2);
    EXPECT_EQ(redis.say(2, "EXISTS", "k", "a", "b"), ":3\r\n");
  });
  redis.at(3s, [&] {
    redis.restart(1);
    redis.say(1, "CONFIG", "SET", "repl-diskless-sync-delay", "0");
    redis.say(1, "SET", "other", "v");
  });
  redis.at(6s, [&] {
    redis.crash(1);
    redis.restart(2);
    EXPECT_EQ(redis.say(2, "EXISTS", "k", "a", "b"), ":0\r\n");
    EXPECT_EQ(redis.say(2, "EXISTS", "other"), ":1\r\n");
  });
  redis.run(7s);
}

TEST(RestartedReplica, KeepsTheDeadKeysOfItsSnapshot) {
  ReplicatedServers redis;
  redis.at(1s, [&] { redis.say(1, "SET", "due", "v", "PX", "3000"); });
  redis.at(2s, [&] {
    redis.say(2, "SAVE");
    redis.crash(2);
    redis.crash(1);
  });
  redis.at(5s, [&] {
    redis.restart(2);
    EXPECT_EQ(redis.say(2, "DBSIZE"), ":1\r\n");
    EXPECT_EQ(redis.say(2, "GET", "due"), kNil);
  });
  redis.run(6s);
}

// R45
TEST(RestartedMaster, GoesOnWithItsReplicasFromTheSnapshotOfItsShutdown) {
  ReplicatedServers redis;
  redis.server(1).configure(Configuration{"save", "3600 1"});
  redis.at(1s, [&] { redis.say(1, "SET", "k", "v"); });
  redis.at(2s, [&] { redis.say(1, "SHUTDOWN"); });
  redis.at(3s, [&] { redis.restart(1); });
  redis.at(5s, [&] {
    redis.say(1, "SET", "l", "v");
    EXPECT_EQ(redis.server(1).stats().partial_syncs, 1u);
    EXPECT_EQ(redis.server(1).stats().full_syncs, 0u);
  });
  redis.at(6s, [&] { EXPECT_EQ(redis.say(2, "EXISTS", "k", "l"), ":2\r\n"); });
  redis.run(7s);
}

// R47: its snapshot lacks a write that the replicas have; its log has no replication state.
TEST(RestartedMaster, OverwritesItsReplicasOtherwise) {
  for (const Configuration& configuration : {Configuration{"save", "3600 1"}, kLogged}) {
    ReplicatedServers redis;
    redis.server(1).configure(configuration);
    redis.at(1s, [&] {
      redis.say(1, "SET", "k", "v");
      redis.say(1, "SAVE");
      redis.say(1, "SET", "l", "v");
    });
    redis.at(2s, [&] {
      redis.restart(1);
      redis.say(1, "CONFIG", "SET", "repl-diskless-sync-delay", "0");
    });
    redis.at(5s, [&] {
      EXPECT_EQ(redis.server(1).stats().partial_syncs, 0u);
      EXPECT_EQ(redis.server(1).stats().full_syncs, 1u);
      EXPECT_EQ(redis.say(2, "DBSIZE"), redis.say(1, "DBSIZE"));
    });
    redis.run(6s);
  }
}

TEST(RestartedMaster, TellsItsReplicasOfTheKeysThatDiedMeanwhile) {
  ReplicatedServers redis;
  redis.server(1).configure(Configuration{"save", "3600 1"});
  redis.at(1s, [&] { redis.say(1, "SET", "due", "v", "PX", "2000"); });
  redis.at(2s, [&] { redis.say(1, "SHUTDOWN"); });
  redis.at(4s, [&] {
    EXPECT_EQ(redis.say(2, "DBSIZE"), ":1\r\n");
    redis.restart(1);
  });
  redis.at(6s, [&] {
    EXPECT_EQ(redis.server(1).stats().partial_syncs, 1u);
    EXPECT_EQ(redis.say(2, "DBSIZE"), ":0\r\n");
  });
  redis.run(7s);
}

}  // namespace
}  // namespace picklock::redis::restart_tests
