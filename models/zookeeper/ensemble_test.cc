#include <gmock/gmock.h>

#include "testing/zookeeper/ensemble_world.h"

namespace picklock::zookeeper::ensemble_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

using World = EnsembleWorld;

constexpr sim::Duration kPatient = 10s;

Answer create(SimClient& zookeeper, std::string_view path,
              CreateMode mode = CreateMode::persistent) {
  return zookeeper.create(path, "", mode, Role::none);
}
Answer set(SimClient& zookeeper, std::string_view path, std::string_view data) {
  return zookeeper.set_data(path, data, kAnyVersion, Role::none);
}
std::string get(SimClient& zookeeper, std::string_view path) {
  return zookeeper.get_data(path, {}, Role::none).data.value_or("(none)");
}
// Repeats the write until it succeeds.
Answer set_at_last(World& world, SimClient& zookeeper, std::string_view path,
                   std::string_view data) {
  for (;;) {
    Answer answer = set(zookeeper, path, data);
    if (answer.ok()) return answer;
    world.sleep(10ms);
  }
}

TEST(Ensemble, CommitsAtAnyOfItsServersWhatAllOfThemThenHave) {
  World world({.servers = 3, .clients = 3});
  for (std::size_t i = 1; i <= 3; ++i) {
    world.thread(i, [&, i](SimClient& zookeeper) {
      EXPECT_TRUE(create(zookeeper, "/" + std::to_string(i)).ok());
      world.sleep(1s);
      for (const char* path : {"/1", "/2", "/3"})
        EXPECT_TRUE(zookeeper.exists(path, {}, Role::none).ok()) << path;
    });
  }
  world.run();
}

// Z41: a follower learns of a write later than the leader has acknowledged it.
TEST(Ensemble, ReadsAtAFollowerWhatIsNoLongerTrueUnlessItIsAskedToCatchUp) {
  World world({.servers = 3, .clients = 2});
  world.simulation.network.set_latency(world.process("zookeeper-1"), world.process("zookeeper-2"),
                                       {.low = 50ms, .high = 50ms});
  bool written = false;
  world.thread(1, [&](SimClient& zookeeper) {
    create(zookeeper, "/a");
    world.sleep(1s);
    set(zookeeper, "/a", "new");
    written = true;
    world.sleep(1s);
  });
  world.thread(2, [&](SimClient& zookeeper) {
    world.sleep(900ms);
    while (!written) world.sleep(1ms);
    EXPECT_EQ(get(zookeeper, "/a"), "");
    zookeeper.sync("/a", Role::none);
    EXPECT_EQ(get(zookeeper, "/a"), "new");
  });
  world.run();
}

// Z42: clients of the followers lose their connections too.
TEST(Ensemble, ElectsAnotherLeaderSoonAfterOneHasCrashed) {
  World world({.servers = 3, .clients = 3, .options = {.ttl = 6s}});
  for (std::size_t i = 1; i <= 3; ++i) {
    world.thread(i, [&, i](SimClient& zookeeper) {
      create(zookeeper, "/a");
      world.sleep(1s);
      int lost = 0;
      zookeeper.listen([&](State state) { lost += state == State::suspended ? 1 : 0; });
      world.sleep(500ms);
      EXPECT_EQ(lost, 1) << i;
      EXPECT_TRUE(set_at_last(world, zookeeper, "/a", "x").ok());
      EXPECT_LT(world.milliseconds(), 4000);
      zookeeper.forget(1);
    });
  }
  world.at(1200ms, [&] { world.kill("zookeeper-1"); });
  world.at(1700ms, [&] {
    ASSERT_NE(world.ensemble.leader(), nullptr);
    EXPECT_EQ(world.ensemble.leader()->process().name(), "zookeeper-3");
  });
  world.run();
}

// Z43: the session is the same at another server, and the new leader gives a silent session its
// full time once more.
TEST(Ensemble, KeepsSessionsAndGivesThemTheirTimeAnewWhenALeaderCrashes) {
  World world({.servers = 3, .clients = 3, .options = {.ttl = 6s}});
  world.thread(1, [&](SimClient& zookeeper) {
    create(zookeeper, "/a", CreateMode::ephemeral);
    const SessionId session = zookeeper.session();
    world.sleep(20s);
    EXPECT_EQ(zookeeper.session(), session);
    EXPECT_TRUE(zookeeper.exists("/a", {}, Role::none).ok());
  });
  world.thread(3, [&](SimClient& zookeeper) {
    create(zookeeper, "/lock", CreateMode::ephemeral);
    world.sleep(1h);
  });
  world.thread(2, [&](SimClient& zookeeper) {
    world.sleep(8s);
    for (;;) {
      const Answer answer = zookeeper.exists("/lock", {}, Role::none);
      if (answer.code == Code::no_node) break;
      world.sleep(10ms);
    }
    // It died at 1 s, the leader at 4 s: not before 10 s.
    EXPECT_GT(world.milliseconds(), 10'000);
    EXPECT_LT(world.milliseconds(), 13'000);
    world.simulation.scheduler.threads().kill(*world.simulation.scheduler.running());
  });
  world.at(1s, [&] { world.kill("client-3"); });
  world.at(4s, [&] { world.kill("zookeeper-1"); });
  world.at(40s, [&] { world.simulation.scheduler.stop(); });
  world.run();
  EXPECT_THAT(world.entries(), ElementsAre("entry created command by 2 of 0",
                                           "entry removed session end by 0 of 2"));
}

// Z44: the others wait for it as long as they must; requests that it received while it was away
// never took effect.
TEST(Ensemble, DoesWithoutALeaderThatStandsStill) {
  World world({.servers = 3, .clients = 2, .options = {.ttl = 40s}});
  world.thread(1, [&](SimClient& zookeeper) {
    create(zookeeper, "/a");
    world.sleep(2s);
    EXPECT_TRUE(set(zookeeper, "/a", "lost").unknown());
  });
  world.thread(2, [&](SimClient& zookeeper) {
    world.sleep(2s);
    set_at_last(world, zookeeper, "/a", "kept");
    EXPECT_GT(world.milliseconds(), 11'000);
    world.sleep(30s);
    EXPECT_EQ(get(zookeeper, "/a"), "kept");
  });
  world.at(1500ms, [&] { world.pause("zookeeper-1"); });
  world.at(11'900ms, [&] { EXPECT_TRUE(world.server(3).peer().leads()); });
  world.at(20s, [&] { world.resume("zookeeper-1"); });
  world.at(40s, [&] {
    EXPECT_EQ(world.server(1).peer().state(), PeerState::following);
    EXPECT_EQ(world.server(1).tree().find("/a")->data, "kept");
  });
  world.run();
}

// A leader that is paused for less time than its followers wait finds every session expired when it
// resumes, because nobody could report them meanwhile (docs/facts/failures.md D-13).
TEST(Ensemble, EndsTheSessionsThatItHasNotHeardOfInAPauseAndGoesOn) {
  World world({.servers = 3, .clients = 3, .options = {.ttl = 4s}});
  std::vector<SessionId> before;
  for (std::size_t i = 1; i <= 3; ++i) {
    world.thread(i, [&, i](SimClient& zookeeper) {
      create(zookeeper, "/a");
      before.push_back(zookeeper.session());
      world.sleep(25s);
      EXPECT_TRUE(zookeeper.exists("/a", {}, Role::none).ok());
      // The leader's own client had sent something that was waiting to be read.
      const bool same = std::count(before.begin(), before.end(), zookeeper.session()) == 1;
      EXPECT_EQ(same, i == 1);
    });
  }
  world.at(3s, [&] { world.pause("zookeeper-1"); });
  world.at(11s, [&] { world.resume("zookeeper-1"); });
  world.run();
  ASSERT_NE(world.ensemble.leader(), nullptr);
  EXPECT_EQ(world.ensemble.leader()->process().name(), "zookeeper-1");
}

// A follower that cannot reach the leader answers its clients until the leader gives it up; shorter
// sessions end without their clients' learning of it.
TEST(Ensemble, GivesUpAFollowerThatItDoesNotHear) {
  World world({.servers = 3, .clients = 2, .options = {.ttl = 4s}});
  world.thread(2, [&](SimClient& zookeeper) {
    create(zookeeper, "/lock", CreateMode::ephemeral);
    world.sleep(8s);
    EXPECT_EQ(zookeeper.state(), State::connected);
    EXPECT_EQ(world.server(1).tree().find("/lock"), nullptr);
    world.sleep(6s);
    EXPECT_FALSE(zookeeper.exists("/lock", {}, Role::none).ok());
  });
  sim::Fault deaf;
  deaf.verb = sim::Verb::partition;
  deaf.target = "zookeeper-1";
  deaf.from = {"zookeeper-2"};
  deaf.trigger.at = sim::kStart + 500ms;
  deaf.outbound = false;
  deaf.lasts = 1h;
  world.run({deaf});
}

// Z45
TEST(Ensemble, ServesNobodyWithoutItsQuorum) {
  World world({.servers = 3, .clients = 1});
  world.thread(1, [&](SimClient& zookeeper) {
    create(zookeeper, "/a");
    world.sleep(2s);
    EXPECT_TRUE(set(zookeeper, "/a", "never").unknown());
    EXPECT_LT(world.milliseconds(), 4100);
    EXPECT_TRUE(set(zookeeper, "/a", "never").unknown());
    world.sleep(10s);
    EXPECT_TRUE(set_at_last(world, zookeeper, "/a", "again").ok());
  });
  world.at(1s, [&] {
    world.kill("zookeeper-2");
    world.kill("zookeeper-3");
  });
  world.at(10s, [&] {
    EXPECT_EQ(world.ensemble.leader(), nullptr);
    world.restart("zookeeper-3");
  });
  world.run();
  EXPECT_EQ(world.server(1).tree().find("/a")->data, "again");
}

TEST(Ensemble, BringsUpAServerThatWasAway) {
  World world({.servers = 3, .clients = 2});
  world.thread(1, [&](SimClient& zookeeper) {
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(create(zookeeper, "/" + std::to_string(i)).ok());
      world.sleep(1s);
    }
    world.sleep(5s);
  });
  world.at(2500ms, [&] { world.kill("zookeeper-3"); });
  world.at(6500ms, [&] { world.restart("zookeeper-3", sim::Keeps::none); });
  world.run();
  EXPECT_TRUE(world.server(3).peer().serves());
  for (int i = 0; i < 10; ++i)
    EXPECT_NE(world.server(3).tree().find("/" + std::to_string(i)), nullptr) << i;
}

// Every acknowledged write is there afterwards, whichever servers crash and restart, and whenever.
TEST(Ensemble, LosesNothingThatItAcknowledged) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    World world(
        {.seed = seed, .servers = seed % 2 == 0 ? 3u : 5u, .clients = 2, .options = {.ttl = 20s}});
    sim::Random chance(seed, 7);
    std::vector<std::string> done;
    for (std::size_t client = 1; client <= 2; ++client) {
      world.thread(client, [&, client](SimClient& zookeeper) {
        for (int i = 0; i < 60; ++i) {
          const std::string path = "/" + std::to_string(client) + "-" + std::to_string(i);
          if (create(zookeeper, path).ok()) done.push_back(path);
          world.sleep(200ms);
        }
        world.sleep(kPatient * 4);
      });
    }
    for (int i = 0; i < 12; ++i) {
      const auto number = 1 + chance.below(world.ensemble.size());
      const std::string name = "zookeeper-" + std::to_string(number);
      const auto from = 1s * (i + 1);
      const auto lasts = chance.between(1ms, 3s);
      const auto kind = chance.below(3);
      world.at(from, [&world, name, kind] {
        if (world.process(name).down() || world.process(name).paused()) return;
        if (kind == 0) world.pause(name);
        if (kind > 0) world.kill(name, kind == 2);
      });
      world.at(from + lasts, [&world, name] {
        if (world.process(name).paused()) world.resume(name);
        if (world.process(name).down()) world.restart(name, sim::Keeps::fsynced);
      });
    }
    world.run();
    ASSERT_NE(world.ensemble.leader(), nullptr) << seed;
    EXPECT_GT(done.size(), 20) << seed;
    for (std::size_t server = 1; server <= world.ensemble.size(); ++server) {
      EXPECT_TRUE(world.server(server).peer().serves()) << seed << " " << server;
      for (const std::string& path : done)
        EXPECT_NE(world.server(server).tree().find(path), nullptr) << seed << " " << path;
    }
  }
}

// Without fsync an acknowledged write exists only in the memory of machines that then lose their
// power.
TEST(Ensemble, LosesWhatItAcknowledgedIfItDoesNotForceItToDisk) {
  for (const bool force : {true, false}) {
    World world({.servers = 3, .clients = 1, .settings = {.force_sync = force}});
    world.thread(1, [&](SimClient& zookeeper) {
      EXPECT_TRUE(create(zookeeper, "/lock", CreateMode::ephemeral).ok());
      world.sleep(10s);
      zookeeper.exists("/lock", {}, Role::none);
    });
    world.at(1s, [&] {
      for (const char* name : {"zookeeper-1", "zookeeper-2", "zookeeper-3"}) world.kill(name, true);
    });
    world.at(2s, [&] {
      for (const char* name : {"zookeeper-1", "zookeeper-2", "zookeeper-3"})
        world.restart(name, sim::Keeps::fsynced);
    });
    world.run();
    ASSERT_NE(world.ensemble.leader(), nullptr);
    EXPECT_EQ(world.ensemble.leader()->tree().find("/lock") != nullptr, force);
    if (force) {
      EXPECT_THAT(world.entries(), ElementsAre("entry created command by 1 of 0"));
    } else {
      EXPECT_THAT(world.entries(), ElementsAre("entry created command by 1 of 0",
                                               "entry removed restart by 0 of 1"));
    }
  }
}

// Z63: a follower that loses its power just after it has acknowledged its new leader. The leader's
// log was on no other disk.
TEST(Ensemble, LosesWhatANewLeaderHasCommittedIfFollowersAcknowledgeItBeforeTheirDisksHaveIt) {
  for (const bool log_before_ack : {true, false}) {
    World world(
        {.servers = 3, .clients = 1, .settings = {.fsync = 1s, .log_before_ack = log_before_ack}});
    const auto has = [&world](std::size_t server) {
      return world.server(server).tree().find("/lock") != nullptr;
    };
    world.at(1ms, [&] { world.kill("zookeeper-3"); });
    world.at(30s, [&] { world.restart("zookeeper-2"); });
    world.thread(1, [&](SimClient& zookeeper) {
      zookeeper.exists("/lock", {}, Role::none);
      world.kill("zookeeper-2");
      // Only the leader has this in its log, until another server comes back.
      EXPECT_TRUE(create(zookeeper, "/lock").unknown());
      while (!world.server(1).peer().serves()) world.sleep(1ms);
      EXPECT_TRUE(has(1));
      world.kill("zookeeper-1");
      world.kill("zookeeper-2");
      world.restart("zookeeper-2", sim::Keeps::fsynced);
      world.restart("zookeeper-3", sim::Keeps::all);
      while (!world.server(2).peer().serves()) world.sleep(1ms);
      EXPECT_EQ(has(2), log_before_ack);
    });
    world.run();
  }
}

// docs/facts/failures.md C-15: old releases count sessions on the wall clock; a step of that clock
// ends all of them.
TEST(Ensemble, CountsSessionsOnAClockThatNeverStepsUnlessItIsOld) {
  for (const bool old : {false, true}) {
    World world({.servers = 3, .clients = 2, .settings = {.wall_clock_expiry = old}});
    world.thread(2, [&](SimClient& zookeeper) {
      create(zookeeper, "/lock", CreateMode::ephemeral);
      world.sleep(2s);
      EXPECT_EQ(zookeeper.exists("/lock", {}, Role::none).ok(), !old);
    });
    world.at(1s, [&] {
      world.simulation.scheduler.processes().step_clock(world.process("zookeeper-1"), 1min);
    });
    world.run();
  }
}

}  // namespace
}  // namespace picklock::zookeeper::ensemble_tests
