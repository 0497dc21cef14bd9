#include "models/mysql/server.h"

#include <gmock/gmock.h>

#include "models/servers/verbs.h"
#include "testing/mysql/database_world.h"

namespace picklock::mysql::server_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> writes(const models::SmallWorld& world) {
  std::vector<std::string> lines;
  for (const history::HistoryEvent& event : world.history()) {
    if (event.what == history::What::write_accepted)
      lines.push_back(std::to_string(event.tenure) + " at " +
                      std::to_string(sim::nanoseconds(event.at) / 1'000'000));
  }
  return lines;
}

TEST(Server, LetsAWaiterInWhenTheTransactionOfTheHolderEnds) {  // M17
  models::SmallWorld world(database(2));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = locked(self.connection<Client>());
    self.sleep(1s);
    EXPECT_TRUE(connection->execute({.op = Op::commit}).ok());
  });
  world.client(2, [](models::SmallWorld& here, picklock::Client& self) {
    self.sleep(100ms);
    const auto connection = locked(self.connection<Client>());
    EXPECT_GE(here.milliseconds(), 1000);
    EXPECT_LE(here.milliseconds(), 1010);
  });
  world.run();
  EXPECT_THAT(world.effects(), ElementsAre(testing::EndsWith("entry created command by 1 of 0"),
                                           testing::EndsWith("entry removed command by 1 of 1"),
                                           testing::EndsWith("entry created command by 2 of 0"),
                                           testing::HasSubstr("entry removed")));
}

TEST(Server, AnswersAWaitThatIsTooLongWith1205AndKeepsTheTransaction) {  // M15
  models::SmallWorld world(database(2, {.lock_wait_timeout = 2s}));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = locked(self.connection<Client>());
    self.sleep(10s);
  });
  world.client(2, [](models::SmallWorld& here, picklock::Client& self) {
    self.sleep(100ms);
    const auto connection = self.connection<Client>().connect();
    connection->execute({.op = Op::begin});
    EXPECT_TRUE(connection->execute(insert_row()).ok());
    const auto began = here.milliseconds();
    EXPECT_EQ(connection->execute(lock_row()).error, Error::lock_wait_timeout);
    EXPECT_NEAR(static_cast<double>(here.milliseconds() - began), 2000, 5);
    EXPECT_TRUE(connection->execute({.op = Op::commit}).ok());
    EXPECT_NE(here.cluster<Cluster>().group().server(0).engine().row(kLocks, "lock"), nullptr);
  });
  world.run();
}

TEST(Server, RollsBackASessionWhoseClientIsKilledAtOnce) {  // M20
  models::SmallWorld world(database(2));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = locked(self.connection<Client>());
    self.sleep(10s);
  });
  world.client(2, [](models::SmallWorld& here, picklock::Client& self) {
    self.sleep(100ms);
    const auto connection = locked(self.connection<Client>());
    EXPECT_NEAR(static_cast<double>(here.milliseconds()), 1001, 2);
  });
  world.run({fault(sim::Verb::crash, "client-1", 1s)});
}

TEST(Server, KeepsTheLockOfAClientThatStandsStillUntilItsSessionHasIdledTooLong) {  // M21, M22
  models::SmallWorld world(database(2, {.wait_timeout = 8s}));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = locked(self.connection<Client>());
    self.sleep(1s);
    EXPECT_TRUE(ends_transaction(connection->execute({.op = Op::commit}).error));
  });
  world.client(2, [](models::SmallWorld& here, picklock::Client& self) {
    self.sleep(100ms);
    const auto connection = locked(self.connection<Client>());
    EXPECT_NEAR(static_cast<double>(here.milliseconds()), 8003, 5);
  });
  sim::Fault pause = fault(sim::Verb::pause, "client-1", 500ms);
  pause.lasts = 20s;
  world.run({pause});
}

// The host of a client disappears silently: the kernel's probes find that out hours later.
TEST(Server, FindsAHalfOpenConnectionByItsKernelsProbes) {
  models::SmallWorld world(database(2));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = locked(self.connection<Client>());
    self.sleep(1s);
  });
  world.client(2, [](models::SmallWorld& here, picklock::Client& self) {
    self.sleep(100ms);
    const auto connection = self.connection<Client>().connect();
    connection->execute({.op = Op::begin});
    while (!connection->execute(lock_row()).ok()) {
    }
    EXPECT_NEAR(static_cast<double>(here.milliseconds()), (7200 + 675) * 1000, 100);
  });
  sim::Fault crash = fault(sim::Verb::crash, "client-1", 500ms);
  crash.host = crash.silent = true;
  world.run({crash});
}

TEST(Server, DoesTheStatementOfAWaiterThatIsDead) {  // M48
  models::SmallWorld world(database(3));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = self.connection<Client>().connect();
    connection->execute({.op = Op::begin});
    connection->execute(insert_row());
    self.sleep(5s);
    connection->execute({.op = Op::rollback});
  });
  world.client(2, [](models::SmallWorld&, picklock::Client& self) {
    self.sleep(100ms);
    self.connection<Client>().connect()->execute(insert_row());
  });
  world.client(3, [](models::SmallWorld& here, picklock::Client& self) {
    self.sleep(4s);
    EXPECT_EQ(here.cluster<Cluster>().group().server(0).engine().row(kLocks, "lock"), nullptr);
    self.sleep(2s);
    EXPECT_NE(here.cluster<Cluster>().group().server(0).engine().row(kLocks, "lock"), nullptr);
    EXPECT_EQ(here.cluster<Cluster>().group().server(0).sessions(), 1u);
  });
  world.run({fault(sim::Verb::crash, "client-2", 1s)});
}

TEST(Server, NoticesTheDeathOfWhoWaitsForANameAtAWholeSecondOfTheWait) {  // M49
  models::SmallWorld world(database(3));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = self.connection<Client>().connect();
    connection->execute(get_lock(0));
    self.sleep(10s);
  });
  world.client(2, [](models::SmallWorld&, picklock::Client& self) {
    self.sleep(200ms);
    self.connection<Client>().connect()->execute(get_lock(60));
  });
  world.client(3, [](models::SmallWorld& here, picklock::Client& self) {
    self.sleep(3100ms);
    EXPECT_EQ(here.cluster<Cluster>().group().server(0).sessions(), 2u);
    self.sleep(200ms);
    EXPECT_EQ(here.cluster<Cluster>().group().server(0).sessions(), 1u);
  });
  world.run({fault(sim::Verb::crash, "client-2", 2500ms)});
}

TEST(Server, TakesTheNamesAndTheTransactionOfASessionThatIsReset) {  // M61
  models::SmallWorld world(database(2));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = locked(self.connection<Client>());
    EXPECT_TRUE(connection->execute({.op = Op::get_lock, .name = "lock", .number = 0}).ok());
    self.sleep(1s);
    EXPECT_TRUE(connection->execute({.op = Op::reset_session}).ok());
    EXPECT_TRUE(connection->execute({.op = Op::ping}).ok()) << "it is the same session";
  });
  world.client(2, [](models::SmallWorld& here, picklock::Client& self) {
    self.sleep(100ms);
    const auto connection = self.connection<Client>().connect();
    EXPECT_TRUE(connection->execute({.op = Op::get_lock, .name = "lock", .number = 9}).ok());
    EXPECT_NEAR(static_cast<double>(here.milliseconds()), 1002, 5);
    connection->execute({.op = Op::begin});
    EXPECT_TRUE(connection->execute(insert_row()).ok()) << "the row of client-1 is rolled back";
    EXPECT_LT(here.milliseconds(), 1020);
  });
  world.run();
}

TEST(Server, GivesANameUpAfterSoManySeconds) {  // M30
  models::SmallWorld world(database(2));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = self.connection<Client>().connect();
    EXPECT_EQ(connection->execute(get_lock(0)).rows, std::vector<Row>{{std::int64_t{1}}});
    self.sleep(10s);
  });
  world.client(2, [](models::SmallWorld& here, picklock::Client& self) {
    self.sleep(1s);
    const auto connection = self.connection<Client>().connect();
    EXPECT_EQ(connection->execute(get_lock(3)).rows, std::vector<Row>{{std::int64_t{0}}});
    EXPECT_NEAR(static_cast<double>(here.milliseconds()), 4003, 2);
  });
  world.run();
}

TEST(Server, AcceptsAWriteOnceItsTransactionCommitsAndNoneOfOneThatIsRolledBack) {
  models::SmallWorld world(database(1));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = locked(self.connection<Client>());
    EXPECT_EQ(connection->execute(write_work()).affected, 1u);
    self.sleep(1s);
    connection->execute({.op = Op::commit});
    connection->execute({.op = Op::begin});
    connection->execute(write_work());
    connection->execute({.op = Op::rollback});
    connection->execute(write_work());
  });
  world.run();
  EXPECT_THAT(writes(world), ElementsAre("1 at 1005", "1 at 1009"));
}

TEST(Server, HasWhatWasCommittedAndNoLockWhenItIsStartedAgain) {  // M24
  models::SmallWorld world(database(1));
  world.client(1, [](models::SmallWorld& here, picklock::Client& self) {
    {
      const auto connection = self.connection<Client>().connect();
      connection->execute(
          {.op = Op::insert,
           .table = std::string(kInsertLocks),
           .values = {
               {.value = "lock"}, {.value = "me"}, {.of = Term::Of::now, .plus = 60'000'000}}});
      connection->execute({.op = Op::begin});
      connection->execute(insert_row());
      self.sleep(2s);
      EXPECT_EQ(connection->execute({.op = Op::commit}).error, Error::gone_away);
    }
    EXPECT_EQ(here.cluster<Cluster>().group().server(0).engine().row(kLocks, "lock"), nullptr);
    EXPECT_NE(here.cluster<Cluster>().group().server(0).engine().row(kInsertLocks, "lock"),
              nullptr);
    EXPECT_TRUE(self.connection<Client>().connect()->execute(insert_row()).ok());
  });
  sim::Fault restart = fault(sim::Verb::restart, "mysql-1", 1s);
  restart.keeps = sim::Keeps::fsynced;
  world.run({restart});
}

TEST(Server, LosesTheLastCommitsWithItsPowerWhereTheLogIsForcedOnceASecond) {
  for (const bool flushes : {false, true}) {
    models::SmallWorld world(database(1, {.flush_at_commit = flushes}));
    world.client(1, [flushes](models::SmallWorld& here, picklock::Client& self) {
      EXPECT_TRUE(self.connection<Client>().connect()->execute(insert_row()).ok());
      self.sleep(2s);
      EXPECT_EQ(here.cluster<Cluster>().group().server(0).engine().row(kLocks, "lock") != nullptr,
                flushes);
    });
    sim::Fault restart = fault(sim::Verb::restart, "mysql-1", 500ms);
    restart.keeps = sim::Keeps::fsynced;
    world.run({restart});
  }
}

TEST(Server, TakesItsLocksWithItWhereAReplicaIsPromoted) {
  models::SmallWorld world(database(2, {}, 2));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    self.connection<Client>().connect()->execute(insert_row());
    self.sleep(500ms);
    const auto connection = locked(self.connection<Client>());
    self.sleep(2s);
    EXPECT_EQ(connection->execute({.op = Op::commit}).error, Error::gone_away);
  });
  world.client(2, [](models::SmallWorld& here, picklock::Client& self) {
    self.sleep(1500ms);
    const auto connection = locked(self.connection<Client>());
    EXPECT_EQ(here.cluster<Cluster>().group().server(0).process().down(), true);
    EXPECT_EQ(connection->execute(insert_row()).error, Error::duplicate) << "what was replicated";
    self.sleep(1s);
  });
  world.run({fault(models::kFailOver, "mysql-1", 1s)});
  EXPECT_TRUE(world.cluster<Cluster>().group().server(1).is_primary());
}

Statement insert_of_lock() {
  return {.op = Op::insert,
          .table = std::string(kInsertLocks),
          .values = {{.value = "lock"}, {.value = "1"}, {.value = std::int64_t{INT64_MAX / 2}}}};
}

TEST(Server, LeavesARowToItsOwnerWhereAReplicaIsPromoted) {
  models::SmallWorld world(database(1, {}, 2));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    self.connection<Client>().connect()->execute(insert_of_lock());
    self.sleep(2s);
  });
  world.run({fault(models::kFailOver, "mysql-1", 1s)});
  EXPECT_THAT(world.effects(), ElementsAre(testing::EndsWith("entry created command by 1 of 0"),
                                           testing::EndsWith("entry created failover by 0 of 1"),
                                           testing::EndsWith("entry removed failover by 0 of 1")));
}

TEST(Server, LeavesARowToItsOwnerWhereARestartHasUndoneTheDeletion) {
  models::SmallWorld world(database(1, {.flush_at_commit = false}));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = self.connection<Client>().connect();
    connection->execute(insert_of_lock());
    self.sleep(1500ms);
    connection->execute({.op = Op::remove, .table = std::string(kInsertLocks), .key = "lock"});
    self.sleep(2s);
  });
  sim::Fault restart = fault(sim::Verb::restart, "mysql-1", 1600ms);
  restart.keeps = sim::Keeps::fsynced;
  world.run({restart});
  EXPECT_THAT(world.effects(), ElementsAre(testing::EndsWith("entry created command by 1 of 0"),
                                           testing::EndsWith("entry removed command by 1 of 1"),
                                           testing::EndsWith("entry created restart by 0 of 1")));
}

TEST(Server, WaitsForARowNoLongerThanItsSessionSays) {
  for (const Variant variant : {Variant::mariadb, Variant::mysql}) {
    models::SmallWorld world(database(2, {.variant = variant, .lock_wait_timeout = 5s}));
    world.client(1, [](models::SmallWorld&, picklock::Client& self) {
      const auto connection = locked(self.connection<Client>());
      self.sleep(60s);
    });
    world.client(2, [variant](models::SmallWorld& here, picklock::Client& self) {
      self.sleep(100ms);
      const auto connection = self.connection<Client>().connect();
      const std::int64_t least = variant == Variant::mysql ? 1000 : 0;
      for (const auto& [seconds, waited] :
           {std::pair{3, std::int64_t{3000}}, {9, 5000}, {0, least}}) {
        connection->execute({.op = Op::set_lock_wait_timeout, .number = seconds});
        const std::int64_t began = here.milliseconds();
        EXPECT_EQ(connection->execute(lock_row()).error, Error::lock_wait_timeout);
        EXPECT_NEAR(static_cast<double>(here.milliseconds() - began), static_cast<double>(waited),
                    5);
      }
    });
    world.run();
  }
}

// The deadlines of thousands of sessions are in one index, which knows of every change.
TEST(Server, EndsEveryWaitAndEveryIdleSessionInTimeThoughOthersComeAndGo) {
  models::SmallWorld world(database(3, {.lock_wait_timeout = 4s, .wait_timeout = 10s}));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = locked(self.connection<Client>());
    self.sleep(8s);
    EXPECT_TRUE(connection->execute({.op = Op::commit}).ok());
  });
  world.client(2, [](models::SmallWorld& here, picklock::Client& self) {
    self.sleep(1s);
    const auto connection = self.connection<Client>().connect();
    EXPECT_EQ(connection->execute(lock_row()).error, Error::lock_wait_timeout);
    EXPECT_NEAR(static_cast<double>(here.milliseconds()), 5000, 10);
    EXPECT_TRUE(connection->execute(lock_row()).ok());
    EXPECT_NEAR(static_cast<double>(here.milliseconds()), 8000, 10);
  });
  world.client(3, [](models::SmallWorld& here, picklock::Client& self) {
    const auto connection = self.connection<Client>().connect();
    self.sleep(2s);
    EXPECT_TRUE(connection->execute({.op = Op::ping}).ok());
    self.sleep(9s);
    EXPECT_TRUE(connection->execute({.op = Op::ping}).ok());
    self.sleep(9900ms);
    EXPECT_EQ(here.cluster<Cluster>().group().server(0).sessions(), 1u);
    self.sleep(200ms);
    EXPECT_EQ(here.cluster<Cluster>().group().server(0).sessions(), 0u);
  });
  world.run();
}

TEST(Server, AndItsReplicaBothTakeWritesWhereTheyCannotHearEachOther) {  // B-15
  models::SmallWorld world(database(2, {.promote_after = 3s}, 2));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    self.sleep(100ms);
    const auto connection = locked(self.connection<Client>());
    self.sleep(10s);
    EXPECT_TRUE(connection->execute({.op = Op::commit}).ok());
  });
  world.client(2, [](models::SmallWorld& here, picklock::Client& self) {
    self.sleep(8s);
    const auto connection = locked(self.connection<Client>());
    EXPECT_TRUE(here.cluster<Cluster>().group().server(0).is_primary());
    EXPECT_TRUE(here.cluster<Cluster>().group().server(1).is_primary());
  });
  sim::Fault cut = fault(sim::Verb::partition, "mysql-1", 1s);
  cut.from = {"mysql-2", "client-2"};
  cut.lasts = 30s;
  world.run({cut});
}

TEST(Server, RefusesWhatLocksOrWritesAsAReplica) {
  models::SmallWorld world(database(1, {}, 2));
  world.client(1, [](models::SmallWorld& here, picklock::Client& self) {
    sim::Caller caller;
    Server& replica = here.cluster<Cluster>().group().server(1);
    caller.reset(here.simulation, here.simulation.scheduler.processes().at(0), replica.process(),
                 replica, protocol());
    const auto ask = [&](const Statement& statement) {
      const sim::Answer answer =
          caller.call({}, 1s, [&](sim::Payload& payload) { write(statement, payload); });
      return *read_answer(answer.bytes());
    };
    EXPECT_EQ(ask(insert_row()).error, Error::is_read_only);
    EXPECT_EQ(ask(lock_row()).error, Error::is_read_only);
    EXPECT_TRUE(ask({.op = Op::select, .table = std::string(kWork), .key = "lock"}).ok());
    self.sleep(1ms);
  });
  world.run();
}

std::vector<std::string> refusals(const models::SmallWorld& world) {
  std::vector<std::string> lines;
  for (const history::HistoryEvent& event : world.history()) {
    if (event.what == history::What::deadlock_broken || event.what == history::What::refused_free)
      lines.push_back(std::string(history::name(event.what)) + " " + std::to_string(event.tenure));
  }
  return lines;
}

// By then its client has given up and has closed the connection, behind what a partition holds
// back.
TEST(Server, TakesNothingFromAConnectionWhoseSessionHasEnded) {
  models::SmallWorld world(database(1));
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const auto connection = locked(self.connection<Client>());
    self.sleep(2s);
    EXPECT_EQ(connection->execute(write_work()).error, Error::lost);
    self.sleep(300s);
  });
  sim::Fault cut = fault(sim::Verb::partition, "client-1", 1s);
  cut.lasts = 200s;
  world.run({cut, fault(models::kKillSession, "client-1", 100s)});
  EXPECT_THAT(writes(world), IsEmpty());
  EXPECT_EQ(world.cluster<Cluster>().group().server(0).sessions(), 0u);
}

TEST(Server, PutsOnRecordWhoWaitedForALockInVain) {
  models::SmallWorld world(database(2));
  for (const std::uint32_t number : {1u, 2u}) {
    world.client(number, [number](models::SmallWorld& here, picklock::Client& self) {
      here.play(Role::acquire);
      self.sleep(number * 10ms);
      const auto connection = self.connection<Client>().connect();
      connection->execute({.op = Op::begin});
      const Answer answer = connection->execute(insert_row());
      EXPECT_EQ(answer.error, number == 1 ? Error::none : Error::duplicate);
      self.sleep(1s);
      connection->execute({.op = Op::commit});
    });
  }
  world.run();
  EXPECT_THAT(refusals(world), ElementsAre("refused though free 2"));
}

TEST(Server, PutsTheVictimOfACircleOnRecord) {  // M5
  models::SmallWorld world(database(2));
  for (const std::uint32_t number : {1u, 2u}) {
    world.client(number, [number](models::SmallWorld& here, picklock::Client& self) {
      here.play(Role::acquire);
      const auto connection = self.connection<Client>().connect();
      connection->execute({.op = Op::begin});
      Statement probe = lock_row();
      probe.table = kLocks;
      EXPECT_THAT(connection->execute(probe).rows, IsEmpty());
      self.sleep(number * 100ms);
      EXPECT_EQ(connection->execute(insert_row()).error,
                number == 1 ? Error::none : Error::deadlock);
    });
  }
  world.run();
  EXPECT_THAT(refusals(world), ElementsAre("deadlock broken 2"));
}

// A row of insert_locks.
Statement insert_of(std::string key, std::string owner) {
  return {.op = Op::insert,
          .table = std::string(kInsertLocks),
          .values = {{.value = std::move(key)},
                     {.value = std::move(owner)},
                     {.value = std::int64_t{INT64_MAX / 2}}}};
}

models::SmallWorld::Setup ring(std::uint32_t primaries) {
  return database(primaries, {.primaries = primaries});
}

std::string owner_at(models::SmallWorld& world, std::size_t server, const std::string& key) {
  const Row* const row =
      world.cluster<Cluster>().group().server(server - 1).engine().row(kInsertLocks, key);
  return row == nullptr ? "nobody" : std::get<std::string>((*row)[1]);
}

TEST(Server, PassesOnWhatItsClientsHaveCommittedToEveryOtherPrimaryOnce) {
  models::SmallWorld world(ring(3));
  for (std::uint32_t number = 1; number <= 3; ++number) {
    world.client(number, [number](models::SmallWorld& here, picklock::Client& self) {
      const std::string mine = std::to_string(number);
      const auto connection = self.connection<Client>().connect();
      EXPECT_TRUE(connection->execute(insert_of("key-" + mine, mine)).ok());
      self.sleep(2s);
      EXPECT_EQ(here.cluster<Cluster>().group().server(number - 1).commits(), 3u);
      for (std::size_t server = 1; server <= 3; ++server)
        EXPECT_EQ(owner_at(here, server, "key-" + mine), mine) << server;
      self.sleep(1s);
    });
  }
  world.run();
}

TEST(Server, LocksRowsAndNamesForItselfAloneAmongPrimaries) {  // M59
  models::SmallWorld world(ring(2));
  for (std::uint32_t number = 1; number <= 2; ++number) {
    world.client(number, [](models::SmallWorld& here, picklock::Client& self) {
      const auto connection = locked(self.connection<Client>());
      EXPECT_EQ(connection->execute(get_lock(10)).rows, (std::vector<Row>{{std::int64_t{1}}}));
      EXPECT_LT(here.milliseconds(), 100);
      self.sleep(5s);
    });
  }
  world.run();
}

TEST(Server, AppliesAChangeOfAnotherPrimaryOnceNoClientHasTheRow) {  // M59
  models::SmallWorld world(ring(2));
  const auto work = [](models::SmallWorld& here) {
    const Row* const row = here.cluster<Cluster>().group().server(1).engine().row(kWork, "lock");
    return std::get<std::int64_t>((*row)[1]);
  };
  world.client(2, [&](models::SmallWorld& here, picklock::Client& self) {
    const auto connection = self.connection<Client>().connect();
    connection->execute({.op = Op::begin});
    Statement lock = lock_row();
    lock.table = kWork;
    connection->execute(lock);
    self.sleep(5s);
    EXPECT_EQ(work(here), 0);
    connection->execute({.op = Op::commit});
    self.sleep(1s);
    EXPECT_EQ(work(here), 1);
  });
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    self.sleep(1s);
    const auto connection = self.connection<Client>().connect();
    EXPECT_TRUE(connection->execute(write_work()).ok());
    self.sleep(10s);
  });
  world.run();
}

TEST(Server, ExchangesRowsThatTwoPrimariesHaveInsertedAtOnce) {  // M60
  models::SmallWorld world(ring(2));
  for (std::uint32_t number = 1; number <= 2; ++number) {
    world.client(number, [number](models::SmallWorld& here, picklock::Client& self) {
      const auto connection = self.connection<Client>().connect();
      EXPECT_TRUE(connection->execute(insert_of("lock", std::to_string(number))).ok());
      self.sleep(2s);
      EXPECT_EQ(owner_at(here, number, "lock"), std::to_string(3 - number));
    });
  }
  world.run();
}

TEST(Server, GetsWhatItHasMissedFromTheOtherPrimaryWhenItIsStartedAgain) {
  models::SmallWorld world(ring(2));
  world.client(1, [](models::SmallWorld& here, picklock::Client& self) {
    const auto connection = self.connection<Client>().connect();
    EXPECT_TRUE(connection->execute(insert_of("a", "1")).ok());
    self.sleep(2s);
    EXPECT_TRUE(connection->execute(insert_of("b", "1")).ok());
    self.sleep(5s);
    EXPECT_EQ(owner_at(here, 2, "a"), "1");
    EXPECT_EQ(owner_at(here, 2, "b"), "1");
    EXPECT_EQ(here.cluster<Cluster>().group().server(1).commits(), 2u);
  });
  sim::Fault crash = fault(sim::Verb::crash, "mysql-2", 1s);
  crash.lasts = 3s;
  crash.keeps = sim::Keeps::fsynced;
  world.run({crash});
}

}  // namespace
}  // namespace picklock::mysql::server_tests
