#include "models/zookeeper/server.h"

#include <gmock/gmock.h>

#include "testing/zookeeper/ensemble_world.h"

namespace picklock::zookeeper::server_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using World = EnsembleWorld;

Answer create(SimClient& zookeeper, std::string_view path,
              CreateMode mode = CreateMode::persistent) {
  return zookeeper.create(path, "", mode, Role::none);
}
Answer remove(SimClient& zookeeper, std::string_view path) {
  return zookeeper.remove(path, Role::none);
}
bool is_there(SimClient& zookeeper, std::string_view path) {
  return zookeeper.exists(path, {}, Role::none).ok();
}

// The notifications of watchers, in order.
struct Heard {
  Watch as(std::string name) {
    return [this, name = std::move(name)](const Told& told) {
      constexpr std::string_view kNames[] = {"", "created", "deleted", "changed", "children"};
      if (told.type != EventType::none)
        all.push_back(name + " " + std::string(kNames[static_cast<std::size_t>(told.type)]));
    };
  }
  std::vector<std::string> all;
};

TEST(Server, CreatesReadsAndDeletes) {
  World world;
  world.thread(1, [](SimClient& zookeeper) {
    EXPECT_EQ(zookeeper.create("/a", "x", CreateMode::persistent, Role::none).path, "/a");
    EXPECT_EQ(create(zookeeper, "/a").code, Code::node_exists);
    EXPECT_EQ(zookeeper.get_data("/a", {}, Role::none).data, "x");
    EXPECT_EQ(create(zookeeper, "/a/b-", CreateMode::ephemeral_sequential).path, "/a/b-0000000000");
    EXPECT_THAT(zookeeper.get_children("/a", {}, Role::none).children, ElementsAre("b-0000000000"));
    EXPECT_EQ(remove(zookeeper, "/a").code, Code::not_empty);
    EXPECT_EQ(zookeeper.set_data("/a", "y", 0, Role::none).stat.version, 1);
    EXPECT_EQ(zookeeper.set_data("/a", "z", 0, Role::none).code, Code::bad_version);
    EXPECT_TRUE(remove(zookeeper, "/a/b-0000000000").ok());
    EXPECT_TRUE(remove(zookeeper, "/a").ok());
    EXPECT_FALSE(is_there(zookeeper, "/a"));
  });
  world.run();
}

// ---------------------------------------------------------------- sessions

TEST(Server, GivesASessionNoLessThanTwoTicksAndNoMoreThanTwenty) {  // Z1
  for (const auto& [asked, given] :
       std::vector<std::pair<Duration, Duration>>{{100ms, 4s}, {5s, 5s}, {1h, 40s}}) {
    World world({.options = {.ttl = asked}});
    world.thread(1, [given = given](SimClient& zookeeper) {
      create(zookeeper, "/a");
      EXPECT_EQ(zookeeper.session_timeout(), given);
    });
    world.run();
  }
}

// Z2, Z3: closing a connection ends no session, and silence is noticed at a multiple of the tick.
TEST(Server, RemovesWhatADeadClientHadAfterItsTimeOutAndATickAtMost) {
  for (const bool silent : {false, true}) {
    World world({.clients = 2, .options = {.ttl = 4s}});
    world.thread(1, [&](SimClient& zookeeper) {
      create(zookeeper, "/lock", CreateMode::ephemeral);
      world.sleep(1h);
    });
    world.thread(2, [&](SimClient& zookeeper) {
      world.sleep(1s);
      EXPECT_TRUE(is_there(zookeeper, "/lock"));
      while (is_there(zookeeper, "/lock")) world.sleep(10ms);
      EXPECT_GT(world.milliseconds(), 4000);
      EXPECT_LE(world.milliseconds(), 6100);
    });
    world.at(100ms, [&] { world.kill("client-1", silent); });
    world.run();
    EXPECT_THAT(world.entries(), ElementsAre("entry created command by 1 of 0",
                                             "entry removed session end by 0 of 1"));
  }
}

TEST(Server, ForgetsNoSessionThatIsHeardOf) {
  World world({.options = {.ttl = 4s}});
  world.thread(1, [&](SimClient& zookeeper) {
    create(zookeeper, "/lock", CreateMode::ephemeral);
    world.sleep(1h);
    EXPECT_TRUE(is_there(zookeeper, "/lock"));
  });
  world.run();
  EXPECT_THAT(world.entries(), ElementsAre("entry created command by 1 of 0"));
}

TEST(Server, EndsTheSessionsOfAClientWhereItIsToldTo) {
  World world({.servers = 3, .clients = 2});
  world.thread(2, [&](SimClient& zookeeper) {
    create(zookeeper, "/lock", CreateMode::ephemeral);
    const SessionId before = zookeeper.session();
    world.sleep(1s);
    EXPECT_TRUE(world.server(2).kill_session(world.process("client-2")));
    world.sleep(5s);
    EXPECT_NE(zookeeper.session(), before);
    EXPECT_FALSE(is_there(zookeeper, "/lock"));
  });
  world.run();
}

TEST(Server, ClosesTheConnectionsOfOneClientBeyondTheLimit) {  // Z7
  World world({.settings = {.max_connections = 2}});
  std::deque<SimClient> more(2);
  for (std::size_t i = 0; i < more.size(); ++i)
    more[i].reset(world.simulation, world.process("client-1"), world.ensemble.ends(), {}, 0);
  world.thread(1, [&](SimClient& zookeeper) {
    EXPECT_TRUE(create(zookeeper, "/a").ok());
    for (SimClient& one : more) one.start();
    EXPECT_TRUE(is_there(more[0], "/a"));
    EXPECT_EQ(more[1].exists("/a", {}, Role::none).code, Code::connection_loss);
  });
  world.run();
}

// ---------------------------------------------------------------- watches

TEST(Server, TellsAWatcherOnceOfWhatItAskedFor) {  // Z30, Z31
  World world({.clients = 2});
  Heard heard;
  world.thread(1, [&](SimClient& zookeeper) {
    zookeeper.exists("/a", heard.as("exists"), Role::none);
    EXPECT_EQ(zookeeper.get_data("/a", heard.as("data"), Role::none).code, Code::no_node);
    EXPECT_EQ(zookeeper.get_children("/a", heard.as("list"), Role::none).code, Code::no_node);
    world.sleep(1s);
  });
  world.thread(2, [&](SimClient& zookeeper) {
    world.sleep(100ms);
    create(zookeeper, "/a");
    zookeeper.set_data("/a", "x", kAnyVersion, Role::none);
  });
  world.run();
  EXPECT_THAT(heard.all, ElementsAre("exists created"));
}

TEST(Server, TellsOfADeletionOnceAndThenOfTheParentsChildren) {  // Z32
  World world({.clients = 2});
  Heard heard;
  world.thread(1, [&](SimClient& zookeeper) {
    create(zookeeper, "/p");
    create(zookeeper, "/p/a");
    zookeeper.get_data("/p/a", heard.as("data"), Role::none);
    zookeeper.get_children("/p/a", heard.as("list"), Role::none);
    zookeeper.get_children("/p", heard.as("parent"), Role::none);
    world.sleep(1s);
  });
  world.thread(2, [&](SimClient& zookeeper) {
    world.sleep(100ms);
    remove(zookeeper, "/p/a");
  });
  world.run();
  EXPECT_THAT(heard.all, ElementsAre("data deleted", "list deleted", "parent children"));
  EXPECT_EQ(world.server(1).watches(), 0);
}

TEST(Server, TellsOfAChangeBeforeItAnswersWhoMadeIt) {  // Z33
  World world;
  Heard heard;
  world.thread(1, [&](SimClient& zookeeper) {
    zookeeper.exists("/a", heard.as("a"), Role::none);
    create(zookeeper, "/a");
    EXPECT_THAT(heard.all, ElementsAre("a created"));
  });
  world.run();
}

TEST(Server, WakesEveryWatcherOfOneNodeAndOfAQueueTheNextAlone) {  // Z35
  constexpr std::uint32_t kClients = 30;
  World world({.clients = kClients + 1});
  int herd = 0;
  int queue = 0;
  world.thread(1, [&](SimClient& zookeeper) {
    create(zookeeper, "/lock", CreateMode::ephemeral);
    create(zookeeper, "/q");
    for (std::uint32_t i = 0; i <= kClients; ++i)
      create(zookeeper, "/q/n-", CreateMode::ephemeral_sequential);
    world.sleep(1s);
    remove(zookeeper, "/lock");
    remove(zookeeper, "/q/n-0000000000");
    world.sleep(1s);
  });
  for (std::uint32_t i = 0; i < kClients; ++i) {
    world.thread(i + 2, [&, i](SimClient& zookeeper) {
      world.sleep(500ms);
      const auto count = [](int& deletions) {
        return [&deletions](const Told& told) {
          deletions += told.type == EventType::deleted ? 1 : 0;
        };
      };
      zookeeper.exists("/lock", count(herd), Role::none);
      std::string number = std::to_string(i);
      number.insert(0, 10 - number.size(), '0');
      zookeeper.exists("/q/n-" + number, count(queue), Role::none);
      world.sleep(2s);
    });
  }
  world.run();
  EXPECT_EQ(herd, kClients);
  EXPECT_EQ(queue, 1);
}

// ---------------------------------------------------------------- outcomes that are unknown

sim::Fault dropped_answer(std::string_view client, std::uint32_t nth = 1) {
  sim::Fault fault;
  fault.verb = sim::Verb::drop;
  fault.target = client;
  fault.trigger.side = sim::Side::after;
  fault.trigger.role = Role::acquire;
  fault.trigger.phase = sim::Phase::applied;
  fault.trigger.nth = nth;
  return fault;
}

TEST(Server, HasCreatedWhatItCouldNotSayItHas) {  // Z12
  World world({.options = {.ttl = 4s}});
  world.thread(1, [&](SimClient& zookeeper) {
    const auto acquire = [&] {
      return zookeeper.create("/lock", "", CreateMode::ephemeral, Role::acquire);
    };
    EXPECT_TRUE(acquire().unknown());
    EXPECT_EQ(acquire().code, Code::node_exists);
    EXPECT_EQ(zookeeper.exists("/lock", {}, Role::none).stat.ephemeral_owner, zookeeper.session());
  });
  world.run({dropped_answer("client-1")});
}

TEST(Server, HasCreatedASequentialNodeTwiceForWhoAsksAgain) {  // Z13
  World world;
  world.thread(1, [&](SimClient& zookeeper) {
    create(zookeeper, "/lock");
    const auto acquire = [&] {
      return zookeeper.create("/lock/n-", "", CreateMode::ephemeral_sequential, Role::acquire);
    };
    EXPECT_TRUE(acquire().unknown());
    EXPECT_EQ(acquire().path, "/lock/n-0000000001");
    world.sleep(1min);
    EXPECT_TRUE(is_there(zookeeper, "/lock/n-0000000000"));
  });
  world.run({dropped_answer("client-1")});
  EXPECT_THAT(world.entries(), ElementsAre("entry created command by 1 of 0"));
}

// ---------------------------------------------------------------- the lock's entry

TEST(Server, RecordsAsHolderWhoseNumberIsLowest) {
  World world({.clients = 2});
  world.thread(1, [&](SimClient& zookeeper) {
    create(zookeeper, "/lock");
    const Answer mine = create(zookeeper, "/lock/n-", CreateMode::ephemeral_sequential);
    world.sleep(1s);
    remove(zookeeper, mine.path);
  });
  world.thread(2, [&](SimClient& zookeeper) {
    world.sleep(500ms);
    const Answer mine = create(zookeeper, "/lock/a-", CreateMode::ephemeral_sequential);
    world.sleep(1s);
    remove(zookeeper, mine.path);
  });
  world.run();
  EXPECT_THAT(world.entries(),
              ElementsAre("entry created command by 1 of 0", "entry removed command by 1 of 1",
                          "entry created command by 2 of 0", "entry removed command by 2 of 2"));
}

}  // namespace
}  // namespace picklock::zookeeper::server_tests
