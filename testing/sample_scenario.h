// Shared by the tests of the loader: a small vocabulary, a valid file, and the text of an error.
#pragma once

#include <string>
#include <utility>

#include "keys/bad_input.h"
#include "models/locks/catalogue.h"
#include "models/locks/option_keys.h"
#include "picklock/lease_store.h"
#include "picklock/mysql.h"
#include "picklock/zookeeper.h"
#include "scenarios/keys.h"
#include "scenarios/loader.h"

namespace picklock::testing {

inline scenarios::Vocabulary vocabulary() {
  using namespace models::locks;
  using picklock::Role;
  const OptionKeys plain = joined({client_keys(), lease_keys(), polling_keys(), token_keys()});
  const auto keys_of = [](std::string_view lock) { return named(lock)->keys; };
  OptionKeys all = scenarios::option_keys();
  std::erase_if(all, [](const auto& key) {
    return key.name == "lock_delay" || (find(named("mysql-row-lock")->keys, key.name) != nullptr &&
                                        find(named("watchdog")->keys, key.name) == nullptr);
  });
  return {{
      {"set-px-blind-delete",
       {Role::acquire, Role::release},
       {},
       {.lease_unit = std::chrono::seconds(1)},
       plain},
      {"set-px-check-delete",
       {Role::acquire, Role::check, Role::release},
       {"owner-checked"},
       {.check = true, .servers = true, .force = true},
       all,
       {},
       {{"0.9", {}}}},
      {"lua-check-delete",
       {Role::acquire, Role::release},
       {},
       {.mint = true, .servers = true},
       joined({plain,
               own_token_keys(),
               check_keys(),
               {*find(keys_of("redlock"), "tokens"),
                *find(keys_of("shedlock"), "release_compares")}})},
      {"redis-program",
       {Role::command, Role::write, Role::read},
       {},
       {.servers = true, .outside = true},
       {*find(keys_of("redlock"), "quorum")}},
      {"zk-ephemeral",
       {Role::acquire, Role::renew, Role::release, Role::watch},
       {},
       {.mint = true, .server = picklock::zookeeper::kServer},
       keys_of("zk-ephemeral")},
      {"zk-sequential",
       {Role::acquire, Role::renew, Role::release, Role::watch},
       {},
       {.mint = true, .server = picklock::zookeeper::kServer},
       keys_of("zk-sequential")},
      {"mysql-row-lock",
       {Role::acquire, Role::release},
       {},
       {.mint = true, .database = true, .server = picklock::mysql::kServer},
       keys_of("mysql-row-lock")},
      {"mysql-select-insert",
       {Role::acquire, Role::release},
       {},
       {.mint = true, .database = true, .server = picklock::mysql::kServer},
       joined({keys_of("mysql-select-insert"), keys_of("shedlock")})},
      {"lease-store-lock",
       {Role::acquire, Role::renew, Role::release, Role::watch},
       {},
       {.mint = true, .server = picklock::lease_store::kServer},
       keys_of("lease-store-lock")},
  }};
}

// Five lines; what a test adds stands on line 6, or on line 7 within a fault.
inline std::string head() {
  return R"(format = 1
[lock]
algorithm = "set-px-check-delete"
[clients]
count = 3
)";
}

inline std::string with_fault(const std::string& keys) { return head() + "[[fault]]\n" + keys; }

// Keys of a fault; each test adds what is missing.
inline const std::string kPause = "pause = \"client-1\"\nfor = \"3s\"\n";

// Every key of every table, with every verb that hits something.
inline constexpr const char* kComplete = R"(format = 1
title = "everything"
source = "failures.md A-02"
control = true
seed = 77
ties = "permuted"
[lock]
algorithm = "set-px-check-delete"
key = "lock:1"
version = "0.9"
ttl = "1.5s"
retry_every = "250us"
retry_jitter = "10ns"
acquire_timeout = "2m"
attempts = 7
command_timeout = "1h"
resend = 2
resend_delay = "11ms"
resend_delay_most = "12ms"
connections = 3
keep_timed_out = true
connects = "at-start"
resubscribe_every = "13ms"
clock = "wall"
deadline = true
tell_loss = false
local_mutex = "freed"
resend_scripts = false
timer_per_lock = true
renew_after_error = false
unlock_latch = false
try_after_subscribing = false
wait_at_most = "14ms"
wait_at_least = "6ms"
sync_replicas = true
place_expires = "15ms"
refresh_place = true
quorum = 2
validity = "before-answers"
drift_ppm = 16
drift_extra = "17ms"
asks = "in-turn"
hears = "majority"
speaks = "script-names"
undo_at = "granted"
undo_after = "last-attempt"
releases = "as-acquired"
extends = "as-acquired"
extend_missing = true
stops_at = "suspended"
freed_by = "coordinator"
fence_by = "sequence"
order_by = "name"
named_by = "session"
lost_after_percent = 66
retry_missing = false
guaranteed_delete = false
value = "client"
renew = "conditional"
renew_every = "2s"
recognise_own = "after-unknown"
steal = "getset"
wait_replicas = 2
wait_timeout = "3s"
check_at = "replica"
[servers.redis]
masters = 3
replicas = 2
sentinels = 3
config = ["min-replicas-to-write 1"]
service = "20us"
clock_offset = "-3s"
clock_rate_ppb = -200000
restart_delay = "12s"
restart_clock = "wall"
[servers.redis.sentinel]
quorum = 1
down_after = "5s"
failover_timeout = "1m"
[[servers.redis.node]]
name = "redis-2-replica-1"
clock_offset = "4s"
clock_rate_ppb = 300
config = ["replica-priority 50", "maxmemory 100mb"]
[servers.redis.gc]
every = "10s"
low = "2ms"
high = "4s"
[servers.resource]
fencing = "ideal"
service = "1ms"
[network]
latency = ["0.5ms", "2ms"]
order = "any"
priorities = 7
priority_changes = [3, 20]
tail_one_in = 1000
tail_high = "1s"
break_after = "15m"
[[network.link]]
from = "client-1"
to = "redis-2"
latency = "7ms"
tail_one_in = 9
tail_high = "8ms"
both = false
[clients]
count = 4
arrive_every = "0s"
hold = "5s"
writes = 3
cycles = 20
threads = 2
threads_arrive_every = "18ms"
operators = 1
force = "conditional"
server_order = "alternating"
scan_every = "19ms"
think = "1s"
write_timeout = "2s"
find_by = "sentinel"
check_before_write = true
nested = true
nested_after = "20ms"
nested_for = "21ms"
progress = "set-keepttl"
[clients.gc]
every = "20s"
low = "3ms"
high = "5s"
[[fault]]
pause = "client-1"
before = "release.sent"
nth = 2
by = "client-2"
on = "redis-1"
command = "DEL"
for = "8s"
[[fault]]
crash = "redis-1"
after = "mark:owner-checked"
for = "1s"
host = true
silent = true
keeps = "all"
[[fault]]
restart = "redis-2"
at = "3.2s"
keeps = "none"
[[fault]]
end-thread = "client-2"
after = "write.replied"
[[fault]]
step-clock = "redis-1"
at = "0s"
step = "-2s"
[[fault]]
set-clock-rate = "redis-3"
at = "1s"
rate = 1.01
[[fault]]
partition = "client-1"
at = "1s"
from = ["redis-1", "redis-2"]
one_way = "outbound"
for = "4s"
[[fault]]
heal = "client-1"
at = "2s"
[[fault]]
hold = "client-1"
before = "check.applied"
for = "1s"
[[fault]]
delay = "resource"
before = "write.sent"
for = "2s"
[[fault]]
drop = "redis-1"
before = "acquire.applied"
by = "client-3"
[[fault]]
duplicate = "client-4"
before = "acquire.sent"
for = "3s"
[[fault]]
evict = "redis-1"
at = "3s"
key = "lock:2"
[[fault]]
slow = "redis-1"
at = "3s"
step = "5ms"
for = "9s"
[[fault]]
interrupt = "client-2"
after = "acquire.sent"
[expect]
violated = ["own-release", "mutual-exclusion"]
longest_wait = ["9s", "11s"]
longest_idle = ["0s", "2s"]
digest = "00000000deadbeef"
[[twin]]
fault.1.before = "check.sent"
violated = ["not-stuck"]
longest_wait = ["1s", "1s"]
longest_idle = ["0s", "2s"]
digest = "ffffffffffffffff"
[[twin]]
network.latency = ["1ms", "2ms"]
[[neighbour]]
fault = 1
after = "release.applied"
command = "GET"
violated = []
longest_wait = ["0s", "1s"]
longest_idle = ["0s", "2s"]
[complete]
faults = 2
classes = ["pause", "crash"]
properties = ["own-release", "no-stale-write"]
plans = 4812
different = 311
)";

// Keys that the complete file cannot have, because its primaries have Sentinels.
// The work of a holder as steps, in place of `hold` and `writes`.
inline constexpr const char* kSteps = R"(format = 1
[lock]
algorithm = "lua-check-delete"
tokens = "raised"
release_compares = false
[servers.resource]
fencing = "in-script"
checks = "accesses"
equal_token = "refuse"
[[clients.work]]
do = "fence"
[[clients.work]]
do = "read"
[[clients.work]]
do = "think"
for = "2s"
[[clients.work]]
do = "write"
mode = "if-version"
[[fault]]
delay = "client-1"
before = "read.sent"
for = "1s"
[expect]
violated = []
)";

// Clients that differ, from the others and from each other.
inline constexpr const char* kUnlike = R"(format = 1
[lock]
algorithm = "set-px-check-delete"
ttl = "8s"
[servers.redis]
masters = 3
[clients]
count = 4
hold = "5s"
servers = ["redis-3", "redis-1"]
[[client]]
name = "client-2"
arrives_at = "3s"
hold = "2s"
releases = false
keys = ["lock:b", "lock:a"]
leases = ["1s", "30s"]
gc = {}
lock.ttl = "8s"
lock.acquire_timeout = "9s"
lock.clock = "wall"
[[client]]
name = "client-4"
servers = ["redis-2"]
cycles = 3
lock.algorithm = "lua-check-delete"
lock.key = "lock:b"
[client.gc]
every = "9s"
[[client.work]]
do = "read"
[[client.work]]
do = "write"
[[fault]]
delay = "client-4"
before = "read.sent"
for = "1s"
[expect]
violated = []
[[twin]]
client.1.hold = "3s"
violated = []
)";

inline constexpr const char* kFailOver = R"(format = 1
[lock]
algorithm = "set-px-check-delete"
[servers.redis]
masters = 3
replicas = 2
[[fault]]
fail-over = "redis-3"
at = "4s"
for = "1s"
to = "redis-3-replica-2"
[expect]
violated = []
)";

// Keys of a Redis Cluster.
inline constexpr const char* kCluster = R"(format = 1
[lock]
algorithm = "lua-check-delete"
[servers.redis]
masters = 3
replicas = 1
relative_expiry = true
[servers.redis.cluster]
enabled = true
first_map = "none"
[expect]
violated = []
)";

// Keys of a replicated resource.
inline constexpr const char* kReplicated = R"(format = 1
[lock]
algorithm = "lua-check-delete"
[servers.resource]
fencing = "in-script"
nodes = 3
recover_by = "length"
force_promises = false
restarted_log = "high-watermark"
[expect]
violated = []
)";

// Keys of a lease store.
inline constexpr const char* kLeaseStore = R"(format = 1
[lock]
algorithm = "lease-store-lock"
lock_delay = "15s"
[servers.lease_store]
expire_after = 2
tick = "1s"
service = "30us"
clock_rate_ppb = 500
[[fault]]
kill-session = "client-1"
at = "4s"
[[fault]]
delay = "store"
before = "watch.applied"
for = "1s"
[expect]
violated = []
)";

// Keys of an ensemble.
inline constexpr const char* kZooKeeper = R"(format = 1
[lock]
algorithm = "zk-ephemeral"
recognise_own = "always"
owner_data = "session"
[servers.zookeeper]
servers = 5
tick = "1s"
init_limit = 4
sync_limit = 3
fsync = "2ms"
force_sync = false
max_connections = 7
wall_clock_expiry = true
service = "30us"
clock_rate_ppb = 500
[servers.zookeeper.gc]
every = "10s"
low = "2ms"
high = "4s"
[[fault]]
kill-session = "client-1"
at = "4s"
[[fault]]
restart = "zookeeper-5"
at = "5s"
keeps = "fsynced"
[[fault]]
delay = "zookeeper-2"
before = "watch.applied"
for = "1s"
[expect]
violated = []
)";

// Keys of an ensemble, and of its locks, that do not go with those above.
inline constexpr const char* kNumbers = R"(format = 1
[lock]
algorithm = "zk-sequential"
[servers.zookeeper]
log_before_ack = false
first_sequence = -5
sequence_wraps = true
[expect]
violated = []
)";

// Keys of several primaries and of a lock of several rows.
inline constexpr const char* kPrimaries = R"(format = 1
[lock]
algorithm = "mysql-row-lock"
rows = 2
row_order = "alternating"
after_error = "repeat"
[servers.mysql]
primaries = 3
spread = false
[expect]
violated = []
)";

// Clients that are programs.
inline constexpr const char* kPrograms = R"(format = 1
[lock]
algorithm = "redis-program"
quorum = 2
[servers.redis]
masters = 3
[clients]
program = ["/usr/bin/python3", "lock.py", "--fast"]
folder = "/srv/locks/"
until = "30s"
[[fault]]
pause = "client-1"
before = "command.sent"
command = "EVALSHA"
for = "15s"
[expect]
violated = []
)";

// Keys of a MySQL server.
inline constexpr const char* kMySql = R"(format = 1
[lock]
algorithm = "mysql-select-insert"
if_locked = "skip"
ends_by = "rollback"
connect_timeout = "2s"
reconnect = true
pool_resets = false
db_time = true
hold_at_least = "1s"
[servers.mysql]
replicas = 2
variant = "mysql"
isolation = "read-committed"
lock_wait_timeout = "40s"
wait_timeout = "600s"
keepalive = "60s"
fsync = "2ms"
flush_at_commit = false
promote_after = "5s"
service = "30us"
clock_rate_ppb = 500
[clients]
effect = "database"
[[fault]]
kill-session = "client-1"
at = "4s"
[[fault]]
fail-over = "mysql-1"
at = "5s"
to = "mysql-3"
[[fault]]
delay = "mysql-1"
before = "acquire.applied"
for = "1s"
[expect]
violated = []
)";

inline scenarios::Scenario parsed(std::string text) {
  return scenarios::parse(std::move(text), "story.toml", vocabulary());
}

// The message, or "loads" where there is nothing to complain about.
template <typename Action>
std::string error_from(Action action) {
  try {
    action();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "loads";
}

inline std::string error_of(const std::string& text) {
  return error_from([&] { parsed(text); });
}

}  // namespace picklock::testing
