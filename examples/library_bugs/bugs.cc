#include "bugs.h"

#include "mysql_locks.h"
#include "redis_locks.h"
#include "zookeeper_locks.h"

namespace library_bugs {
namespace {

using picklock::Contention;
using picklock::contention;
using picklock::Property;
using picklock::Scenario;

template <template <bool> class LockType>
Scenario contended(bool fixed, const Contention& options = {}) {
  return fixed ? contention<LockType<true>>(options) : contention<LockType<false>>(options);
}

template <template <bool> class LockType>
Scenario by_default(bool fixed) {
  return contended<LockType>(fixed);
}

// Waiters that give up after a time, and come back for their second cycle.
template <template <bool> class LockType>
Scenario impatient(bool fixed) {
  Scenario scenario = contended<LockType>(fixed);
  return scenario.set("lock.acquire_timeout", "3s");
}

// One client gives up after a time, and the others wait for as long as it takes.
template <template <bool> class LockType>
Scenario with_one_impatient(bool fixed) {
  Scenario scenario = contended<LockType>(fixed);
  return scenario.set("client", R"([{name = "client-2", lock.acquire_timeout = "3s"}])");
}

// A server that ends idle sessions after a minute. A run lasts a multiple of this time if its
// clients wait for ever.
template <template <bool> class LockType>
Scenario from_a_pool(bool fixed) {
  Scenario scenario = contended<LockType>(fixed);
  return scenario.set("lock.connections", "10").set("servers.mysql.wait_timeout", "60s");
}

Scenario liquibase_waiter(bool fixed) {
  return from_a_pool<LiquibaseWaiter>(fixed).set("lock.acquire_timeout", "3s");
}

// Threads that share the pool of their process.
Scenario migrate(bool fixed) { return from_a_pool<MigrateLock>(fixed).set("clients.threads", "2"); }

}  // namespace

const std::vector<Bug>& all_bugs() {
  static const std::vector<Bug> bugs = {
      {.name = "SherlockRenew",
       .library = "sherlock (Python), Redis",
       .thread = "py-sherlock/sherlock#66",
       .before = "0.4.0",
       .wrong = "renew() runs the script of release()",
       .fix = "it runs its own script",
       .breaks = Property::mutual_exclusion,
       .scenario = by_default<SherlockLock>},
      {.name = "ReinhardtExtend",
       .library = "reinhardt (Rust), Redis",
       .thread = "kent8192/reinhardt-web#737",
       .before = "before the fix",
       .wrong = "extend() releases the lock and acquires it again",
       .fix = "a script compares the token and extends the lease",
       .breaks = Property::mutual_exclusion,
       .scenario = by_default<ReinhardtLock>},
      {.name = "SymfonyExpired",
       .library = "Symfony Lock (PHP), Redis",
       .thread = "symfony/symfony#31426, fixed by #32071",
       .before = "3.4.27",
       .wrong = "an acquire that took longer than a lease throws, and leaves its key behind",
       .fix = "it deletes the key first",
       .breaks = Property::progress,
       .scenario = by_default<SymfonyLock>},
      {.name = "SymfonyReused",
       .library = "Symfony Lock (PHP), Redis",
       .thread = "symfony/symfony#38541, fixed by #38553",
       .before = "5.1.7",
       .wrong =
           "a lock object keeps the lease of its first acquire, and every later one is expired",
       .fix = "each acquire begins a new lease",
       .breaks = Property::progress,
       .scenario = by_default<SymfonyReusedLock>},
      {.name = "HangfireLease",
       .library = "Hangfire.Redis.StackExchange (.NET), Redis",
       .thread = "marcoCasamento/Hangfire.Redis.StackExchange#67, fixed by #69",
       .before = "before the fix",
       .wrong = "the lease is as long as the time that others wait for the lock",
       .fix = "a lease of its own, which a timer extends",
       .breaks = Property::mutual_exclusion,
       .scenario = impatient<HangfireLock>},
      {.name = "HelixWatch",
       .library = "Apache Helix (Java), ZooKeeper",
       .thread = "apache/helix#44",
       .before = "before the fix",
       .wrong = "a waiter waits for a znode that left before the watch was set",
       .fix = "it lists the queue again",
       .breaks = Property::not_stuck,
       .scenario = by_default<HelixLock>},
      {.name = "KazooCleanup",
       .library = "kazoo (Python), ZooKeeper",
       .thread = "python-zk/kazoo#732, fixed by #760",
       .before = "2.8.0 and later",
       .wrong = "a refused acquire that does not block deletes its znode once, and ignores errors",
       .fix = "it tries until there is an answer",
       .breaks = Property::not_stuck,
       .scenario = by_default<KazooLock>},
      {.name = "AiozkForgets",
       .library = "aiozk (Python), ZooKeeper",
       .thread = "micro-fan/aiozk#48",
       .before = "before 0.21.0",
       .wrong = "a waiter whose connection is lost gives up and forgets its znode",
       .fix = "it goes on with the znode that it has",
       .breaks = Property::not_stuck,
       .scenario = by_default<AiozkLock>},
      {.name = "ZkRubyTimeout",
       .library = "zk (Ruby), ZooKeeper",
       .thread = "zk-ruby/zk#49",
       .before = "before the fix",
       .wrong = "a waiter that gives up leaves its znode in the queue",
       .fix = "it deletes the znode",
       .breaks = Property::not_stuck,
       .scenario = with_one_impatient<ZkRubyLock>},
      {.name = "MigratePool",
       .library = "migrate (Go), MySQL",
       .thread = "mattes/migrate#299, fixed in golang-migrate/migrate#8",
       .before = "before 3.2.0",
       .wrong = "GET_LOCK and RELEASE_LOCK use any connection of the pool",
       .fix = "one connection for both",
       .breaks = Property::mutual_exclusion,
       .scenario = migrate},
      {.name = "GoMysqlLockLeak",
       .library = "go-mysql-lock (Go), MySQL",
       .thread = "sanketplus/go-mysql-lock#9, fixed by #13",
       .before = "before the fix",
       .wrong = "a client that is refused does not return its connection to the pool",
       .fix = "it does",
       .breaks = Property::progress,
       .scenario = from_a_pool<GoMysqlLock>},
      {.name = "LiquibaseRow",
       .library = "Liquibase (Java), MySQL",
       .thread = "liquibase/liquibase#1453, replaced in spinnaker/kork#940",
       .before = "the standard lock service",
       .wrong = "the row of a process that has crashed stays for ever",
       .fix = "GET_LOCK, which ends with its session",
       .breaks = Property::not_stuck,
       .scenario = from_a_pool<LiquibaseLock>},
      {.name = "LiquibaseWaiter",
       .library = "Liquibase (Java), MySQL",
       .thread = "liquibase/liquibase#6251, of #5438",
       .before = "without this change",
       .wrong = "a process that gives up waiting deletes the row of the holder",
       .fix = "only the holder deletes it",
       .breaks = Property::mutual_exclusion,
       .scenario = liquibase_waiter},
  };
  return bugs;
}

}  // namespace library_bugs
