#include "scenarios/bounds.h"

#include <algorithm>

#include "keys/duration_text.h"
#include "models/algorithm.h"
#include "models/locks/lease_store_lock.h"
#include "models/locks/mysql/options.h"

namespace picklock::scenarios {

using models::locks::LeaseStoreOptions;
using models::locks::mysql::ConnectionOptions;

using keys::kLongest;
namespace {

Duration slowest(const Latency& latency) {
  return latency.tail_one_in > 0 ? std::max(latency.high, latency.tail_high) : latency.high;
}

Duration longest_collection(const GcProfile& gc) {
  return gc.every > Duration::zero() ? gc.high : Duration::zero();
}

// Longest time until an ensemble has another leader: the old one falls silent, and its followers
// wait for it as long as they may.
Duration election(const ZooKeeperSpec& zookeeper) {
  constexpr Duration kVotes = std::chrono::seconds(2);
  return zookeeper.servers == 1 ? Duration{} : zookeeper.sync_limit * zookeeper.tick + kVotes;
}

// A client notices that its server is gone when a statement times out, and connects to the others.
Duration finding_a_primary(const Scenario& scenario) {
  const models::LockOptions& lock = scenario.lock.options;
  const std::int64_t servers = std::int64_t{1} + scenario.servers.mysql.replicas;
  return std::min(lock.command_timeout, kLongest / 100) +
         2 * servers * std::min(lock.of<ConnectionOptions>().connect_timeout, kLongest / 100);
}

// Time until Sentinels have found a primary down, agreed, elected one of them and promoted a
// replica (R60, R61).
Duration failover_bound(const Scenario& scenario) {
  constexpr Duration kElection = std::chrono::seconds(5);
  if (on(scenario, LockServer::mysql))
    return 2 * std::min(scenario.servers.mysql.settings.promote_after, kLongest / 100);
  const RedisSpec& redis = scenario.servers.redis;
  return redis.sentinels == 0 ? Duration{} : redis.sentinel.down_after + kElection;
}

// Time from the end of a lease or session until its servers notice the end.
Duration beyond_ttl(const Scenario& scenario) {
  if (on(scenario, LockServer::zookeeper)) {
    const Duration tick = scenario.servers.zookeeper.tick;
    return std::max(Duration{}, 2 * tick - scenario.lock.options.ttl) + tick;
  }
  if (!on(scenario, LockServer::lease_store)) return {};
  const LeaseStoreSpec& store = scenario.servers.lease_store;
  const Duration ttl = std::min(scenario.lock.options.ttl, kLongest / 100);
  return (store.expire_after - 1) * ttl + store.tick;
}

// Additional time when servers fail or sessions end in silence.
Duration beyond_faults(const Scenario& scenario) {
  if (on(scenario, LockServer::zookeeper)) return election(scenario.servers.zookeeper);
  if (on(scenario, LockServer::mysql))
    return std::min(scenario.servers.mysql.settings.wait_timeout, kLongest / 100);
  return {};
}

}  // namespace

// The next attempt takes a free lock. An attempt is a connection and a few commands: the wait
// before it, the way there and back, the server's queue, and a garbage collection wherever one can
// occur. A free key on a lease store may still be under a lock-delay. A watch that the store has
// forgotten in a crash lasts until its client gives up on it.
Duration acquire_bound(const Scenario& scenario) {
  constexpr Duration kSlack = std::chrono::milliseconds(100);
  constexpr std::int64_t kCommands = 4;
  Duration way = slowest(scenario.network.latency);
  for (const Link& link : scenario.network.links) way = std::max(way, slowest(link.latency));
  const RedisSpec& redis = scenario.servers.redis;
  const models::LockOptions& lock = scenario.lock.options;
  const bool store = on(scenario, LockServer::lease_store);
  const ZooKeeperSpec& zookeeper = scenario.servers.zookeeper;
  const Duration service = store ? scenario.servers.lease_store.service
                           : on(scenario, LockServer::zookeeper) ? zookeeper.service
                           : on(scenario, LockServer::mysql)     ? scenario.servers.mysql.service
                                                                 : redis.service;
  const Duration queue = kCommands * service * static_cast<std::int64_t>(scenario.clients.count);
  const Duration standing = longest_collection(scenario.clients.gc) + longest_collection(redis.gc) +
                            longest_collection(zookeeper.gc);
  // A client may have to find out that its server is gone, and find another.
  const Duration reconnecting = on(scenario, LockServer::zookeeper)
                                    ? std::min(lock.ttl, kLongest / 100) + election(zookeeper)
                                : on(scenario, LockServer::mysql) ? finding_a_primary(scenario)
                                                                  : Duration{};
  const Duration wait = lock.wait_replicas > 0 ? lock.wait_timeout : Duration{};
  return lock.retry_every + lock.retry_jitter + 2 * (1 + kCommands) * way + queue + 2 * standing +
         wait + kSlack + reconnecting +
         (store ? lock.of<LeaseStoreOptions>().lock_delay + lock.command_timeout : Duration{});
}

Duration recovery_bound(const Scenario& scenario) {
  return find_algorithm(scenario)->bound(lock_options(scenario)) + beyond_ttl(scenario);
}

Duration patience(const Scenario& scenario) {
  // A lease of a century must not carry the horizon beyond what an instant can say.
  return 3 * std::min(recovery_bound(scenario) + failover_bound(scenario) + beyond_faults(scenario),
                      kLongest / 4);
}

}  // namespace picklock::scenarios
