#include "models/mysql/sim_client.h"

#include <gtest/gtest.h>

#include "models/locks/mysql/options.h"
#include "models/servers/verbs.h"
#include "testing/mysql/database_world.h"

namespace picklock::mysql::sim_client_tests {
namespace {

using namespace std::chrono_literals;

TEST(Client, LendsEachOfItsConnectionsToOneThreadAtATime) {
  models::SmallWorld::Setup setup = database(1);
  setup.options.connections = 1;
  models::SmallWorld world(setup);
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = self.connection<Client>().connect();
    self.sleep(1s);
  });
  world.client(
      1,
      [](models::SmallWorld& here, picklock::Client& self) {
        self.sleep(100ms);
        EXPECT_NE(self.connection<Client>().connect(), nullptr);
        EXPECT_NEAR(static_cast<double>(here.milliseconds()), 1001, 1);
      },
      2);
  world.run();
}

TEST(Client, HasNoConnectionToLendOnceItsPatienceHasEnded) {
  models::SmallWorld::Setup setup = database(1);
  setup.options.connections = 1;
  setup.command_timeout = 2s;
  models::SmallWorld world(setup);
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = self.connection<Client>().connect();
    EXPECT_EQ(self.connection<Client>().connect(), nullptr);
  });
  world.run();
}

TEST(Client, RollsBackWhatIsGivenBackToThePool) {
  for (const bool resets : {true, false}) {
    models::SmallWorld::Setup setup = database(1);
    setup.options.of<models::locks::mysql::ConnectionOptions>().pool_resets = resets;
    models::SmallWorld world(setup);
    world.client(1, [resets](models::SmallWorld& here, picklock::Client& self) {
      locked(self.connection<Client>()).reset();
      self.sleep(10ms);
      EXPECT_EQ(here.cluster<Cluster>().group().server(0).engine().owner_of_row(kLockRows, "lock"),
                resets ? 0u : 1u);
    });
    world.run();
  }
}

// The next borrower gets at once a lock that was never released.
TEST(Client, GivesANameAwayWithItsConnection) {
  models::SmallWorld world(database(1));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    self.connection<Client>().connect()->execute(get_lock(0));
    EXPECT_EQ(self.connection<Client>().connect()->execute(get_lock(0)).rows,
              std::vector<Row>{{std::int64_t{1}}});
  });
  world.run();
}

TEST(Client, GoesOnWithAnotherSessionOnlyWhereItsDriverReconnects) {  // C-16
  for (const bool reconnects : {true, false}) {
    models::SmallWorld::Setup setup = database(1);
    setup.options.of<models::locks::mysql::ConnectionOptions>().reconnect = reconnects;
    models::SmallWorld world(setup);
    world.client(1, [reconnects](models::SmallWorld&, picklock::Client& self) {
      const auto connection = self.connection<Client>().connect();
      EXPECT_TRUE(connection->execute(get_lock(0)).ok());
      const std::uint32_t session = connection->session();
      self.sleep(2s);
      const Answer answer = connection->execute(write_work());
      EXPECT_EQ(answer.error, reconnects ? Error::none : Error::gone_away);
      EXPECT_EQ(connection->session() == session, !reconnects);
    });
    world.run({fault(models::kKillSession, "client-1", 1s)});
  }
}

}  // namespace
}  // namespace picklock::mysql::sim_client_tests
