#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "models/lease_store/spec.h"
#include "models/locks/lease_store_lock.h"
#include "models/mysql/spec.h"
#include "models/redis/spec.h"
#include "models/servers/verbs.h"
#include "models/zookeeper/spec.h"
#include "scenarios/loader.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;
using testing::error_of;
using testing::head;
using testing::with_fault;

TEST(Loader, ReadsWhoTakesOver) {
  const sim::Fault fault = testing::parsed(testing::kFailOver).faults.at(0);
  EXPECT_EQ(fault.verb, models::kFailOver);
  EXPECT_EQ(fault.target, "redis-3");
  EXPECT_EQ(fault.to, "redis-3-replica-2");
  EXPECT_EQ(fault.lasts, 1s);
}

TEST(Loader, ReadsWhatBelongsToALeaseStore) {
  const Scenario s = testing::parsed(testing::kLeaseStore);
  EXPECT_EQ(s.lock.options.of<models::locks::LeaseStoreOptions>().lock_delay, 15s);
  EXPECT_EQ(s.servers.of<lease_store::Spec>().expire_after, 2U);
  EXPECT_EQ(s.servers.of<lease_store::Spec>().tick, 1s);
  EXPECT_EQ(s.servers.of<lease_store::Spec>().service, 30us);
  EXPECT_EQ(s.servers.of<lease_store::Spec>().clock_rate_ppb, 500);
  EXPECT_EQ(s.faults.at(0).verb, models::kKillSession);
  EXPECT_EQ(s.faults.at(1).target, "store");
}

TEST(Loader, ReadsWhatBelongsToAnEnsemble) {
  const Scenario s = testing::parsed(testing::kZooKeeper);
  const zookeeper::Spec& zookeeper = s.servers.of<zookeeper::Spec>();
  EXPECT_EQ(zookeeper.servers, 5U);
  EXPECT_EQ(zookeeper.tick, 1s);
  EXPECT_EQ(zookeeper.init_limit, 4U);
  EXPECT_EQ(zookeeper.sync_limit, 3U);
  EXPECT_EQ(zookeeper.fsync, 2ms);
  EXPECT_FALSE(zookeeper.force_sync);
  EXPECT_EQ(zookeeper.max_connections, 7U);
  EXPECT_TRUE(zookeeper.wall_clock_expiry);
  EXPECT_EQ(zookeeper.gc.every, 10s);
  EXPECT_EQ(s.faults.at(1).keeps, sim::Keeps::fsynced);
  EXPECT_EQ(s.faults.at(2).target, "zookeeper-2");
}

TEST(Loader, RefusesWhatMeansNothingToAnEnsemble) {
  const std::string lock = "format = 1\n[lock]\nalgorithm = \"zk-ephemeral\"\n";
  EXPECT_EQ(
      error_of(lock + "[servers.redis]\nmasters = 1\n"),
      "story.toml:4: key `servers.redis`: zk-ephemeral runs on ZooKeeper: see [servers.zookeeper]");
  EXPECT_EQ(error_of(lock + "[[fault]]\npause = \"zookeeper-4\"\nat = \"1s\"\nfor = \"1s\"\n"),
            "story.toml:5: key `fault.1.pause`: there is no zookeeper-4; the servers are "
            "zookeeper-1 to zookeeper-3");
  EXPECT_EQ(error_of(lock + "[[fault]]\nfail-over = \"zookeeper-1\"\nat = \"1s\"\n"),
            "story.toml:5: key `fault.1.fail-over`: not applicable to zookeeper-1: an ensemble "
            "elects its leader by itself: crash the leader instead");
  EXPECT_EQ(error_of(lock + "[[fault]]\nduplicate = \"client-1\"\nbefore = \"release.sent\"\nfor = "
                            "\"1s\"\n"),
            "story.toml:5: key `fault.1.duplicate`: a ZooKeeper client sends nothing a second "
            "time: only a step of `write` or `read` can be duplicated");
  EXPECT_EQ(error_of(lock + "[servers.resource]\nfencing = \"after\"\n"),
            "story.toml:5: key `servers.resource.fencing`: zk-ephemeral has no counter beside its "
            "key; use \"in-script\", which takes the zxid of each grant");
}

TEST(Loader, ReadsWhatBelongsToAMySqlServer) {
  const Scenario s = testing::parsed(testing::kMySql);
  const mysql::Spec& mysql = s.servers.of<mysql::Spec>();
  EXPECT_EQ(mysql.replicas, 2U);
  EXPECT_EQ(mysql.settings.variant, mysql::Variant::mysql);
  EXPECT_EQ(mysql.settings.isolation, mysql::Isolation::read_committed);
  EXPECT_EQ(mysql.settings.lock_wait_timeout, 40s);
  EXPECT_EQ(mysql.settings.wait_timeout, 600s);
  EXPECT_EQ(mysql.settings.keepalive, 60s);
  EXPECT_EQ(mysql.settings.fsync, 2ms);
  EXPECT_FALSE(mysql.settings.flush_at_commit);
  EXPECT_EQ(mysql.settings.promote_after, 5s);
  EXPECT_EQ(s.clients.effect, Effect::database);
  EXPECT_EQ(s.faults.at(1).to, "mysql-3");
}

TEST(Loader, RefusesWhatMeansNothingToAMySqlServer) {
  const std::string lock = "format = 1\n[lock]\nalgorithm = \"mysql-row-lock\"\n";
  EXPECT_EQ(
      error_of(lock + "[servers.zookeeper]\nservers = 1\n"),
      "story.toml:4: key `servers.zookeeper`: mysql-row-lock runs on MySQL: see [servers.mysql]");
  EXPECT_EQ(error_of(lock + "[[fault]]\nfail-over = \"mysql-1\"\nat = \"1s\"\n"),
            "story.toml:5: key `fault.1.fail-over`: mysql-1 has no replica to promote");
  EXPECT_EQ(error_of(lock + "[servers.mysql]\nreplicas = 1\n[[fault]]\nfail-over = \"mysql-2\"\n"
                            "at = \"1s\"\n"),
            "story.toml:7: key `fault.1.fail-over`: not applicable to mysql-2: only a primary can "
            "fail over to a replica");
  EXPECT_EQ(error_of(lock + "[clients]\neffect = \"database\"\n[servers.resource]\n"
                            "fencing = \"ideal\"\n"),
            "story.toml:5: key `clients.effect`: must be \"resource\": the resource is fenced, and "
            "\"database\" writes nothing to it");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n"
                     "[clients]\neffect = \"database\"\n"),
            "story.toml:5: key `clients.effect`: must be \"resource\": lua-check-delete keeps no "
            "database session open that could write");
}

TEST(Loader, KnowsACoordinatorWhereOneFreesTheLock) {
  const std::string lock = "format = 1\n[lock]\nalgorithm = \"zk-ephemeral\"\n";
  const std::string revoke = "[servers.resource]\nfencing = \"revoke\"\n";
  const std::string pause =
      "[[fault]]\npause = \"coordinator\"\nbefore = \"write.sent\"\nfor = \"1s\"\n";
  const Scenario s = testing::parsed(lock + "freed_by = \"coordinator\"\n" + revoke + pause);
  EXPECT_EQ(s.servers.resource.fencing, Fencing::revoke);
  EXPECT_EQ(s.faults[0].target, "coordinator");
  EXPECT_EQ(error_of(lock + revoke),
            "story.toml:5: key `servers.resource.fencing`: needs a coordinator that revokes "
            "access: use a lock on ZooKeeper with `freed_by = \"coordinator\"`");
  EXPECT_EQ(error_of(lock + pause),
            "story.toml:5: key `fault.1.pause`: there is no process \"coordinator\"; the processes "
            "are client-1 to client-3, zookeeper-1 to zookeeper-3, resource");
  EXPECT_EQ(error_of(lock + "freed_by = \"coordinator\"\n[[fault]]\nevict = \"coordinator\"\n"
                            "at = \"1s\"\n"),
            "story.toml:6: key `fault.1.evict`: not applicable to coordinator: only a Redis server "
            "evicts keys");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n"
                     "freed_by = \"coordinator\"\n"),
            "story.toml:4: key `lock.freed_by`: lua-check-delete does not use this key");
}

// A server that no client uses would seem to influence the result.
TEST(Loader, RefusesServersThatTheLockDoesNotLiveOn) {
  const std::string store = "format = 1\n[lock]\nalgorithm = \"lease-store-lock\"\n";
  EXPECT_EQ(error_of(store + "[servers.redis]\nmasters = 1\n"),
            "story.toml:4: key `servers.redis`: lease-store-lock runs on a lease store: see "
            "[servers.lease_store]");
  EXPECT_EQ(error_of(head() + "[servers.lease_store]\ntick = \"1s\"\n"),
            "story.toml:6: key `servers.lease_store`: set-px-check-delete runs on Redis: see "
            "[servers.redis]");
  EXPECT_EQ(error_of(store + "[[fault]]\npause = \"redis-1\"\nat = \"1s\"\nfor = \"1s\"\n"),
            "story.toml:5: key `fault.1.pause`: there is no process \"redis-1\"; the processes are "
            "client-1 to client-3, store, resource");
  EXPECT_EQ(error_of(with_fault("pause = \"store\"\nat = \"1s\"\nfor = \"1s\"\n")),
            "story.toml:7: key `fault.1.pause`: there is no process \"store\"; the processes are "
            "client-1 to client-3, redis-1, resource");
}

TEST(Loader, RefusesWhatMeansNothingToALeaseStore) {
  const std::string store = "format = 1\n[lock]\nalgorithm = \"lease-store-lock\"\n";
  EXPECT_EQ(error_of(store + "renew = \"blind\"\n"),
            "story.toml:4: key `lock.renew`: lease-store-lock does not use this key");
  EXPECT_EQ(error_of(store + "[servers.resource]\nfencing = \"after\"\n"),
            "story.toml:5: key `servers.resource.fencing`: lease-store-lock has no counter beside "
            "its key; use \"in-script\", which takes the revision of each grant");
  EXPECT_EQ(error_of(store + "[clients]\nprogress = \"set\"\n"),
            "story.toml:5: key `clients.progress`: must be \"none\": the key of lease-store-lock "
            "holds nothing but the lock");
  EXPECT_EQ(error_of(store + "[[fault]]\nrestart = \"store\"\nat = \"1s\"\nkeeps = \"none\"\n"),
            "story.toml:7: key `fault.1.keeps`: must be \"all\": a lease store forgets nothing");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"set-px-check-delete\"\nlock_delay = "
                     "\"15s\"\n"),
            "story.toml:4: key `lock.lock_delay`: set-px-check-delete does not use this key");
}

TEST(Loader, ReadsARedisCluster) {
  const Scenario s = testing::parsed(testing::kCluster);
  EXPECT_TRUE(s.servers.of<redis::Spec>().relative_expiry);
  EXPECT_TRUE(s.servers.of<redis::Spec>().cluster.enabled);
  EXPECT_EQ(s.servers.of<redis::Spec>().cluster.first_map, redis::FirstMap::none);
}

TEST(Loader, RefusesARedisClusterThatCannotWork) {
  const auto redis = [](const std::string& keys) {
    return "format = 1\nlock.algorithm = 'lua-check-delete'\n[servers.redis]\n" + keys;
  };
  EXPECT_EQ(error_of(redis("masters = 3\nreplicas = 1\nsentinels = 3\n[servers.redis.cluster]\n"
                           "enabled = true\n")),
            "story.toml:6: key `servers.redis.sentinels`: must be 0: the nodes of a Redis Cluster "
            "watch each other");
  EXPECT_EQ(
      error_of(redis("[servers.redis.cluster]\nfirst_map = 'none'\n")),
      "story.toml:5: key `servers.redis.cluster.first_map`: has no effect unless `enabled` is "
      "true");
}

// Line 6 on, before the faults.
std::string error_of_redis(const std::string& redis, const std::string& fault = {}) {
  return error_of(head() + "[servers.redis]\n" + redis + fault);
}

TEST(Loader, SaysWhyAPrimaryCannotFailOver) {
  const std::string fail_over = "[[fault]]\nfail-over = \"redis-1\"\nat = \"3s\"\n";
  EXPECT_EQ(error_of(head() + fail_over),
            "story.toml:7: key `fault.1.fail-over`: redis-1 has no replica to promote");
  EXPECT_EQ(error_of_redis("replicas = 1\nsentinels = 1\n", fail_over),
            "story.toml:10: key `fault.1.fail-over`: redis-1 has Sentinels, which alone decide on "
            "a failover: crash its host instead");
  EXPECT_EQ(error_of_redis("replicas = 1\n", fail_over + fail_over),
            "story.toml:12: key `fault.2.fail-over`: redis-1 has already failed over by then and "
            "stays down");
  EXPECT_EQ(error_of_redis("replicas = 1\n", fail_over + "to = \"client-1\"\n"),
            "story.toml:11: key `fault.1.to`: must be a replica of redis-1, not client-1");
  EXPECT_EQ(error_of_redis("replicas = 1\n",
                           "[[fault]]\nfail-over = \"redis-1-replica-1\"\nat = \"3s\"\n"),
            "story.toml:9: key `fault.1.fail-over`: not applicable to redis-1-replica-1: only a "
            "primary can fail over to a replica");
}

TEST(Loader, KnowsWhichReplicasAndSentinelsThereAre) {
  const auto paused = [](const std::string& who) {
    return "[[fault]]\npause = \"" + who + "\"\nat = \"3s\"\nfor = \"1s\"\n";
  };
  EXPECT_EQ(error_of_redis("replicas = 1\nsentinels = 3\n", paused("redis-1-sentinel-3")), "loads");
  EXPECT_EQ(error_of_redis("replicas = 2\n", paused("redis-1-replica-3")),
            "story.toml:9: key `fault.1.pause`: there is no redis-1-replica-3; the replicas "
            "are redis-1-replica-1 to redis-1-replica-2");
  EXPECT_EQ(error_of_redis("replicas = 2\n", paused("redis-1-sentinel-1")),
            "story.toml:9: key `fault.1.pause`: there is no redis-1-sentinel-1: there are no "
            "Sentinels");
  EXPECT_EQ(error_of_redis("replicas = 1\n", paused("redis-1-replca-1")),
            "story.toml:9: key `fault.1.pause`: there is no process \"redis-1-replca-1\"; did you "
            "mean `redis-1-replica-1`?");
}

TEST(Loader, ReadsRedisConfAsTheServerWould) {
  EXPECT_EQ(error_of_redis("config = [\"min-replicas-to-write 1\", \"min-slaves 1\"]\n"),
            "story.toml:7: key `servers.redis.config.2`: redis.conf has no parameter "
            "\"min-slaves\"; did you mean `min-slaves-max-lag`?");
  EXPECT_EQ(error_of_redis("config = [\"maxmemori 1mb\"]\n"),
            "story.toml:7: key `servers.redis.config.1`: redis.conf has no parameter "
            "\"maxmemori\"; did you mean `maxmemory`?");
  EXPECT_EQ(error_of_redis("config = [\"maxmemory plenty\"]\n"),
            "story.toml:7: key `servers.redis.config.1`: Redis refuses it: ERR CONFIG SET failed "
            "(possibly related "
            "to argument 'maxmemory') - argument must be a memory value");
}

// redis.conf would add one `save` to another; here one line has them all.
TEST(Loader, TakesEachParameterOfRedisConfOnce) {
  EXPECT_EQ(error_of_redis("config = [\"save 60 1\", \"save 10 100\"]\n"),
            "story.toml:7: key `servers.redis.config.2`: save is given twice");
  EXPECT_EQ(error_of_redis("config = [\"appendonly yes\"]\n"
                           "node = [{ name = \"redis-1\", config = [\"appendonly no\"] }]\n"),
            "loads");
}

TEST(Loader, RefusesSettingsThatNobodyCouldMeet) {
  EXPECT_EQ(error_of_redis("sentinels = 3\n"),
            "story.toml:7: key `servers.redis.sentinels`: must be 0: a primary without replicas "
            "has nothing that Sentinels could promote");
  EXPECT_EQ(error_of_redis("replicas = 1\nsentinels = 3\nsentinel.quorum = 4\n"),
            "story.toml:9: key `servers.redis.sentinel.quorum`: must be at most 3, the number of "
            "Sentinels: otherwise no server is ever found down");
  EXPECT_EQ(error_of_redis("replicas = 1\nnode = [{ name = \"resource\" }]\n"),
            "story.toml:8: key `servers.redis.node.1.name`: must be a Redis server or Sentinel, "
            "not resource");
  EXPECT_EQ(error_of_redis("node = [{ name = \"redis-1\" }, { name = \"redis-1\" }]\n"),
            "story.toml:7: key `servers.redis.node.2.name`: redis-1 is described twice");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"set-px-check-delete\"\n"
                     "wait_replicas = 1\n"),
            "story.toml:4: key `lock.wait_replicas`: must be at most 0, the number of replicas: "
            "otherwise no acquire could succeed");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"set-px-check-delete\"\n"
                     "quorum = 9\n"),
            "story.toml:4: key `lock.quorum`: must be at most 1, the number of servers: otherwise "
            "no acquire could succeed");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"set-px-check-delete\"\n"
                     "quorum = 4\n[servers.redis]\nmasters = 3\n"),
            "story.toml:4: key `lock.quorum`: must be at most 3, the number of servers: otherwise "
            "no acquire could succeed");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"set-px-check-delete\"\n"
                     "check_at = \"replica\"\n"),
            "story.toml:4: key `lock.check_at`: there is no replica; set `servers.redis.replicas`");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n"
                     "check_at = \"replica\"\n[servers.redis]\nreplicas = 1\n"),
            "story.toml:4: key `lock.check_at`: lua-check-delete never checks whether it still "
            "holds the lock");
  EXPECT_EQ(
      error_of("format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n"
               "[clients]\ncheck_before_write = true\nfind_by = \"sentinel\"\n"),
      "story.toml:6: key `clients.find_by`: there are no Sentinels; set `servers.redis.sentinels`");
}

TEST(Loader, RefusesServersThatTheLockNeverSpeaksTo) {
  EXPECT_EQ(
      error_of("format = 1\n[lock]\nalgorithm = \"set-px-blind-delete\"\n"
               "[servers.redis]\nmasters = 2\n"),
      "story.toml:5: key `servers.redis.masters`: must be 1: set-px-blind-delete uses one server");
}

TEST(Loader, RefusesATokenOfTheGrantFromALockThatCannotMintOne) {
  const std::string fencing = "[servers.resource]\nfencing = \"in-script\"\n";
  EXPECT_EQ(error_of(head() + fencing),
            "story.toml:7: key `servers.resource.fencing`: what set-px-check-delete sends to take "
            "its lock mints no token; use \"none\", \"after\" or \"ideal\"");
  EXPECT_EQ(error_of("format = 1\nlock.algorithm = \"lua-check-delete\"\n" + fencing), "loads");
}

}  // namespace
}  // namespace picklock::scenarios
