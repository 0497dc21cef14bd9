// A scenario: one declaration of clients, servers, lock, faults and expected result. Documented
// failures, users' files and the finds of a search are all this aggregate and share one file
// format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/algorithm.h"
#include "models/lock_options.h"
#include "models/mysql/settings.h"
#include "models/redis/find_by.h"
#include "picklock/lock.h"
#include "sim/fault.h"
#include "sim/time.h"

namespace picklock::scenarios {

using picklock::Property;
using redis::FindBy;
using sim::Duration;

// The source of fencing tokens: none, a command after the grant, the same step that grants, or the
// simulator's own order of grants (architecture "Fencing"). Or there are no tokens, but a
// coordinator that revokes the access of a holder that is gone, before it frees the lock or after.
enum class Fencing : std::uint8_t { none, after, in_script, ideal, revoke, revoke_late };

// How a holder saves its progress in the lock's key: not at all, by SET, or by SET with KEEPTTL
// (docs/facts/failures.md C-05).
enum class Progress : std::uint8_t { none, set, set_keepttl };

// How an operator takes a lock: from any holder, or only from the holder that the operator saw
// (docs/facts/failures.md B-16).
enum class ForceUnlock : std::uint8_t { unconditional, conditional };

// The target of a holder's writes: the resource, or a row of the lock's own database, written on
// the session that holds the lock.
enum class Effect : std::uint8_t { resource, database };

// The order of events that are due at one instant: as they were scheduled, or drawn from the seed.
enum class Ties : std::uint8_t { arrival, permuted };

// The order in which clients go through several servers: the same for all, or reversed for every
// second client (docs/facts/failures.md D-05).
enum class ServerOrder : std::uint8_t { same, alternating };

// Latency of one direction of a link. Uniform in [low, high]; with `tail_one_in` n > 0, every n-th
// message on average takes a heavy tail instead: high x 2^k, k geometric, at most `tail_high`.
struct Latency {
  Duration low = std::chrono::microseconds(500);
  Duration high = std::chrono::microseconds(500);
  std::uint32_t tail_one_in = 0;
  Duration tail_high{};
};

// Latency between two named processes, in the direction from -> to; both directions when `both`.
struct Link {
  std::string from;
  std::string to;
  Latency latency;
  bool both = true;
  int line = 0;
};

struct Network {
  Latency latency;
  std::vector<Link> links;
  // A connection with bytes undelivered for this long breaks, as TCP's retransmission does; 0:
  // never.
  Duration break_after{};
};

// Stop-the-world pauses, heavy-tailed: every `every` on average, `low` doubled k times, at most
// `high`.
struct GcProfile {
  Duration every{};  // 0: no collector
  Duration low = std::chrono::milliseconds(1);
  Duration high = std::chrono::seconds(1);
};

struct LockSpec {
  std::string algorithm;  // a name of `picklock list algorithms`
  std::string key = "lock:order-42";
  models::LockOptions options;
  models::LockOptions preset;  // as the algorithm comes, before the file says otherwise
  // A user's own lock of that name (scenarios/own_lock.h); nullptr: the shipped one.
  const models::Algorithm* own = nullptr;
};

// A lock's options have the defaults of its algorithm.
inline LockSpec fresh_like(const LockSpec& lock) {
  return {.algorithm = {}, .options = lock.preset, .preset = lock.preset, .own = lock.own};
}

// One Redis server that differs from the others.
struct NodeSpec {
  std::string name;
  std::optional<Duration> clock_offset;
  std::optional<std::int64_t> clock_rate_ppb;
  std::vector<std::string> config;  // after the lines of all servers
  int line = 0;
};

struct SentinelSpec {
  std::uint32_t quorum = 0;  // Sentinels that must find a primary down; 0: more than half
  Duration down_after = std::chrono::seconds(30);
  Duration failover_timeout = std::chrono::minutes(3);
};

struct RedisSpec {
  std::uint32_t masters = 1;
  std::uint32_t replicas = 0;   // of each
  std::uint32_t sentinels = 0;  // of each
  Duration service{};           // time the server needs per command
  Duration clock_offset{};      // wall clock against true time
  std::int64_t clock_rate_ppb = 0;
  std::vector<std::string> config;  // lines of redis.conf: "min-replicas-to-write 1"
  SentinelSpec sentinel;
  std::vector<NodeSpec> nodes;
  GcProfile gc;
};

struct ResourceSpec {
  Fencing fencing = Fencing::none;
  Duration service{};
};

struct LeaseStoreSpec {
  std::uint32_t expire_after = 1;                  // a session lives this many times its TTL
  Duration tick = std::chrono::milliseconds(500);  // between two checks for expired sessions
  Duration service{};                              // time it needs per request
  std::int64_t clock_rate_ppb = 0;
};

struct ZooKeeperSpec {
  std::uint32_t servers = 3;
  Duration tick = std::chrono::seconds(2);
  std::uint32_t init_limit = 10;  // ticks
  std::uint32_t sync_limit = 5;
  Duration fsync = std::chrono::microseconds(500);
  bool force_sync = true;
  std::uint32_t max_connections = 60;  // of one client; 0: any number
  bool wall_clock_expiry = false;      // sessions end by a clock that steps, as in old releases
  Duration service{};                  // time a server needs per message
  std::int64_t clock_rate_ppb = 0;
  GcProfile gc;
};

struct MySqlSpec {
  std::uint32_t replicas = 0;
  mysql::Settings settings;
  Duration service{};  // time a server needs per statement
  std::int64_t clock_rate_ppb = 0;
};

// Only the kind of lock server that the lock uses is part of the run.
struct ServersSpec {
  RedisSpec redis;  // processes redis-1 .. redis-N, redis-1-replica-1, redis-1-sentinel-1 ..
  LeaseStoreSpec lease_store;  // process store
  ZooKeeperSpec zookeeper;     // processes zookeeper-1 .. zookeeper-N
  MySqlSpec mysql;             // processes mysql-1, the primary, and then its replicas
  ResourceSpec resource;       // process resource
};

struct ClientsSpec {
  std::uint32_t count = 3;  // processes client-1 .. client-N
  Duration arrive_every = std::chrono::seconds(1);
  Duration hold =
      std::chrono::seconds(4);  // length of the critical section, when nothing disturbs it
  std::uint32_t writes =
      2;  // to the resource, evenly over the section: 1 at its end, else first at its start
  std::uint32_t cycles = 1;         // how often each thread acquires, works and releases
  std::uint32_t threads = 1;        // of each client that want the lock
  Duration threads_arrive_every{};  // time between the arrivals of two of them
  std::uint32_t operators = 0;      // how many of the last clients force the lock open instead
  ForceUnlock force = ForceUnlock::unconditional;
  ServerOrder server_order = ServerOrder::same;
  Duration scan_every{};  // how often a client asks which server leads; 0: only when it connects
  Duration think{};       // between two cycles
  Duration write_timeout = std::chrono::seconds(3);
  FindBy find_by = FindBy::address;
  bool check_before_write = false;  // checks before each write that it still holds the lock
  bool nested = false;      // acquires the same lock again in the section and releases that at once
  Duration nested_after{};  // time from the start of the section to the nested acquire
  Progress progress = Progress::none;
  Effect effect = Effect::resource;
  GcProfile gc;
};

// Total: a property that is not listed in `violated` must hold.
struct Expectation {
  std::vector<Property> violated;
  // Bounds on the longest time an acquire waited, granted or not.
  std::optional<std::pair<Duration, Duration>> longest_wait;
  std::optional<std::uint64_t> digest;  // of the run with the file's own seed
  int line = 0;
};

// One `key = value` of the file changed: a dotted path as `--set` takes it and the value as TOML
// text.
struct Change {
  std::string path;
  std::string value;
  int line = 0;
};

// The same file with one key changed; every fault fires, and it has expectations of its own.
struct Twin {
  Change change;
  Expectation expect;
};

// The same plan with one fault moved to a neighboring step, with its own expectations (architecture
// 8.19).
struct Neighbour {
  std::uint32_t fault = 1;  // counted from 1, in the order of the file
  sim::Trigger trigger;
  Expectation expect;
};

struct Scenario {
  std::string name;  // file name without .toml
  std::string file;  // as it was given; empty: not from a file
  std::string title;
  std::string source;
  bool control = false;  // shows that something does not happen: faults need not matter
  std::uint64_t seed = 1;
  Ties ties = Ties::arrival;
  LockSpec lock;
  Network network;
  ServersSpec servers;
  ClientsSpec clients;
  sim::Plan faults;
  Expectation expect;
  std::vector<Twin> twins;
  std::vector<Neighbour> neighbours;
};

// The user's own lock, or else the shipped lock of that name; nullptr: there is none.
const models::Algorithm* find_algorithm(const Scenario& scenario);

// The kind of server that has the lock's entries; Redis for an algorithm that is not shipped.
LockServer lock_server(const Scenario& scenario);
inline bool on(const Scenario& scenario, LockServer server) {
  return lock_server(scenario) == server;
}

// Whether a separate process frees the locks of holders that are gone.
bool has_coordinator(const Scenario& scenario);

// "min-replicas-to-write 1" is a parameter and its value; quotes around the value are taken off.
std::pair<std::string, std::string> config_line(std::string_view line);

// Parameters and their values in turn, each parameter once: the server's own lines override those
// for all servers.
std::vector<std::string> config_of(const RedisSpec& redis, std::string_view server);

// Whether a restarted Redis server would find anything on its disk.
bool persists(const Scenario& scenario, std::string_view server);

// The lock's own options and those that the resource requires.
models::LockOptions lock_options(const Scenario& scenario);

}  // namespace picklock::scenarios
