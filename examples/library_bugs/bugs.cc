#include "bugs.h"

#include "mysql_locks.h"
#include "quorum_locks.h"
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

Scenario on_three_servers(Scenario scenario) {
  return scenario.set("network.link", "[]")
      .set("servers.redis.replicas", "0")
      .set("servers.redis.masters", "3");
}

// As many attempts as the library makes by default.
Scenario redlock_rb(bool fixed) {
  return on_three_servers(contended<RedlockRbLock>(fixed)).set("lock.attempts", "3");
}

// Work that needs extensions.
Scenario redsync(bool fixed) {
  return on_three_servers(contended<RedsyncLock>(fixed, {.ttl = 10s, .hold = 15s}));
}

template <template <bool> class LockType>
Scenario from_a_pool(bool fixed) {
  Scenario scenario = contended<LockType>(fixed);
  return scenario.set("lock.connections", "10");
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
       .breaks = Property::not_stuck,
       .scenario = by_default<SymfonyLock>},
      {.name = "HangfireLease",
       .library = "Hangfire.Redis.StackExchange (.NET), Redis",
       .thread = "marcoCasamento/Hangfire.Redis.StackExchange#67, fixed by #69",
       .before = "before the fix",
       .wrong = "the lease is as long as the time that others wait for the lock",
       .fix = "a lease of its own, which a timer extends",
       .breaks = Property::mutual_exclusion,
       .scenario = impatient<HangfireLock>},
      {.name = "RedlockRbError",
       .library = "redlock-rb (Ruby), 3 Redis servers",
       .thread = "leandromoreira/redlock-rb#129, fixed by #134",
       .before = "since #110",
       .wrong = "an error of one server ends the attempt, and the others keep its key",
       .fix = "the servers that answer decide, and a failed attempt is undone",
       .breaks = Property::available,
       .scenario = redlock_rb},
      {.name = "RedsyncExtend",
       .library = "redsync (Go), 3 Redis servers",
       .thread = "go-redsync/redsync#71",
       .before = "before the fix",
       .wrong = "Extend() does not look how long it took",
       .fix = "it fails after the lease, and sets the time until which a holder may work",
       .breaks = Property::mutual_exclusion,
       .scenario = redsync},
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
      {.name = "ZkRubyTimeout",
       .library = "zk (Ruby), ZooKeeper",
       .thread = "zk-ruby/zk#49",
       .before = "before the fix",
       .wrong = "a waiter whose time is over leaves its znode in the queue",
       .fix = "it deletes the znode",
       .breaks = Property::not_stuck,
       .scenario = impatient<ZkRubyTimeoutLock>},
      {.name = "ZkRubyFolder",
       .library = "zk (Ruby), ZooKeeper",
       .thread = "zk-ruby/zk#34",
       .before = "before the fix",
       .wrong = "a holder whose session has ended deletes a znode of the same name in a new folder",
       .fix = "it compares the time at which the folder was made",
       .breaks = Property::own_release,
       .scenario = by_default<ZkRubyFolderLock>},
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
      {.name = "PramenOverdue",
       .library = "Pramen (Scala), MySQL",
       .thread = "AbsaOSS/pramen#786, fixed by #787",
       .before = "1.14.8",
       .wrong = "an overdue row is deleted only by the client whose row it is",
       .fix = "by every client that finds it overdue",
       .breaks = Property::not_stuck,
       .scenario = from_a_pool<PramenLock>},
  };
  return bugs;
}

}  // namespace library_bugs
