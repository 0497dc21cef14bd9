#include "scenarios/keys.h"

#include <fmt/ranges.h>

#include "keys/key_kinds.h"

namespace picklock::scenarios {

using namespace keys;

const Keys<GcProfile>& gc_keys() {
  static const Keys<GcProfile> keys = {
      duration<GcProfile>(
          "every", Sign::not_negative, [](auto& gc) -> auto& { return gc.every; },
          "mean time between two pauses; 0s: no collector"),
      duration<GcProfile>(
          "low", Sign::positive, [](auto& gc) -> auto& { return gc.low; },
          "length of the shortest pause; longer ones double it, each doubling more rarely"),
      duration<GcProfile>(
          "high", Sign::positive, [](auto& gc) -> auto& { return gc.high; },
          "length of the longest pause"),
  };
  return keys;
}

namespace {

// Lines of redis.conf; their meaning is checked when the whole file is known.
template <typename Target>
Key<Target> config_lines(const std::string& meaning) {
  return {.name = "config",
          .type = "array of texts",
          .meaning = meaning,
          .read =
              [](const Value& value, Target& into) {
                into.config.clear();
                for (const Value& line : value.elements()) into.config.push_back(line.text());
              },
          .show =
              [](const Target& from) {
                std::vector<std::string> lines;
                for (const std::string& line : from.config) lines.push_back(as_toml(line));
                return fmt::format("[{}]", fmt::join(lines, ", "));
              },
          .nested = {}};
}

const Keys<SentinelSpec>& sentinel_keys() {
  static const Keys<SentinelSpec> keys = {
      integer<SentinelSpec>(
          "quorum", 0, 99, [](auto& sentinel) -> auto& { return sentinel.quorum; },
          "how many Sentinels must consider a primary down; 0: more than half of them"),
      duration<SentinelSpec>(
          "down_after", Sign::positive, [](auto& sentinel) -> auto& { return sentinel.down_after; },
          "how long a server may be silent before a Sentinel considers it down "
          "(down-after-milliseconds)"),
      duration<SentinelSpec>(
          "failover_timeout", Sign::positive,
          [](auto& sentinel) -> auto& { return sentinel.failover_timeout; },
          "the parameter failover-timeout of the Sentinels"),
  };
  return keys;
}

}  // namespace

const Keys<NodeSpec>& node_keys() {
  static const Keys<NodeSpec> keys = {
      text<NodeSpec>(
          "name", [](auto& node) -> auto& { return node.name; },
          "the process, a Redis server or Sentinel; must be given"),
      duration<NodeSpec>(
          "clock_offset", Sign::any, [](auto& node) -> auto& { return node.clock_offset; },
          "how far its wall clock is ahead of true time"),
      {.name = "clock_rate_ppb",
       .type = "whole number, -999000000 to 999000000000",
       .meaning = "how much faster than true time its clocks run, in parts per billion",
       .read =
           [](const Value& value, NodeSpec& node) {
             node.clock_rate_ppb = value.integer(-999'000'000, 999'000'000'000);
           },
       .show = {},
       .nested = {}},
      without_default(
          config_lines<NodeSpec>("lines of its redis.conf, which override those of all servers")),
  };
  return keys;
}

namespace {

const Keys<RedisSpec>& redis_keys() {
  static const Keys<RedisSpec> keys = {
      integer<RedisSpec>(
          "masters", 1, 99, [](auto& redis) -> auto& { return redis.masters; },
          "how many independent primaries there are: redis-1, redis-2 and so on"),
      integer<RedisSpec>(
          "replicas", 0, 9, [](auto& redis) -> auto& { return redis.replicas; },
          "how many replicas each of them has: redis-1-replica-1 and so on"),
      integer<RedisSpec>(
          "sentinels", 0, 9, [](auto& redis) -> auto& { return redis.sentinels; },
          "how many Sentinels watch each of them: redis-1-sentinel-1 and so on"),
      config_lines<RedisSpec>("lines of redis.conf for every server, such as `appendonly yes` or "
                              "`min-replicas-to-write 1`"),
      duration<RedisSpec>(
          "service", Sign::not_negative, [](auto& redis) -> auto& { return redis.service; },
          "time that a server needs for one command"),
      duration<RedisSpec>(
          "clock_offset", Sign::any, [](auto& redis) -> auto& { return redis.clock_offset; },
          "how far their wall clocks are ahead of true time"),
      integer<RedisSpec>(
          "clock_rate_ppb", -999'000'000, 999'000'000'000,
          [](auto& redis) -> auto& { return redis.clock_rate_ppb; },
          "how much faster than true time their clocks run, in parts per billion"),
      table<RedisSpec>(
          "sentinel", sentinel_keys(), [](auto& redis) -> auto& { return redis.sentinel; },
          "Settings of all Sentinels."),
      tables<RedisSpec>(
          "node", kMostNodes, [](auto& redis) -> auto& { return redis.nodes; },
          [](const Value& table, NodeSpec& node) {
            node.line = table.line();
            read_table(table, node_keys(), node);
          },
          [](const std::string& path, std::vector<TableDoc>& docs) {
            describe("[[" + path + ".node]]",
                     "A Redis server or Sentinel that differs from the others.", node_keys(), docs);
          }),
      table<RedisSpec>(
          "gc", gc_keys(), [](auto& redis) -> auto& { return redis.gc; },
          "Stop-the-world pauses of the servers."),
  };
  return keys;
}

const Keys<LeaseStoreSpec>& lease_store_keys() {
  static const Keys<LeaseStoreSpec> keys = {
      integer<LeaseStoreSpec>(
          "expire_after", 1, 10, [](auto& store) -> auto& { return store.expire_after; },
          "a session ends this many times its `ttl` after the last keep-alive"),
      duration<LeaseStoreSpec>(
          "tick", Sign::not_negative, [](auto& store) -> auto& { return store.tick; },
          "time between two checks for expired sessions; 0s: each session ends exactly on time"),
      duration<LeaseStoreSpec>(
          "service", Sign::not_negative, [](auto& store) -> auto& { return store.service; },
          "time that the store needs for one request"),
      integer<LeaseStoreSpec>(
          "clock_rate_ppb", -999'000'000, 999'000'000'000,
          [](auto& store) -> auto& { return store.clock_rate_ppb; },
          "how much faster than true time its clock runs, in parts per billion"),
  };
  return keys;
}

const Keys<ZooKeeperSpec>& zookeeper_keys() {
  static const Keys<ZooKeeperSpec> keys = {
      integer<ZooKeeperSpec>(
          "servers", 1, 9, [](auto& zookeeper) -> auto& { return zookeeper.servers; },
          "how many servers the ensemble has: zookeeper-1, which leads at first, and so on"),
      duration<ZooKeeperSpec>(
          "tick", Sign::positive, [](auto& zookeeper) -> auto& { return zookeeper.tick; },
          "tickTime: a session lasts 2 to 20 ticks and ends at a multiple of a tick"),
      integer<ZooKeeperSpec>(
          "init_limit", 1, 1000, [](auto& zookeeper) -> auto& { return zookeeper.init_limit; },
          "initLimit: ticks within which a server must catch up with a new leader"),
      integer<ZooKeeperSpec>(
          "sync_limit", 1, 1000, [](auto& zookeeper) -> auto& { return zookeeper.sync_limit; },
          "syncLimit: ticks after which a silent leader or follower is considered lost"),
      duration<ZooKeeperSpec>(
          "fsync", Sign::not_negative, [](auto& zookeeper) -> auto& { return zookeeper.fsync; },
          "time that a server needs to force its log to disk"),
      boolean<ZooKeeperSpec>(
          "force_sync", [](auto& zookeeper) -> auto& { return zookeeper.force_sync; },
          "forceSync: whether a write is on disk before it is acknowledged"),
      integer<ZooKeeperSpec>(
          "max_connections", 0, 100'000,
          [](auto& zookeeper) -> auto& { return zookeeper.max_connections; },
          "maxClientCnxns: connections that one client may have to one server; 0: any number"),
      boolean<ZooKeeperSpec>(
          "wall_clock_expiry", [](auto& zookeeper) -> auto& { return zookeeper.wall_clock_expiry; },
          "whether session timeouts are counted on the wall clock, as in old releases"),
      duration<ZooKeeperSpec>(
          "service", Sign::not_negative, [](auto& zookeeper) -> auto& { return zookeeper.service; },
          "time that a server needs for one message"),
      integer<ZooKeeperSpec>(
          "clock_rate_ppb", -999'000'000, 999'000'000'000,
          [](auto& zookeeper) -> auto& { return zookeeper.clock_rate_ppb; },
          "how much faster than true time their clocks run, in parts per billion"),
      table<ZooKeeperSpec>(
          "gc", gc_keys(), [](auto& zookeeper) -> auto& { return zookeeper.gc; },
          "Stop-the-world pauses of the servers."),
  };
  return keys;
}

const Keys<MySqlSpec>& mysql_keys() {
  static const Keys<MySqlSpec> keys = {
      integer<MySqlSpec>(
          "replicas", 0, 99, [](auto& mysql) -> auto& { return mysql.replicas; },
          "how many replicas mysql-1 has: mysql-2, mysql-3 and so on"),
      word<MySqlSpec>(
          "variant", {"mariadb", "mysql"},
          [](auto& mysql) -> auto& { return mysql.settings.variant; },
          "which server is simulated where the two differ: MariaDB 10.11 or MySQL 8.0"),
      word<MySqlSpec>(
          "isolation", {"read-committed", "repeatable-read", "serializable"},
          [](auto& mysql) -> auto& { return mysql.settings.isolation; },
          "transaction_isolation of every session"),
      duration<MySqlSpec>(
          "lock_wait_timeout", Sign::positive,
          [](auto& mysql) -> auto& { return mysql.settings.lock_wait_timeout; },
          "innodb_lock_wait_timeout: a statement that waits longer for a row fails with error "
          "1205, but its transaction continues"),
      duration<MySqlSpec>(
          "wait_timeout", Sign::positive,
          [](auto& mysql) -> auto& { return mysql.settings.wait_timeout; },
          "the server ends a session that has been idle for this long"),
      duration<MySqlSpec>(
          "keepalive", Sign::not_negative,
          [](auto& mysql) -> auto& { return mysql.settings.keepalive; },
          "when a client has been silent for this long, the server's kernel starts 9 keepalive "
          "probes, 75 s apart; 0s: never"),
      duration<MySqlSpec>(
          "fsync", Sign::not_negative, [](auto& mysql) -> auto& { return mysql.settings.fsync; },
          "time that a server needs to force its log to disk"),
      boolean<MySqlSpec>(
          "flush_at_commit", [](auto& mysql) -> auto& { return mysql.settings.flush_at_commit; },
          "innodb_flush_log_at_trx_commit: whether a commit is on disk before it is acknowledged; "
          "otherwise the log is flushed once a second"),
      duration<MySqlSpec>(
          "promote_after", Sign::not_negative,
          [](auto& mysql) -> auto& { return mysql.settings.promote_after; },
          "a replica that has heard nothing from its primary for this long is promoted, and "
          "nothing stops the old primary; 0s: never"),
      duration<MySqlSpec>(
          "service", Sign::not_negative, [](auto& mysql) -> auto& { return mysql.service; },
          "time that a server needs for one statement"),
      integer<MySqlSpec>(
          "clock_rate_ppb", -999'000'000, 999'000'000'000,
          [](auto& mysql) -> auto& { return mysql.clock_rate_ppb; },
          "how much faster than true time their clocks run, in parts per billion"),
  };
  return keys;
}

const Keys<ResourceSpec>& resource_keys() {
  static const Keys<ResourceSpec> keys = {
      word<ResourceSpec>(
          "fencing", {"none", "after", "in-script", "ideal", "revoke", "revoke-late"},
          [](auto& resource) -> auto& { return resource.fencing; },
          "how the resource recognizes the write of a former holder, which it refuses. By a token: "
          "fetched by a command after the grant (after), made by the same step that grants "
          "(in-script), or the simulator's own order of grants (ideal). Or without tokens: the "
          "coordinator revokes the access of a holder that is gone, before it frees the lock "
          "(revoke) or after (revoke-late)"),
      duration<ResourceSpec>(
          "service", Sign::not_negative, [](auto& resource) -> auto& { return resource.service; },
          "time that the resource needs for one write"),
  };
  return keys;
}

}  // namespace

const Keys<ServersSpec>& servers_keys() {
  static const Keys<ServersSpec> keys = {
      table<ServersSpec>(
          "redis", redis_keys(), [](auto& servers) -> auto& { return servers.redis; },
          "The servers of a lock on Redis, processes `redis-1` to `redis-N`."),
      table<ServersSpec>(
          "lease_store", lease_store_keys(),
          [](auto& servers) -> auto& { return servers.lease_store; },
          "The server of a lock on a lease store, process `store`. It never loses what it has "
          "acknowledged."),
      table<ServersSpec>(
          "zookeeper", zookeeper_keys(), [](auto& servers) -> auto& { return servers.zookeeper; },
          "The ensemble of a lock on ZooKeeper, processes `zookeeper-1` to `zookeeper-N`."),
      table<ServersSpec>(
          "mysql", mysql_keys(), [](auto& servers) -> auto& { return servers.mysql; },
          "The server of a lock on MySQL, process `mysql-1`, and its replicas."),
      table<ServersSpec>(
          "resource", resource_keys(), [](auto& servers) -> auto& { return servers.resource; },
          "The resource that the lock protects, process `resource`."),
  };
  return keys;
}

}  // namespace picklock::scenarios
