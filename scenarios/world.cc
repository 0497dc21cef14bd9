#include "scenarios/world.h"

#include <algorithm>
#include <stdexcept>

#include "models/locks/mysql/shedlock.h"
#include "scenarios/bounds.h"

namespace picklock::scenarios {
namespace {

sim::Latency as_sim(const Latency& latency) {
  return {.low = latency.low,
          .high = latency.high,
          .tail_one_in = latency.tail_one_in,
          .tail_high = latency.tail_high};
}

models::FencedBy fenced_by(Fencing fencing) {
  switch (fencing) {
    case Fencing::none:
      return models::FencedBy::nothing;
    case Fencing::after:
    case Fencing::in_script:
      return models::FencedBy::tokens;
    case Fencing::revoke:
    case Fencing::revoke_late:
      return models::FencedBy::revocation;
    case Fencing::ideal:
      break;
  }
  return models::FencedBy::order_of_grants;
}

bool is_server(const ProcessSpec& process) {
  return process.kind == TargetKind::redis || process.kind == TargetKind::replica;
}

// Only servers of one group have copies of an entry; elsewhere the group does not matter.
std::uint32_t group_of(const Scenario& scenario, const ProcessSpec& process) {
  if (process.kind == TargetKind::mysql) return 0;
  return is_server(process) ? process.group : scenario.servers.redis.masters;
}

}  // namespace

void World::set(const Scenario& scenario) {
  scenario_ = &scenario;
  algorithm_ = find_algorithm(scenario);
  if (algorithm_ == nullptr)
    throw std::invalid_argument("no algorithm is called " + scenario.lock.algorithm);
  patience_ = scenarios::patience(scenario);
  const RedisSpec& redis = scenario.servers.redis;
  processes_ = processes_of(scenario);
  context_ = {.lock_key = 0,
              .quorum = algorithm_->quorum == nullptr
                            ? 1
                            : algorithm_->quorum(redis.masters, scenario.lock.options),
              .servers = on(scenario, LockServer::redis) ? redis.masters : 1,
              .first_server = askers(scenario),
              .group_of = {},
              .acquire_bound = acquire_bound(scenario),
              .wakeup_bound = algorithm_->wakeup == nullptr
                                  ? Duration{}
                                  : algorithm_->wakeup(scenario.lock.options),
              .wakeups = algorithm_->wakeups,
              .overtakes = algorithm_->overtakes};
  configs_.assign(processes_.size(), {});
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (redis.replicas > 0 ||
        (on(scenario, LockServer::mysql) && scenario.servers.mysql.replicas > 0))
      context_.group_of.push_back(group_of(scenario, processes_[i]));
    if (is_server(processes_[i])) configs_[i] = config_of(redis, processes_[i].name);
  }
}

void World::build(std::uint64_t seed, bool tracing) {
  const Scenario& scenario = *scenario_;
  sim::Scheduler& scheduler = simulation_.scheduler;
  simulation_.reset(seed, tracing);
  if (scenario.ties == Ties::permuted) scheduler.permute_ties();
  scheduler.set_event_limit(kMostEvents);
  keys_.reset();
  context_.lock_key = keys_.id(scenario.lock.key);
  tenures_.reset(context_.lock_key, context_.quorum);
  collectors_used_ = 0;
  busy_until_ = sim::kStart;

  add_processes();
  set_links();
  build_servers();
  build_sentinels();
  const bool store = algorithm_->uses.server == LockServer::lease_store;
  if (store) build_store();
  const bool zookeeper = algorithm_->uses.server == LockServer::zookeeper;
  if (zookeeper) build_ensemble();
  const bool mysql = algorithm_->uses.server == LockServer::mysql;
  if (mysql) build_databases();
  const std::uint32_t clients = scenario.clients.count;
  sim::Process& home = scheduler.process(index_of(TargetKind::resource));
  home.set_service(scenario.servers.resource.service);
  resource_.reset(simulation_, home, tenures_, fenced_by(scenario.servers.resource.fencing));

  while (machines_.size() < clients) {
    machines_.emplace_back();
    programs_.emplace_back();
  }
  for (std::uint32_t i = 0; i < clients; ++i) {
    machines_[i].reset(simulation_, scheduler.process(i), groups_, scenario.clients.find_by,
                       resource_, scenario.lock.options, scenario.clients.write_timeout,
                       context_.lock_key,
                       scenario.clients.server_order == ServerOrder::alternating && i % 2 == 1);
    if (store) machines_[i].connect(store_, scenario.lock.options);
    if (zookeeper) machines_[i].connect(ensemble_.ends(), scenario.lock.options, i);
    if (mysql) machines_[i].connect(databases_.ends(), scenario.lock.options);
    const Duration arrival = scenario.clients.arrive_every * static_cast<std::int64_t>(i);
    const bool is_operator = i + scenario.clients.operators >= clients;
    programs_[i].reset(machines_[i], *algorithm_, scenario, tenures_, arrival, is_operator,
                       busy_until_);
    busy_until_ = std::max(busy_until_, sim::kStart + arrival);
  }
  if (has_coordinator(scenario)) build_coordinator();
  simulation_.nemesis.reset(scenario.faults, 0, askers(scenario));
  for (std::uint32_t i = 0; i < processes_.size(); ++i) scheduler.start(scheduler.process(i));
  for (std::uint32_t i = 0; i < clients; ++i) add_gc(scheduler.process(i), scenario.clients.gc);
  for (std::uint32_t i = askers(scenario); i < processes_.size(); ++i) {
    if (is_server(processes_[i])) add_gc(scheduler.process(i), scenario.servers.redis.gc);
    if (processes_[i].kind == TargetKind::zookeeper)
      add_gc(scheduler.process(i), scenario.servers.zookeeper.gc);
  }
  horizon_ = scheduler.add_timer(nullptr, &World::at_horizon, this, 0);
  scheduler.arm(horizon_, busy_until_ + patience_);
}

void World::add_processes() {
  const RedisSpec& redis = scenario_->servers.redis;
  for (const ProcessSpec& process : processes_) {
    const bool of_redis = is_server(process) || process.kind == TargetKind::sentinel;
    Duration offset = is_server(process) ? redis.clock_offset : Duration{};
    std::int64_t rate_ppb =
        is_server(process)                      ? redis.clock_rate_ppb
        : process.kind == TargetKind::store     ? scenario_->servers.lease_store.clock_rate_ppb
        : process.kind == TargetKind::zookeeper ? scenario_->servers.zookeeper.clock_rate_ppb
        : process.kind == TargetKind::mysql     ? scenario_->servers.mysql.clock_rate_ppb
                                                : 0;
    if (of_redis) {
      for (const NodeSpec& node : redis.nodes) {
        if (node.name != process.name) continue;
        offset = node.clock_offset.value_or(offset);
        rate_ppb = node.clock_rate_ppb.value_or(rate_ppb);
      }
    }
    simulation_.scheduler.add_process(process.name, offset, rate_ppb);
  }
}

std::uint32_t World::index_of(TargetKind kind) const {
  const auto found = std::find_if(processes_.begin(), processes_.end(),
                                  [kind](const ProcessSpec& one) { return one.kind == kind; });
  return static_cast<std::uint32_t>(found - processes_.begin());
}

void World::build_store() {
  const LeaseStoreSpec& spec = scenario_->servers.lease_store;
  sim::Process& process = simulation_.scheduler.process(index_of(TargetKind::store));
  process.set_service(spec.service);
  store_.reset(simulation_, process, tenures_, keys_,
               {.expire_after = spec.expire_after, .tick = spec.tick});
}

void World::build_ensemble() {
  const ZooKeeperSpec& spec = scenario_->servers.zookeeper;
  std::vector<sim::Process*> processes;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i].kind != TargetKind::zookeeper) continue;
    processes.push_back(&simulation_.scheduler.process(i));
    processes.back()->set_service(spec.service);
  }
  ensemble_.reset(simulation_, processes, tenures_, scenario_->lock.key,
                  {.tick = spec.tick,
                   .init_limit = spec.init_limit,
                   .sync_limit = spec.sync_limit,
                   .max_connections = spec.max_connections,
                   .fsync = spec.fsync,
                   .force_sync = spec.force_sync,
                   .wall_clock_expiry = spec.wall_clock_expiry},
                  has_coordinator(*scenario_));
}

void World::build_databases() {
  const MySqlSpec& spec = scenario_->servers.mysql;
  std::vector<sim::Process*> processes;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i].kind != TargetKind::mysql) continue;
    processes.push_back(&simulation_.scheduler.process(i));
    processes.back()->set_service(spec.service);
  }
  using OverBy = mysql::Grants::OverBy;
  const bool by_clients =
      algorithm_->uses.own_clock &&
      !scenario_->lock.options.of<models::locks::mysql::ShedLockOptions>().db_time;
  databases_.reset(simulation_, processes, tenures_, scenario_->lock.key, spec.settings,
                   by_clients ? OverBy::clients : OverBy::server);
}

void World::build_coordinator() {
  const std::uint32_t at = index_of(TargetKind::coordinator);
  coordinator_.reset(simulation_, simulation_.scheduler.process(at), groups_,
                     scenario_->clients.find_by, resource_, scenario_->lock.options,
                     scenario_->clients.write_timeout, context_.lock_key);
  coordinator_.connect(ensemble_.ends(), scenario_->lock.options, scenario_->clients.count);
  coordinating_.reset(coordinator_, *scenario_);
}

void World::build_servers() {
  const RedisSpec& redis = scenario_->servers.redis;
  groups_.resize(algorithm_->uses.server == LockServer::redis ? redis.masters : 0);
  enlist();
  std::size_t used = 0;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    const ProcessSpec& spec = processes_[i];
    if (!is_server(spec)) continue;
    sim::Process& process = simulation_.scheduler.process(i);
    process.set_service(redis.service);
    redis::Server& server = servers_[used++];
    server.reset(simulation_, process, tenures_, keys_, redis.replicas > 0 ? &directory_ : nullptr);
    if (!configs_[i].empty()) {
      words_.assign(configs_[i].begin(), configs_[i].end());
      server.configure(words_);
    }
    redis::Group& group = groups_[spec.group];
    if (spec.kind == TargetKind::redis) {
      group.reset(spec.name, server, directory_);
    } else {
      group.add_replica(server);
    }
  }
}

// All processes get their place before any is told of another.
void World::enlist() {
  directory_.clear();
  std::size_t servers = 0;
  std::size_t sentinels = 0;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    sim::Process& process = simulation_.scheduler.process(i);
    if (is_server(processes_[i])) {
      if (servers == servers_.size()) servers_.emplace_back();
      directory_.add({.process = &process, .endpoint = &servers_[servers++]});
    } else if (processes_[i].kind == TargetKind::sentinel) {
      if (sentinels == sentinels_.size()) sentinels_.emplace_back();
      directory_.add({&process, &sentinels_[sentinels++], redis::kSentinelPort});
    }
  }
}

// The Sentinels have run for a long time before the run begins: each knows the replicas and the
// other Sentinels.
void World::build_sentinels() {
  const RedisSpec& redis = scenario_->servers.redis;
  if (redis.sentinels == 0) return;
  std::size_t used = 0;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    const ProcessSpec& spec = processes_[i];
    if (spec.kind != TargetKind::sentinel) continue;
    redis::Sentinel& sentinel = sentinels_[used++];
    redis::Group& group = groups_[spec.group];
    const std::uint32_t majority = redis.sentinels / 2 + 1;
    redis::SentinelConfig config{
        .name = group.name(),
        .master = *directory_.of(group.primary().process()),
        .quorum = redis.sentinel.quorum > 0 ? redis.sentinel.quorum : majority,
        .down_after = redis.sentinel.down_after,
        .failover_timeout = redis.sentinel.failover_timeout};
    for (std::uint32_t k = 0; k < processes_.size(); ++k) {
      if (k == i || processes_[k].group != spec.group) continue;
      const redis::Node* node = directory_.of(simulation_.scheduler.process(k));
      if (processes_[k].kind == TargetKind::replica) config.replicas.push_back(*node);
      if (processes_[k].kind == TargetKind::sentinel) config.sentinels.push_back(*node);
    }
    sentinel.reset(simulation_, simulation_.scheduler.process(i), directory_, {&config, 1});
    group.add_sentinel(sentinel);
  }
}

void World::set_links() {
  sim::Network& network = simulation_.network;
  network.set_latency(as_sim(scenario_->network.latency));
  network.set_patience(scenario_->network.break_after);
  const auto process = [this](const std::string& name) -> sim::Process& {
    for (std::uint32_t i = 0; i < processes_.size(); ++i) {
      if (processes_[i].name == name) return simulation_.scheduler.process(i);
    }
    throw std::invalid_argument("a link names a process that does not exist: " + name);
  };
  for (const Link& link : scenario_->network.links) {
    network.set_latency(process(link.from), process(link.to), as_sim(link.latency));
    if (link.both) network.set_latency(process(link.to), process(link.from), as_sim(link.latency));
  }
}

// ---------------------------------------------------------------- garbage collection

void World::add_gc(sim::Process& process, const GcProfile& profile) {
  if (profile.every <= Duration::zero()) return;
  if (collectors_used_ == collectors_.size()) collectors_.emplace_back();
  Collector& collector = collectors_[collectors_used_++];
  collector = {.world = this,
               .process = &process,
               .profile = &profile,
               .incarnation = 0,
               .chance = sim::Random(simulation_.scheduler.seed(),
                                     sim::mixed(process.hash() ^ sim::hash_of("gc")))};
  collector.timer = simulation_.scheduler.add_timer(nullptr, &World::collect, &collector, 0);
  const Duration first = collector.chance.between(Duration(1), 2 * profile.every);
  simulation_.scheduler.arm(collector.timer, simulation_.now() + first);
}

// Alternates between running, for at most twice `every`, and pausing.
void World::collect(void* argument, std::uint32_t) {
  auto& collector = *static_cast<Collector*>(argument);
  sim::Scheduler& scheduler = collector.world->simulation_.scheduler;
  sim::Process& process = *collector.process;
  Duration until{};
  if (!collector.collecting && !process.down()) {
    until = collector.chance.heavy_tailed(collector.profile->low, collector.profile->high);
    scheduler.pause(process);
    collector.collecting = true;
    collector.incarnation = process.incarnation();
  } else {
    // A crash ends the collection of its incarnation; a pause by another fault is left alone.
    const bool lives = !process.down() && process.incarnation() == collector.incarnation;
    if (collector.collecting && lives) scheduler.resume(process);
    collector.collecting = false;
    until = collector.chance.between(Duration(1), 2 * collector.profile->every);
  }
  scheduler.arm(collector.timer, scheduler.now() + until);
}

// ---------------------------------------------------------------- the end

// The horizon is three times the algorithm's bound after the latest of these: the end of the last
// fault, the last acquire, the end of the last critical section. A waiter behind a healthy holder
// is not stuck.
void World::at_horizon(void* self, std::uint32_t) {
  auto& world = *static_cast<World*>(self);
  sim::Scheduler& scheduler = world.simulation_.scheduler;
  const sim::Nemesis& nemesis = world.simulation_.nemesis;
  const sim::Instant last = std::max(nemesis.last_end(), world.busy_until_);
  const sim::Instant due = (nemesis.quiet() ? last : scheduler.now()) + world.patience_;
  if (due > scheduler.now()) {
    scheduler.arm(world.horizon_, due);
  } else {
    scheduler.stop();
  }
}

void World::run(std::uint64_t seed, bool tracing) {
  build(seed, tracing);
  sim::Scheduler& scheduler = simulation_.scheduler;
  scheduler.run();
  // A run that was cut short has no horizon, so nothing is judged as having never happened.
  if (!scheduler.out_of_events())
    simulation_.recorder.note({.at = scheduler.now(), .what = history::What::horizon});
  verdicts_ = &judge_.judge(history(), context_);
  sim::Digest digest = scheduler.digest();
  for (const properties::Verdict& verdict : *verdicts_) {
    digest.add((static_cast<std::uint64_t>(verdict.outcome) << 32) + verdict.count);
  }
  digest_ = digest.value();
}

std::vector<std::string> World::processes() const {
  std::vector<std::string> names;
  for (const ProcessSpec& process : processes_) names.push_back(process.name);
  return names;
}

}  // namespace picklock::scenarios
