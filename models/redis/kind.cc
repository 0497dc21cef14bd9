#include "models/redis/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "keys/bad_input.h"
#include "models/locks/option_keys.h"
#include "models/locks/quorum_lock.h"
#include "models/locks/redis_py_lock.h"
#include "models/locks/redisson/kin.h"
#include "models/locks/redisson/lock.h"
#include "models/locks/redisson/multi_lock.h"
#include "models/locks/redisson/options.h"
#include "models/locks/set_ex_hash_release.h"
#include "models/locks/set_px_lock.h"
#include "models/locks/setnx_lock.h"
#include "models/locks/setnx_timestamp_lock.h"
#include "models/redis/cluster.h"
#include "models/redis/commands.h"
#include "models/redis/config.h"
#include "models/redis/socket_wire.h"
#include "models/redis/spec.h"
#include "models/redis/taken_keys.h"
#include "models/resource/fencing.h"
#include "models/servers/verbs.h"
#include "picklock/redis.h"

namespace picklock::redis {

using namespace std::chrono_literals;
using servers::Specs;
using sim::Keeps;
using sim::Verb;

namespace {

constexpr std::array kPrimaryBears = {models::kEvict, models::kFailOver};
constexpr std::array kReplicaRefuses = {
    servers::Refusal{models::kEvict, "a replica forgets only what its primary tells it to forget"}};

Keeps kept_on_disk(const Specs& specs, std::string_view process, Keeps drawn) {
  return persists(specs.of<Spec>(), process) ? drawn : Keeps::none;
}

FaultClass crash_class(const Specs& specs, const sim::Fault& fault) {
  if (!servers::starts_again(fault)) return FaultClass::crash;
  return fault.keeps == Keeps::all && persists(specs.of<Spec>(), fault.target)
             ? FaultClass::crash
             : FaultClass::amnesia;
}

keys::Words command_names() {
  keys::Words names;
  for (const Command* const command : all_commands()) names.push_back(command->name);
  return names;
}

}  // namespace

constexpr servers::ProcessKind kPrimaryKind = {
    .name = "redis",
    .singular = "server",
    .standing = servers::Standing::primary,
    .port = kServerPort,
    .drawn = {FaultClass::pause, FaultClass::server_clock, FaultClass::failover,
              FaultClass::amnesia, FaultClass::partition, FaultClass::crash},
    .drawn_at_messages = servers::kFaultsAtRequests,
    .failover_word = "redis group",
    .bears = kPrimaryBears,
    .keeps = kept_on_disk,
    .crash_class = crash_class};

constexpr servers::ProcessKind kReplicaKind = {
    .name = "replica",
    .singular = "replica",
    .standing = servers::Standing::replica,
    .after_resource = true,
    .port = kServerPort,
    .drawn = {FaultClass::pause, FaultClass::server_clock, FaultClass::amnesia,
              FaultClass::partition, FaultClass::crash},
    .refuses = kReplicaRefuses,
    .keeps = kept_on_disk,
    .crash_class = crash_class};

constexpr servers::ProcessKind kSentinelKind = {
    .name = "sentinel",
    .singular = "Sentinel",
    .hears_clients = false,
    .after_resource = true,
    .port = kSentinelPort,
    .drawn = {FaultClass::pause, FaultClass::server_clock, FaultClass::partition,
              FaultClass::crash}};

namespace {

constexpr std::array<const servers::ProcessKind*, 3> kKinds = {&kPrimaryKind, &kReplicaKind,
                                                               &kSentinelKind};
constexpr std::array<const servers::ProcessKind*, 2> kCollected = {&kPrimaryKind, &kReplicaKind};

std::vector<servers::Row> rows(const Specs& specs) {
  const auto& spec = specs.of<Spec>();
  // The servers of a cluster have one entry of a key.
  const bool one = spec.cluster.enabled;
  std::vector<servers::Row> all = {
      {.kind = &kPrimaryKind, .prefix = "redis-", .count = spec.masters, .apart = !one}};
  for (std::uint32_t i = 0; i < spec.masters; ++i) {
    all.push_back({.kind = &kReplicaKind,
                   .prefix = fmt::format("redis-{}-replica-", i + 1),
                   .count = spec.replicas,
                   .group = one ? 0 : i});
    all.push_back({.kind = &kSentinelKind,
                   .prefix = fmt::format("redis-{}-sentinel-", i + 1),
                   .count = spec.sentinels,
                   .group = one ? 0 : i});
  }
  return all;
}

// Checks lines of redis.conf as `CONFIG SET` would.
void check_config(const keys::Value& lines, const std::vector<std::string>& config) {
  const std::vector<keys::Value> wheres = lines.elements();
  Config known;
  Reply all;
  const std::string_view pattern[] = {"*"};
  known.get(pattern, all);
  keys::Words parameters;
  for (std::size_t k = 0; k < all.elements.size(); k += 2)
    parameters.push_back(all.elements[k].text);
  keys::Words given;
  for (std::size_t i = 0; i < config.size(); ++i) {
    const auto [parameter, value] = config_line(config[i]);
    if (std::find(given.begin(), given.end(), parameter) != given.end())
      wheres[i].fail(fmt::format("{} is given twice", keys::printable(parameter)));
    given.push_back(parameter);
    if (std::find(parameters.begin(), parameters.end(), parameter) == parameters.end()) {
      wheres[i].fail(fmt::format("redis.conf has no parameter \"{}\"", keys::printable(parameter)),
                     parameter, parameters, "`CONFIG GET *` lists them all");
    }
    const std::string_view pair[] = {parameter, value};
    Reply set;
    known.set(pair, set);
    if (set.is_error())
      wheres[i].fail(fmt::format("Redis refuses it: {}", keys::printable(set.text, 200)));
  }
}

void check_node(const keys::Value& table, const NodeSpec& node, const Spec& spec,
                const servers::FindProcess& find) {
  if (!table.find("name")) table.fail_missing("name", "must be given");
  const servers::ProcessKind& kind = find(table.at("name"), node.name);
  if (std::find(kKinds.begin(), kKinds.end(), &kind) == kKinds.end())
    table.at("name").fail(fmt::format("must be a Redis server or Sentinel, not {}", node.name));
  for (const NodeSpec& other : spec.nodes) {
    if (&other == &node) break;
    if (other.name == node.name)
      table.at("name").fail(fmt::format("{} is described twice", node.name));
  }
  const auto config = table.find("config");
  if (!config) return;
  if (kind == kSentinelKind)
    config->fail("must be left out: [servers.redis.sentinel] sets up all Sentinels");
  check_config(*config, node.config);
}

void check(const keys::Value& table, const Specs& specs, const servers::FindProcess& find) {
  const auto& spec = specs.of<Spec>();
  servers::check_gc(table, spec.gc);
  if (const auto config = table.find("config")) check_config(*config, spec.config);
  if (spec.sentinels > 0 && spec.replicas == 0)
    table.at("sentinels")
        .fail("must be 0: a primary without replicas has nothing that Sentinels could promote");
  if (spec.cluster.enabled && spec.sentinels > 0)
    table.at("sentinels").fail("must be 0: the nodes of a Redis Cluster watch each other");
  if (spec.sentinel.quorum > spec.sentinels) {
    table.at("sentinel")
        .at("quorum")
        .fail(fmt::format(
            "must be at most {}, the number of Sentinels: otherwise no server is ever found down",
            spec.sentinels));
  }
  if (const auto nodes = table.find("node")) {
    const std::vector<keys::Value> tables = nodes->tables();
    for (std::size_t i = 0; i < tables.size(); ++i)
      check_node(tables[i], spec.nodes[i], spec, find);
  }
}

servers::Clock clocks_of(const Specs& specs, const servers::ProcessSpec& process) {
  const auto& spec = specs.of<Spec>();
  servers::Clock clock;
  if (*process.kind != kSentinelKind) clock = {spec.clock_offset, spec.clock_rate_ppb};
  for (const NodeSpec& node : spec.nodes) {
    if (node.name != process.name) continue;
    clock.offset = node.clock_offset.value_or(clock.offset);
    clock.rate_ppb = node.clock_rate_ppb.value_or(clock.rate_ppb);
  }
  return clock;
}

// A grant that its replicas have not acknowledged in time is none.
sim::Duration answer_within(const models::LockOptions& lock) {
  const bool waits =
      lock.wait_replicas > 0 || lock.of<models::locks::redisson::RedissonOptions>().sync_replicas;
  return waits ? std::min(lock.command_timeout, lock.wait_timeout) : lock.command_timeout;
}

// Every replica acknowledges once a second, which takes as long as a command. So a command has only
// the rest of each second, and none if there are too many acknowledgements.
sim::Duration time_of_command(const Spec& spec) {
  constexpr sim::Duration kOverloaded = 1h;
  if (spec.replicas == 0 || spec.service == 0s) return spec.service;
  if (spec.service >= 1s / std::int64_t{spec.replicas}) return kOverloaded;
  return spec.service * (1s / 1ns) / (1s - spec.service * std::int64_t{spec.replicas}).count();
}

servers::Bounds bounds(const Specs& specs, const models::LockOptions& lock) {
  // Time until Sentinels have found a primary down, agreed, elected one of them and promoted a
  // replica (R60, R61).
  constexpr sim::Duration kElection = 5s;
  const auto& spec = specs.of<Spec>();
  return {.service = time_of_command(spec),
          .collection = servers::longest_collection(spec.gc),
          .replacing = spec.sentinels == 0 ? 0s : spec.sentinel.down_after + kElection,
          .after_faults = spec.restart_delay.length,
          .answer_within = answer_within(lock)};
}

FaultClasses met(const Specs& specs, const sim::Plan& faults) {
  const auto& spec = specs.of<Spec>();
  FaultClasses met;
  for (const NodeSpec& node : spec.nodes) {
    if (node.clock_offset || node.clock_rate_ppb) met.add(FaultClass::server_clock);
  }
  // Sentinels replace a primary that is silent, whatever the cause.
  const bool a_server_suffers =
      spec.gc.every > 0s || std::any_of(faults.begin(), faults.end(), [](const sim::Fault& fault) {
        return fault.target.starts_with("redis-");
      });
  if (spec.sentinels > 0 && a_server_suffers) met.add(FaultClass::failover);
  return met;
}

std::optional<servers::NoFailover> no_failover(const Specs& specs, std::string_view target) {
  const auto& spec = specs.of<Spec>();
  if (spec.replicas == 0)
    return {{fmt::format("{} has no replica to promote", target), servers::kNoReplica}};
  if (spec.sentinels == 0) return std::nullopt;
  return {{fmt::format("{} has Sentinels, which alone decide on a failover: crash its host instead",
                       target),
           "Sentinels alone decide; they do when a primary crashes, stands still or is cut off"}};
}

bool follows(const servers::ProcessKind& kind, std::string_view process, std::string_view primary) {
  return kind == kReplicaKind && process.starts_with(std::string(primary) + "-");
}

std::vector<servers::Smaller> smaller(const Specs& specs) {
  const auto& spec = specs.of<Spec>();
  std::vector<servers::Smaller> all;
  for (std::uint32_t gone = spec.masters; gone > 0 && spec.masters > 1; --gone) {
    all.push_back({.take = [](Specs& some, const models::LockOptions&,
                              const sim::Plan&) { return --some.of<Spec>().masters, true; },
                   .renaming = servers::without("redis-", gone)});
  }
  if (spec.replicas > 0) {
    all.push_back({.take =
                       [](Specs& some, const models::LockOptions& lock, const sim::Plan& faults) {
                         auto& one = some.of<Spec>();
                         const bool last = one.replicas-- == 1;
                         const bool needed =
                             lock.wait_replicas > one.replicas ||
                             (last && (one.sentinels > 0 || servers::fails_over(faults) ||
                                       lock.check_at == models::CheckAt::replica));
                         return !needed;
                       },
                   .renaming = servers::without_suffix(fmt::format("-replica-{}", spec.replicas))});
  }
  if (spec.sentinels > 0) {
    all.push_back(
        {.take =
             [](Specs& some, const models::LockOptions&, const sim::Plan&) {
               auto& one = some.of<Spec>();
               return one.sentinel.quorum <= --one.sentinels;
             },
         .renaming = servers::without_suffix(fmt::format("-sentinel-{}", spec.sentinels))});
  }
  return all;
}

void rename_nodes(Specs& specs, const servers::Renaming& renaming) {
  std::erase_if(specs.of<Spec>().nodes, [&](NodeSpec& node) {
    const std::optional<std::string> renamed = renaming(node.name);
    if (renamed) node.name = *renamed;
    return !renamed;
  });
}

std::vector<servers::Pair> add_replicas(Specs& specs) {
  auto& spec = specs.of<Spec>();
  spec.replicas = std::max(spec.replicas, 1U);
  std::vector<servers::Pair> pairs;
  for (std::uint32_t i = 1; i <= spec.masters; ++i)
    pairs.push_back({fmt::format("redis-{}", i), fmt::format("redis-{}-replica-1", i)});
  return pairs;
}

constexpr servers::Monitors kMonitors = {
    .name = "Sentinels", .key = "sentinels", .count = [](const Specs& specs) {
      return specs.of<Spec>().sentinels;
    }};

std::unique_ptr<servers::Cluster> make_cluster() { return std::make_unique<Cluster>(); }

keys::Keys<models::LockOptions> library_keys() {
  using namespace models::locks;
  return joined({redis_command_keys(), subscription_keys()});
}

std::vector<const models::Algorithm*> locks() {
  using namespace models;
  return {
      &locks::naive_setnx(),
      &locks::setnx_expire(),
      &locks::setnx_timestamp(),
      &locks::set_ex_hash_release(),
      &locks::set_px_blind_delete(),
      &locks::set_px_check_delete(),
      &locks::lua_check_delete(),
      &locks::watchdog(),
      &locks::redis_py_lock(),
      &locks::redisson::redisson_lock(),
      &locks::redisson::redisson_lock_fixed(),
      &locks::redisson::redisson_spin_lock(),
      &locks::redisson::redisson_fenced_lock(),
      &locks::redisson::redisson_fair_lock(),
      &locks::redisson::redisson_fair_lock_fixed(),
      &locks::redisson::redisson_multilock(),
      &locks::redisson::redisson_redlock(),
      &locks::redisson::redisson_redlock_fixed(),
      &locks::redlock(),
      &locks::node_redlock_v4(),
      &locks::node_redlock_v5(),
      &locks::redsync(),
  };
}

}  // namespace

constinit const servers::Kind kKind = {
    .server = kServer,
    .title = "Redis",
    .speed =
        "10,000 on one Redis server, 2,000 on three, 1,000 for a lock whose waiters spin "
        "(redisson-fair-lock)",
    .version = [] { return fmt::format("Redis {}", kVersion); },
    .table = spec_table,
    .check = check,
    .arrays = nodes_text,
    .gc = keys::place_of<Specs>([](auto& specs) -> auto& { return specs.template of<Spec>().gc; }),
    .clock_rate = keys::place_of<Specs>(
        [](auto& specs) -> auto& { return specs.template of<Spec>().clock_rate_ppb; }),
    .clock = clocks_of,
    .make_alike = [](Specs& specs) { specs.of<Spec>().nodes.clear(); },
    .processes = "`redis-1` to `redis-N`, with `redis-1-replica-1`, `redis-1-sentinel-1` and so on",
    .kinds = kKinds,
    .collected = kCollected,
    .rows = rows,
    .locks = locks,
    .make_cluster = make_cluster,
    .library_keys = library_keys,
    .open_wire = []() -> std::unique_ptr<servers::Wire> { return std::make_unique<SocketWire>(); },
    .commands = command_names,
    .takes = taken_keys,
    .served_example = "masters=1,replicas=2,sentinels=3",
    .best_lock = "lua-check-delete",
    .best_renewing_lock = "watchdog",
    .best_quorum_lock = "redlock",
    .fetch_token = models::fetch_fencing_token,
    .write_key = [](picklock::Client& self, std::string_view key, std::string_view text,
                    bool keeps_ttl) { redis::server(self).set(key, text, {.keepttl = keeps_ttl}); },
    .primaries =
        [](const Specs& specs) {
          const auto& spec = specs.of<Spec>();
          return spec.cluster.enabled ? 1 : spec.masters;
        },
    .primaries_key = "masters",
    .replicas =
        [](const Specs& specs) {
          const auto& spec = specs.of<Spec>();
          return spec.cluster.enabled ? 0 : spec.replicas;
        },
    .monitors = &kMonitors,
    .add_replicas = add_replicas,
    .copies =
        [](const Specs& specs) {
          const auto& spec = specs.of<Spec>();
          return spec.replicas > 0 || spec.cluster.enabled;
        },
    .bounds = bounds,
    .met = met,
    .no_failover = no_failover,
    .follows = follows,
    .smaller = smaller,
    .rename = rename_nodes};

}  // namespace picklock::redis
