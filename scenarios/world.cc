#include "scenarios/world.h"

#include <algorithm>
#include <stdexcept>

#include "models/lease_store/kind.h"
#include "models/lease_store/spec.h"
#include "models/locks/mysql/shedlock.h"
#include "models/mysql/kind.h"
#include "models/mysql/spec.h"
#include "models/redis/kind.h"
#include "models/redis/spec.h"
#include "models/servers/kind.h"
#include "models/zookeeper/kind.h"
#include "models/zookeeper/spec.h"
#include "scenarios/bounds.h"
#include "scenarios/process_kinds.h"

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
  return process.kind == &redis::kPrimaryKind || process.kind == &redis::kReplicaKind;
}

// Only servers of one group have copies of an entry; elsewhere the group does not matter.
std::uint32_t group_of(const Scenario& scenario, const ProcessSpec& process) {
  const bool has_entries = process.kind->standing != servers::Standing::none;
  return has_entries ? process.group : primaries(scenario);
}

}  // namespace

void World::set(const Scenario& scenario) {
  scenario_ = &scenario;
  algorithm_ = find_algorithm(scenario);
  if (algorithm_ == nullptr)
    throw std::invalid_argument("no algorithm is called " + scenario.lock.algorithm);
  patience_ = scenarios::patience(scenario);
  const auto& redis = scenario.servers.of<redis::Spec>();
  processes_ = processes_of(scenario);
  context_ = {.lock_key = 0,
              .quorum = algorithm_->quorum == nullptr
                            ? 1
                            : algorithm_->quorum(primaries(scenario), scenario.lock.options),
              .servers = primaries(scenario),
              .first_server = askers(scenario),
              .group_of = {},
              .acquire_bound = acquire_bound(scenario),
              .wakeup_bound = algorithm_->wakeup == nullptr
                                  ? Duration{}
                                  : algorithm_->wakeup(scenario.lock.options),
              .wakeups = algorithm_->wakeups,
              .overtakes = algorithm_->overtakes};
  const servers::Kind& server = lock_server(scenario);
  const bool copies = server.copies != nullptr && server.copies(scenario.servers);
  configs_.assign(processes_.size(), {});
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (copies) context_.group_of.push_back(group_of(scenario, processes_[i]));
    if (is_server(processes_[i])) configs_[i] = redis::config_of(redis, processes_[i].name);
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
  sim::Process& home = scheduler.process(index_of(kResourceKind));
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
  const servers::Kind& server = lock_server(scenario);
  for (std::uint32_t i = askers(scenario); i < processes_.size(); ++i) {
    const bool collects = std::find(server.collected.begin(), server.collected.end(),
                                    processes_[i].kind) != server.collected.end();
    if (collects) add_gc(scheduler.process(i), server.gc->of(scenario.servers));
  }
  horizon_ = scheduler.add_timer(nullptr, &World::at_horizon, this, 0);
  scheduler.arm(horizon_, busy_until_ + patience_);
}

void World::add_processes() {
  const servers::Kind& server = lock_server(*scenario_);
  for (const ProcessSpec& process : processes_) {
    servers::Clock clock;
    if (std::find(server.kinds.begin(), server.kinds.end(), process.kind) != server.kinds.end()) {
      if (server.clock != nullptr) {
        clock = server.clock(scenario_->servers, process);
      } else if (server.clock_rate && !process.kind->takes_steps) {
        clock.rate_ppb = server.clock_rate->of(scenario_->servers);
      }
    }
    simulation_.scheduler.add_process(process.name, clock.offset, clock.rate_ppb);
  }
}

std::uint32_t World::index_of(const ProcessKind& kind) const {
  const auto found = std::find_if(processes_.begin(), processes_.end(),
                                  [&kind](const ProcessSpec& one) { return one.kind == &kind; });
  return static_cast<std::uint32_t>(found - processes_.begin());
}

void World::build_store() {
  const auto& spec = scenario_->servers.of<lease_store::Spec>();
  sim::Process& process = simulation_.scheduler.process(index_of(lease_store::kServerKind));
  process.set_service(spec.service);
  store_.reset(simulation_, process, tenures_, keys_,
               {.expire_after = spec.expire_after, .tick = spec.tick});
}

void World::build_ensemble() {
  const auto& spec = scenario_->servers.of<zookeeper::Spec>();
  std::vector<sim::Process*> processes;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i].kind != &zookeeper::kServerKind) continue;
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
  const auto& spec = scenario_->servers.of<mysql::Spec>();
  std::vector<sim::Process*> processes;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i].kind != &mysql::kServerKind) continue;
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
  const std::uint32_t at = index_of(*lock_server(*scenario_).coordinator);
  coordinator_.reset(simulation_, simulation_.scheduler.process(at), groups_,
                     scenario_->clients.find_by, resource_, scenario_->lock.options,
                     scenario_->clients.write_timeout, context_.lock_key);
  coordinator_.connect(ensemble_.ends(), scenario_->lock.options, scenario_->clients.count);
  coordinating_.reset(coordinator_, *scenario_);
}

void World::build_servers() {
  const auto& redis = scenario_->servers.of<redis::Spec>();
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
    if (spec.kind == &redis::kPrimaryKind) {
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
    } else if (processes_[i].kind == &redis::kSentinelKind) {
      if (sentinels == sentinels_.size()) sentinels_.emplace_back();
      directory_.add({&process, &sentinels_[sentinels++], redis::kSentinelPort});
    }
  }
}

// The Sentinels have run for a long time before the run begins: each knows the replicas and the
// other Sentinels.
void World::build_sentinels() {
  const auto& redis = scenario_->servers.of<redis::Spec>();
  if (redis.sentinels == 0) return;
  std::size_t used = 0;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    const ProcessSpec& spec = processes_[i];
    if (spec.kind != &redis::kSentinelKind) continue;
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
      if (processes_[k].kind == &redis::kReplicaKind) config.replicas.push_back(*node);
      if (processes_[k].kind == &redis::kSentinelKind) config.sentinels.push_back(*node);
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

void World::add_gc(sim::Process& process, const servers::GcProfile& profile) {
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
