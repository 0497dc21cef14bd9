#include <gmock/gmock.h>

#include "models/locks/mysql/get_lock.h"
#include "models/locks/mysql/insert_lock.h"
#include "models/locks/mysql/row_locks.h"
#include "models/locks/mysql/shedlock.h"
#include "models/mysql/cluster.h"
#include "models/mysql/kind.h"
#include "models/mysql/spec.h"
#include "models/mysql/tables.h"
#include "testing/small_world.h"

namespace picklock::models::locks::mysql::locks_tests {
namespace {

using namespace std::chrono_literals;
using picklock::mysql::Isolation;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

SmallWorld::Setup with(std::uint32_t clients, LockOptions options = {},
                       picklock::mysql::Settings settings = {}) {
  options.connections = 5;
  SmallWorld::Setup setup{.clients = clients,
                          .command_timeout = 60s,
                          .other = &picklock::mysql::kKind,
                          .options = options};
  setup.specs.of<picklock::mysql::Spec>().settings = settings;
  return setup;
}

std::unique_ptr<Lock> made(const Algorithm& algorithm, LockOptions options = {}) {
  options.command_timeout = 60s;
  return algorithm.make(options);
}

// Client 1 holds the lock from the start, for so long.
void holds(SmallWorld& world, Lock& lock, Duration length) {
  world.client(1, [&lock, length](SmallWorld& all, Client& self) {
    all.play(Role::acquire);
    const Acquired acquired = lock.acquire(self, "lock");
    ASSERT_TRUE(acquired);
    self.sleep(length);
    all.play(Role::release);
    lock.release(self, acquired.lease());
  });
}

// One attempt of client 2, a second later: its duration and its outcome.
struct Attempt {
  std::int64_t took_ms = 0;
  bool granted = false;
};
Attempt second_tries(SmallWorld& world, Lock& lock) {
  Attempt attempt;
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1s);
    all.play(Role::acquire);
    const std::int64_t began = all.milliseconds();
    attempt.granted = static_cast<bool>(lock.try_acquire(self, "lock"));
    attempt.took_ms = all.milliseconds() - began;
  });
  world.run();
  return attempt;
}

LockOptions of_two_rows(RowOrder order, AfterError after_error) {
  LockOptions options;
  options.of<RowOptions>() = {.rows = 2, .row_order = order, .after_error = after_error};
  return options;
}

TEST(MySqlLocks, OfSeveralRowsPromiseLessWithWrongOrdersOrAfterWrongReactions) {
  const auto promises = [](const Algorithm& algorithm, RowOrder order, AfterError after_error,
                           Property property) {
    return promise(algorithm, property, of_two_rows(order, after_error)).has_value();
  };
  using enum AfterError;
  const Algorithm& rows = mysql_row_lock();
  EXPECT_TRUE(promises(rows, RowOrder::same, repeat, Property::no_deadlock));
  EXPECT_FALSE(promises(rows, RowOrder::alternating, rollback, Property::no_deadlock));
  EXPECT_TRUE(promises(rows, RowOrder::alternating, rollback, Property::mutual_exclusion));
  EXPECT_FALSE(promises(rows, RowOrder::alternating, repeat, Property::mutual_exclusion));
  EXPECT_TRUE(promises(mysql_insert_lock(), RowOrder::same, rollback, Property::not_stuck));
  EXPECT_FALSE(promises(mysql_insert_lock(), RowOrder::same, commit, Property::not_stuck));
}

// A session that is cut off while it waits for its second row keeps the first. And a row that was
// overdue when it was deleted is in time again once the server's clock has been set back.
TEST(MySqlLocks, OfSeveralRowsPromiseLessUnderFaultsThatStrikeBetweenTheRows) {
  const auto under = [](const Algorithm& algorithm, std::uint32_t rows, Property property) {
    LockOptions options = as_it_comes(algorithm);
    options.of<RowOptions>().rows = rows;
    return promise(algorithm, property, options)->under;
  };
  for (const Algorithm* algorithm : {&mysql_row_lock(), &mysql_insert_lock()}) {
    EXPECT_TRUE(under(*algorithm, 1, Property::available).has(FaultClass::partition));
    EXPECT_FALSE(under(*algorithm, 2, Property::available).has(FaultClass::partition));
    EXPECT_TRUE(under(*algorithm, 2, Property::available).has(FaultClass::client_clock));
  }
  EXPECT_TRUE(under(mysql_insert_lock(), 1, Property::own_release).has(FaultClass::server_clock));
  EXPECT_FALSE(under(mysql_insert_lock(), 2, Property::own_release).has(FaultClass::server_clock));
}

// docs/facts/failures.md C-27.
TEST(MySqlLocks, OfATimePromiseTheirOwnReleaseWithinTheLeaseIfNoReleaseComparesTheOwner) {
  LockOptions options = as_it_comes(shedlock());
  EXPECT_TRUE(promise(shedlock(), Property::own_release, options)->under.has(FaultClass::pause));
  options.of<ShedLockOptions>().release_compares = false;
  EXPECT_FALSE(promise(shedlock(), Property::own_release, options)->under.has(FaultClass::pause));
}

TEST(MySqlLocks, OfSeveralRowsAreHeldByWhoeverHasAllOfThem) {
  for (const Algorithm* algorithm : {&mysql_row_lock(), &mysql_insert_lock()}) {
    LockOptions options = as_it_comes(*algorithm);
    options.of<RowOptions>().rows = 2;
    SmallWorld world(with(2, options, {.lock_wait_timeout = 1s, .rows = 2}));
    const auto first = made(*algorithm, options);
    const auto second = made(*algorithm, options);
    holds(world, *first, 5s);
    EXPECT_FALSE(second_tries(world, *second).granted) << algorithm->name;
    EXPECT_THAT(world.effects(), ElementsAre(HasSubstr("entry created command by 1"),
                                             HasSubstr("entry removed command by 1 of 1")))
        << algorithm->name;
  }
}

TEST(MySqlRowLock, WaitsForTheRowOrDoesNotAsItIsTold) {
  for (const IfLocked if_locked : {IfLocked::wait, IfLocked::nowait, IfLocked::skip}) {
    const LockOptions options{.own = RowOptions{.if_locked = if_locked}};
    SmallWorld world(with(2, options));
    const auto first = made(mysql_row_lock(), options);
    const auto second = made(mysql_row_lock(), options);
    holds(world, *first, 5s);
    const Attempt attempt = second_tries(world, *second);
    EXPECT_EQ(attempt.granted, if_locked == IfLocked::wait);
    EXPECT_EQ(attempt.took_ms > 3900, if_locked == IfLocked::wait);
  }
}

TEST(MySqlLocks, ThatWaitForARowGiveUpOnceTheirTimeIsOver) {
  for (const Algorithm* algorithm :
       {&mysql_row_lock(), &mysql_select_insert(), &mysql_probe_insert(), &mysql_get_lock()}) {
    for (const Duration limit : {Duration(700ms), Duration(3s), Duration(3500ms)}) {
      LockOptions options = as_it_comes(*algorithm);
      options.acquire_timeout = limit;
      SmallWorld world(with(2, options));
      const auto first = made(*algorithm, options);
      const auto second = made(*algorithm, options);
      holds(world, *first, 20s);
      world.client(2, [&](SmallWorld& all, Client& self) {
        self.sleep(1s);
        all.play(Role::acquire);
        const std::int64_t began = all.milliseconds();
        EXPECT_FALSE(second->acquire(self, "lock")) << algorithm->name;
        const std::int64_t took = all.milliseconds() - began;
        EXPECT_LE(took, limit / 1ms + 20) << algorithm->name;
        EXPECT_GE(took, limit / 1ms - 520) << algorithm->name;
      });
      world.run();
    }
  }
}

// M1: an insert is not a try, and M4: a rolled-back insert never existed.
TEST(MySqlSelectInsert, WaitsForAnInsertAndHasItOnlyIfThatWasRolledBack) {
  for (const EndsBy ends_by : {EndsBy::commit, EndsBy::rollback}) {
    const LockOptions options{.own = RowOptions{.ends_by = ends_by}};
    SmallWorld world(with(2, options));
    const auto first = made(mysql_select_insert(), options);
    const auto second = made(mysql_select_insert(), options);
    holds(world, *first, 5s);
    const Attempt attempt = second_tries(world, *second);
    EXPECT_GT(attempt.took_ms, 3900);
    EXPECT_EQ(attempt.granted, ends_by == EndsBy::rollback);
  }
}

TEST(MySqlSelectInsert, LocksTheRowThatAnEarlierHolderHasLeft) {
  SmallWorld world(with(1));
  const auto lock = made(mysql_select_insert());
  world.client(1, [&](SmallWorld& all, Client& self) {
    for (int i = 0; i < 2; ++i) {
      const Acquired acquired = lock->acquire(self, "lock");
      ASSERT_TRUE(acquired);
      EXPECT_EQ(lock->release(self, acquired.lease()), Released::ok);
      EXPECT_NE(all.cluster<picklock::mysql::Cluster>().group().server(0).engine().row(
                    picklock::mysql::kLocks, "lock"),
                nullptr);
    }
  });
  world.run();
}

TEST(MySqlRowLock, IsLostWithItsSessionAndSaysSoWhenItIsAsked) {
  SmallWorld world(with(1));
  const auto lock = made(mysql_row_lock());
  world.client(1, [&](SmallWorld& all, Client& self) {
    const Acquired acquired = lock->acquire(self, "lock");
    ASSERT_TRUE(acquired);
    EXPECT_EQ(dynamic_cast<HolderCheck&>(*lock).check_held(self, acquired.lease()), Held::yes);
    all.cluster<picklock::mysql::Cluster>().group().server(0).kill_session(
        all.simulation.scheduler.processes().at(0));
    self.sleep(10ms);
    EXPECT_EQ(dynamic_cast<HolderCheck&>(*lock).check_held(self, acquired.lease()), Held::no);
    EXPECT_EQ(dynamic_cast<DatabaseWrite&>(*lock).write_in_database(self, acquired.lease()),
              Written::rejected);
    EXPECT_EQ(lock->release(self, acquired.lease()), Released::not_held);
  });
  world.run();
}

TEST(MySqlLocks, CountATokenOnlyWhileTheyHold) {
  for (const Algorithm* const algorithm :
       {&mysql_row_lock(), &mysql_get_lock(), &mysql_insert_lock()}) {
    const LockOptions options{.mint = Mint::in_script};
    SmallWorld world(with(1, options));
    const auto lock = made(*algorithm, options);
    std::vector<std::int64_t> tokens;
    world.client(1, [&](SmallWorld&, Client& self) {
      for (int i = 0; i < 3; ++i) {
        const Acquired acquired = lock->acquire(self, "lock");
        tokens.push_back(acquired.lease().fence);
        lock->release(self, acquired.lease());
      }
    });
    world.run();
    EXPECT_THAT(tokens, ElementsAre(1, 2, 3)) << algorithm->name;
  }
}

// C-16: the session that has replaced the holder's has nothing to release.
TEST(MySqlGetLock, FindsThatItIsAnothersBehindASilentReconnect) {
  const LockOptions options{.holder_checks = true, .own = ConnectionOptions{.reconnect = true}};
  SmallWorld world(with(1, options));
  const auto lock = made(mysql_get_lock(), options);
  world.client(1, [&](SmallWorld& all, Client& self) {
    const Acquired acquired = lock->acquire(self, "lock");
    ASSERT_TRUE(acquired);
    EXPECT_EQ(dynamic_cast<HolderCheck&>(*lock).check_held(self, acquired.lease()), Held::yes);
    all.cluster<picklock::mysql::Cluster>().group().server(0).kill_session(
        all.simulation.scheduler.processes().at(0));
    self.sleep(10ms);
    EXPECT_EQ(dynamic_cast<HolderCheck&>(*lock).check_held(self, acquired.lease()), Held::no);
    EXPECT_EQ(dynamic_cast<DatabaseWrite&>(*lock).write_in_database(self, acquired.lease()),
              Written::accepted);
    EXPECT_EQ(lock->release(self, acquired.lease()), Released::not_held);
  });
  world.run();
}

TEST(MySqlInsertLock, IsTakenOverOnceItIsOverdueAndNotBefore) {
  const LockOptions options{.ttl = 3s};
  SmallWorld world(with(2, options));
  const auto first = made(mysql_insert_lock(), options);
  const auto second = made(mysql_insert_lock(), options);
  holds(world, *first, 10s);
  std::vector<std::int64_t> granted;
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1s);
    if (second->acquire(self, "lock")) granted.push_back(all.milliseconds());
  });
  world.run();
  ASSERT_EQ(granted.size(), 1u);
  EXPECT_NEAR(static_cast<double>(granted[0]), 3050, 70);
}

// A paused server finds the command that waited for it before its own timer.
TEST(MySqlInsertLock, IsTakenFromNobodyOnceItIsOverdue) {
  const LockOptions options{.ttl = 3s};
  SmallWorld world(with(2, options));
  const auto first = made(mysql_insert_lock(), options);
  const auto second = made(mysql_insert_lock(), options);
  holds(world, *first, 10s);
  world.client(2, [&](SmallWorld&, Client& self) {
    self.sleep(2500ms);
    EXPECT_TRUE(second->try_acquire(self, "lock"));
  });
  sim::Fault pause;
  pause.verb = sim::Verb::pause;
  pause.target = "mysql-1";
  pause.trigger.at = sim::kStart + 2s;
  pause.lasts = 5s;
  world.run({pause});
  EXPECT_THAT(world.effects(), Contains(HasSubstr("entry removed expiry")));
  EXPECT_THAT(world.effects(), Not(Contains(HasSubstr("entry removed command by 2 of 1"))));
}

TEST(MySqlInsertLock, FindsByItsOwnerWhatALostAnswerHadGranted) {
  for (const RecogniseOwn recognises : {RecogniseOwn::never, RecogniseOwn::after_unknown}) {
    const LockOptions options{.recognise_own = recognises};
    SmallWorld world(with(1, options));
    const auto lock = made(mysql_insert_lock(), options);
    bool granted = false;
    world.client(1, [&](SmallWorld& all, Client& self) {
      all.play(Role::acquire);
      granted = static_cast<bool>(lock->try_acquire(self, "lock"));
    });
    sim::Fault drop =
        fault_where_applied(sim::Side::after, Role::acquire, sim::Verb::drop, Duration::zero());
    drop.target = "mysql-1";
    world.run({drop});
    EXPECT_EQ(granted, recognises == RecogniseOwn::after_unknown);
  }
}

// Two processes of one host have the same name.
TEST(ShedLock, GivesAwayTheLockOfAnotherProcessOfItsHostWhenItReleasesTooLate) {
  const LockOptions options{.ttl = 3s, .value = TokenPer::machine};
  SmallWorld world(with(1, options));
  const auto first = made(shedlock(), options);
  const auto second = made(shedlock(), options);
  world.client(1, [&](SmallWorld&, Client& self) {
    const Acquired acquired = first->try_acquire(self, "lock");
    ASSERT_TRUE(acquired);
    self.sleep(5s);
    EXPECT_EQ(first->release(self, acquired.lease()), Released::ok);
  });
  world.client(
      1,
      [&](SmallWorld&, Client& self) {
        self.sleep(3500ms);
        EXPECT_TRUE(second->try_acquire(self, "lock"));
        self.sleep(1h);
      },
      2);
  world.run();
  EXPECT_THAT(world.effects(), ElementsAre(testing::HasSubstr("entry created command by 1 of 0"),
                                           testing::HasSubstr("entry removed expiry by 0 of 1"),
                                           testing::HasSubstr("entry created command by 2 of 0"),
                                           testing::HasSubstr("entry removed command by 1 of 2")));
}

TEST(ShedLock, IsHeldAtLeastAsLongAsItIsTold) {
  const LockOptions options{
      .ttl = 10s, .value = TokenPer::client, .own = ShedLockOptions{.hold_at_least = 4s}};
  SmallWorld world(with(2, options));
  const auto first = made(shedlock(), options);
  const auto second = made(shedlock(), options);
  holds(world, *first, 100ms);
  std::int64_t granted = 0;
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1s);
    if (second->acquire(self, "lock")) granted = all.milliseconds();
  });
  world.run();
  EXPECT_NEAR(static_cast<double>(granted), 4050, 70);
}

TEST(ShedLock, GoesByTheClientsClockUnlessTheDatabasesDecides) {
  for (const bool db_time : {false, true}) {
    const LockOptions options{
        .ttl = 10s, .value = TokenPer::client, .own = ShedLockOptions{.db_time = db_time}};
    SmallWorld world(with(2, options));
    const auto first = made(shedlock(), options);
    const auto second = made(shedlock(), options);
    holds(world, *first, 8s);
    sim::Fault step;
    step.verb = sim::Verb::step_clock;
    step.target = "client-2";
    step.trigger.at = sim::kStart + 500ms;
    step.step = 1h;
    bool granted = false;
    world.client(2, [&](SmallWorld&, Client& self) {
      self.sleep(1s);
      granted = static_cast<bool>(second->try_acquire(self, "lock"));
    });
    world.run({step});
    EXPECT_EQ(granted, !db_time);
  }
}

}  // namespace
}  // namespace picklock::models::locks::mysql::locks_tests
