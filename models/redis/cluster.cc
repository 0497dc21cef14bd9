#include "models/redis/cluster.h"

#include <algorithm>
#include <charconv>

#include "models/redis/kind.h"
#include "models/redis/spec.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

bool is_server(const servers::ProcessSpec& process) {
  return process.kind == &kPrimaryKind || process.kind == &kReplicaKind;
}

// The number in redis-1, redis-1-replica-1 and so on, counted from 0.
std::size_t number_of_master(std::string_view name) {
  name.remove_prefix(std::string_view("redis-").size());
  std::size_t number = 1;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number - 1;
}

}  // namespace

void Cluster::set(const servers::Setting& setting) {
  servers::Cluster::set(setting);
  configs_.assign(setting.processes.size(), {});
  const std::string password(setting.password);
  for (std::size_t i = 0; i < setting.processes.size(); ++i) {
    const servers::ProcessSpec& process = setting.processes[i];
    if (!is_server(process)) continue;
    configs_[i] = config_of(setting.specs->of<Spec>(), process.name);
    if (password.empty()) continue;
    configs_[i].insert(configs_[i].end(), {"requirepass", password, "masterauth", password});
  }
}

void Cluster::build(const servers::Site& site) {
  begin();
  enlist(site);
  build_servers(site);
  const auto& redis = setting().specs->of<Spec>();
  if (redis.sentinels > 0) build_sentinels(site);
  if (!redis.cluster.enabled) return;
  slots_.reset(groups_, setting().lock_keys.front());
  for (Server& server : servers_) {
    if (server.replication().group() != nullptr) server.join_cluster(slots_);
  }
}

Node Cluster::node(std::size_t process, Node apart) const {
  if (setting().ports.empty()) return apart;
  apart.port = setting().ports[process];
  apart.machine = setting().machine;
  return apart;
}

// Sentinels try again for as long as it takes.
bool Cluster::may_grant(const sim::Process& process) const {
  if (setting().specs->of<Spec>().sentinels > 0) return true;
  return std::none_of(groups_.begin(), groups_.end(),
                      [&](const Group& group) { return group.replicates(process); });
}

std::vector<servers::Door> Cluster::doors() {
  std::vector<servers::Door> doors;
  for (const Node& node : directory_.nodes())
    doors.push_back({node.process, node.endpoint, &protocol()});
  return doors;
}

// The nodes of a Redis Cluster have addresses of their own, to which they redirect.
servers::Door Cluster::behind(const servers::Door& door) const {
  const bool moves = !setting().specs->of<Spec>().cluster.enabled;
  for (const Group& group : groups_) {
    if (!moves || &group.primary().process() != door.process) continue;
    const Node& node = *directory_.of(group.at_address().process());
    return {node.process, node.endpoint, &protocol()};
  }
  return door;
}

// All processes get their place before any is told of another.
void Cluster::enlist(const servers::Site& site) {
  directory_.clear();
  std::size_t servers = 0;
  std::size_t sentinels = 0;
  for (std::uint32_t i = 0; i < setting().processes.size(); ++i) {
    const servers::ProcessSpec& spec = setting().processes[i];
    sim::Process& process = site.simulation.scheduler.processes().at(i);
    if (is_server(spec)) {
      if (servers == servers_.size()) servers_.emplace_back();
      directory_.add(node(i, {.process = &process, .endpoint = &servers_[servers++]}));
    } else if (spec.kind == &kSentinelKind) {
      if (sentinels == sentinels_.size()) sentinels_.emplace_back();
      directory_.add(node(i, {&process, &sentinels_[sentinels++], kSentinelPort}));
    }
  }
}

void Cluster::build_servers(const servers::Site& site) {
  const auto& redis = setting().specs->of<Spec>();
  groups_.resize(redis.masters);
  std::size_t used = 0;
  for (std::uint32_t i = 0; i < setting().processes.size(); ++i) {
    const servers::ProcessSpec& spec = setting().processes[i];
    if (!is_server(spec)) continue;
    sim::Process& process = site.simulation.scheduler.processes().at(i);
    process.set_service(redis.service);
    Server& server = servers_[used++];
    server.reset(site.simulation, process, site.tenures, site.keys,
                 redis.replicas > 0 || redis.cluster.enabled ? &directory_ : nullptr);
    server.replicate_relative_expiry(redis.relative_expiry);
    server.delay_restarts(redis.restart_delay);
    if (!configs_[i].empty()) {
      words_.assign(configs_[i].begin(), configs_[i].end());
      server.configure(words_);
    }
    Group& group = groups_[number_of_master(spec.name)];
    if (spec.kind == &kPrimaryKind) {
      group.reset(spec.name, server, directory_);
    } else {
      group.add_replica(server);
    }
  }
}

// The Sentinels have run for a long time before the run begins: each knows the replicas and the
// other Sentinels.
void Cluster::build_sentinels(const servers::Site& site) {
  const auto& redis = setting().specs->of<Spec>();
  sim::Scheduler& scheduler = site.simulation.scheduler;
  const std::span<const servers::ProcessSpec> processes = setting().processes;
  std::size_t used = 0;
  for (std::uint32_t i = 0; i < processes.size(); ++i) {
    const servers::ProcessSpec& spec = processes[i];
    if (spec.kind != &kSentinelKind) continue;
    Sentinel& sentinel = sentinels_[used++];
    Group& group = groups_[number_of_master(spec.name)];
    const std::uint32_t majority = redis.sentinels / 2 + 1;
    SentinelConfig config{.name = group.name(),
                          .master = *directory_.of(group.primary().process()),
                          .quorum = redis.sentinel.quorum > 0 ? redis.sentinel.quorum : majority,
                          .down_after = redis.sentinel.down_after,
                          .failover_timeout = redis.sentinel.failover_timeout,
                          .password = std::string(setting().password)};
    for (std::uint32_t k = 0; k < processes.size(); ++k) {
      if (k == i || processes[k].group != spec.group) continue;
      const Node* node = directory_.of(scheduler.processes().at(k));
      if (processes[k].kind == &kReplicaKind) config.replicas.push_back(*node);
      if (processes[k].kind == &kSentinelKind) config.sentinels.push_back(*node);
    }
    sentinel.reset(site.simulation, scheduler.processes().at(i), directory_, {&config, 1},
                   setting().password);
    group.add_sentinel(sentinel);
  }
}

ClientEnd& Cluster::connect(const servers::Site& site, const servers::Seat& seat) {
  ClientEnd& end = next_end();
  const ClusterSpec& cluster = setting().specs->of<Spec>().cluster;
  if (cluster.enabled) {
    end.reset(site.simulation, seat.process, slots_, cluster.first_map, seat.number, seat.options);
    return end;
  }
  end.reset(site.simulation, seat.process, groups_, seat.find_by, seat.options, seat.primaries);
  return end;
}

}  // namespace picklock::redis
