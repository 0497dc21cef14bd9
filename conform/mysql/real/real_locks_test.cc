// Every lock of the catalogue for MySQL, on a real server, over real sockets and by real clocks:
// the same object code that the simulator judges.
#include <gmock/gmock.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "conform/mysql/real/real_mysql.h"
#include "conform/mysql/real_server.h"
#include "models/locks/catalogue.h"
#include "models/locks/mysql/options.h"
#include "models/mysql/sim_client.h"
#include "models/mysql/tables.h"
#include "picklock/mysql.h"
#include "testing/conform/real_clients.h"

namespace picklock::conform::mysql::real {

using namespace picklock::mysql;

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const std::string kDatabase = "picklock";

const Address& server_address() {
  static const RealServer server;
  return server.address();
}

// The clients of one lock, on a server of our own.
class World : public conform::real::RealClients<World> {
 public:
  using Body = std::function<void(picklock::Client& self, Lock& lock)>;

  World(const models::Algorithm& algorithm, std::uint32_t clients, models::LockOptions options,
        std::string lock_key)
      : RealClients(clients, lock_key),
        key(std::move(lock_key)),
        options_(std::move(options)),
        algorithm_(algorithm),
        server_(simulation, simulation.scheduler.processes().add("mysql-1"), server_address(),
                kDatabase),
        ends_{server_.end()} {
    prepare(server_address(), kDatabase, key, options_.of<models::locks::mysql::RowOptions>().rows);
    time->watch(server_);
    add_machines(std::vector<models::LockOptions>(clients, options_));
    for (models::ClientMachine& machine : machines) {
      connections_.emplace_back().reset(simulation, machine.process(), ends_, options_);
      machine.connect(connections_.back());
    }
  }

  void client(std::uint32_t number, Body body) {
    Lock& lock = *locks_.emplace_back(models::locks::make_lock(algorithm_, options_));
    RealClients::client(number, [&lock, run = std::move(body)](World&, picklock::Client& self) {
      run(self, lock);
    });
  }

  void run() { run_for(60s); }

  const std::string key;

 private:
  models::LockOptions options_;
  const models::Algorithm& algorithm_;
  RealMySql server_;
  std::vector<models::ServerEnd> ends_;
  std::deque<picklock::mysql::SimClient> connections_;
  std::vector<std::unique_ptr<Lock>> locks_;
};

std::vector<const models::Algorithm*> on_mysql() {
  std::vector<const models::Algorithm*> all;
  for (const models::Algorithm* one : models::locks::all()) {
    if (one->uses.server == picklock::mysql::kServer) all.push_back(one);
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<const models::Algorithm*>& one) {
  std::string name(one.param->name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

models::LockOptions patiently(const models::Algorithm& algorithm) {
  models::LockOptions options = models::as_it_comes(algorithm);
  options.retry_every = 10ms;
  options.acquire_timeout = 30s;
  return options;
}

class OnARealServer : public testing::TestWithParam<const models::Algorithm*> {};

INSTANTIATE_TEST_SUITE_P(Lock, OnARealServer, testing::ValuesIn(on_mysql()), name_of);

TEST_P(OnARealServer, LetsOneClientInAtATimeAndTheNextWhenItHasReleased) {
  World world(*GetParam(), 3, patiently(*GetParam()), "turns-" + std::string(GetParam()->name));
  int inside = 0;
  int sections = 0;
  for (std::uint32_t number = 1; number <= 3; ++number) {
    world.client(number, [&](picklock::Client& self, Lock& lock) {
      for (int i = 0; i < 2; ++i) {
        const Acquired acquired = lock.acquire(self, world.key);
        ASSERT_TRUE(acquired);
        EXPECT_EQ(++inside, 1);
        self.sleep(20ms);
        --inside;
        ++sections;
        EXPECT_EQ(lock.release(self, acquired.lease()), Released::ok);
      }
    });
  }
  world.run();
  EXPECT_EQ(sections, 6);
}

// In opposite orders, so that one of them is the victim of a deadlock now and then.
TEST_P(OnARealServer, LetsOneClientInAtATimeToWhomAllRowsBelong) {
  using namespace models::locks::mysql;
  if (!models::takes(*GetParam(), "rows")) GTEST_SKIP() << "it is one row";
  const bool leased = models::takes(*GetParam(), "ttl");
  models::LockOptions options = patiently(*GetParam());
  options.ttl = 3s;
  options.of<RowOptions>().rows = 3;
  options.of<RowOptions>().row_order = RowOrder::alternating;
  World world(*GetParam(), 3, options, "rows-" + std::string(GetParam()->name));
  int inside = 0;
  int sections = 0;
  for (std::uint32_t number = 1; number <= 3; ++number) {
    world.client(number, [&](picklock::Client& self, Lock& lock) {
      for (int i = 0; i < 2; ++i) {
        const Acquired acquired = lock.acquire(self, world.key);
        ASSERT_TRUE(acquired);
        EXPECT_EQ(++inside, 1);
        self.sleep(20ms);
        --inside;
        ++sections;
        // A release that deletes rows can be the victim too: of a client that has met the row by
        // its insert, and waits to delete it if it is overdue. Then the rows stay until they are.
        const Released released = lock.release(self, acquired.lease());
        EXPECT_TRUE(released == Released::ok || (leased && released == Released::unknown));
      }
    });
  }
  world.run();
  EXPECT_EQ(sections, 6);
}

TEST_P(OnARealServer, GivesTheLockOfADeadClientToTheNext) {
  models::LockOptions options = patiently(*GetParam());
  options.ttl = 1s;
  World world(*GetParam(), 2, options, "dies-" + std::string(GetParam()->name));
  bool held = false;
  Duration waited{};
  world.client(1, [&](picklock::Client& self, Lock& lock) {
    held = static_cast<bool>(lock.acquire(self, world.key));
    self.sleep(1h);
  });
  world.client(2, [&](picklock::Client& self, Lock& lock) {
    while (!held) self.sleep(10ms);
    world.crash(1);
    const Duration began = self.monotonic_now();
    EXPECT_TRUE(lock.acquire(self, world.key));
    waited = self.monotonic_now() - began;
  });
  world.run();
  EXPECT_GT(waited, models::takes(*GetParam(), "ttl") ? 500ms : 0ms);
  EXPECT_LT(waited, 10s);
}

TEST_P(OnARealServer, CountsItsFencingTokensFromGrantToGrant) {
  if (!GetParam()->uses.mint) GTEST_SKIP() << "it has none";
  models::LockOptions options = patiently(*GetParam());
  options.mint = models::Mint::in_script;
  World world(*GetParam(), 1, options, "fence-" + std::string(GetParam()->name));
  std::vector<std::int64_t> tokens;
  world.client(1, [&](picklock::Client& self, Lock& lock) {
    for (int i = 0; i < 3; ++i) {
      const Acquired acquired = lock.acquire(self, world.key);
      ASSERT_TRUE(acquired);
      tokens.push_back(acquired.lease().fence);
      lock.release(self, acquired.lease());
    }
  });
  world.run();
  EXPECT_THAT(tokens, ElementsAre(1, 2, 3));
}

TEST_P(OnARealServer, WritesBesideItselfInItsOwnDatabase) {
  if (!GetParam()->uses.database) GTEST_SKIP() << "it keeps no session";
  World world(*GetParam(), 1, patiently(*GetParam()), "work-" + std::string(GetParam()->name));
  world.client(1, [&](picklock::Client& self, Lock& lock) {
    const Acquired acquired = lock.acquire(self, world.key);
    ASSERT_TRUE(acquired);
    auto& database = dynamic_cast<DatabaseWrite&>(lock);
    EXPECT_EQ(database.write_in_database(self, acquired.lease()), Written::accepted);
    EXPECT_EQ(database.write_in_database(self, acquired.lease()), Written::accepted);
    EXPECT_EQ(lock.release(self, acquired.lease()), Released::ok);
    const auto connection = self.connection<picklock::mysql::Client>().connect();
    EXPECT_EQ(
        connection->execute({.op = Op::select, .table = std::string(kWork), .key = world.key}).rows,
        (std::vector<Row>{{world.key, std::int64_t{2}}}));
  });
  world.run();
}

}  // namespace
}  // namespace picklock::conform::mysql::real
