#include "scenarios/world.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "scenarios/bounds.h"
#include "scenarios/links.h"
#include "scenarios/process_kinds.h"
#include "scenarios/program_locks.h"

namespace picklock::scenarios {
namespace {

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
    case Fencing::owner_token:
      return models::FencedBy::owner_tokens;
    case Fencing::ideal:
      break;
  }
  return models::FencedBy::order_of_grants;
}

// The properties whose verdicts are in the digests that users have stored. A later one is not: its
// verdict follows from the history, which the digest has.
constexpr std::array kInDigests = {
    Property::mutual_exclusion, Property::resource_exclusion, Property::no_stale_write,
    Property::own_release,      Property::balanced_holds,     Property::loss_noticed,
    Property::not_stuck,        Property::no_deadlock,        Property::no_lost_wakeup,
    Property::bounded_wakeups,  Property::fair_order,         Property::available};

bool is_in_digests(Property property) {
  return std::find(kInDigests.begin(), kInDigests.end(), property) != kInDigests.end();
}

properties::Share share_of(const Scenario& scenario, const ClientsSpec& clients,
                           const LockSpec& lock) {
  properties::Share share{.quorum = quorum_of(scenario, clients, lock),
                          .servers = servers_of(scenario, clients),
                          .uses = std::vector<bool>(primaries(scenario), clients.servers.empty())};
  const std::vector<ProcessSpec> processes = processes_of(scenario);
  for (const std::string& name : clients.servers) share.uses[find(processes, name)->group] = true;
  return share;
}

std::vector<properties::Share> shares_of(const Scenario& scenario) {
  std::vector<properties::Share> shares(scenario.clients.count,
                                        share_of(scenario, scenario.clients, scenario.lock));
  for (const OneClient& one : scenario.unlike) {
    const Setup setup = setup_of(scenario, one);
    shares[index_of(one)] = share_of(scenario, setup.clients, setup.lock);
  }
  return shares;
}

// The facts that judges need. Where clients differ, a bound is the longest of theirs.
properties::Context context_of(const Scenario& scenario) {
  properties::Context context{.servers = primaries(scenario),
                              .first_server = askers(scenario),
                              .group_of = {},
                              .acquire_bound = acquire_bound(scenario),
                              .answer_within = lost_answer_bound(scenario),
                              .patience = patience(scenario)};
  context.wakeups = 0;
  context.overtakes = 0;
  const auto add = [&](const LockSpec& lock) {
    const models::Algorithm& algorithm = *find_algorithm(lock);
    if (algorithm.wakeup != nullptr)
      context.wakeup_bound = std::max(context.wakeup_bound, algorithm.wakeup(lock.options));
    context.wakeups = std::max(context.wakeups, algorithm.wakeups);
    context.overtakes = std::max(context.overtakes, algorithm.overtakes);
  };
  add(scenario.lock);
  context.quorum = quorum_of(scenario, scenario.clients, scenario.lock);
  if (scenario.unlike.empty() && scenario.clients.servers.empty()) return context;
  const std::vector<Setup> all = setups(scenario);
  for (const Setup& setup : all) add(setup.lock);
  const bool alike = share_one_lock(scenario) && all.front().clients.servers.empty();
  if (!alike) context.shares = shares_of(scenario);
  return context;
}

}  // namespace

void World::set(const Scenario& scenario) {
  scenario_ = &scenario;
  const models::Algorithm* algorithm = find_algorithm(scenario);
  if (algorithm == nullptr)
    throw std::invalid_argument("no algorithm is called " + scenario.lock.algorithm);
  patience_ = scenarios::patience(scenario);
  server_ = &lock_server(scenario);
  coordinated_ = has_coordinator(scenario);
  processes_ = processes_of(scenario);
  cut_off_.set(scenario, processes_);
  programs_ = has_programs(scenario) ? std::make_unique<Programs>() : nullptr;
  if (programs_ != nullptr) programs_->set(scenario, processes_);
  context_ = context_of(scenario);
  set_clients();
  const bool copies = server_->copies != nullptr && server_->copies(scenario.servers);
  if (copies || scenario.servers.resource.nodes > 1) {
    for (const ProcessSpec& process : processes_)
      context_.group_of.push_back(group_of(scenario, process));
  }
  std::unique_ptr<servers::Cluster>& cluster = clusters_[server_];
  if (cluster == nullptr) cluster = server_->make_cluster();
  cluster_ = cluster.get();
  cluster_->set(
      {.specs = &scenario.servers,
       .processes = processes_,
       .lock_keys = lock_keys_,
       .coordinated = coordinated_,
       .lock = &scenario.lock.options,
       .timed_by_clients = algorithm->timed_by_clients != nullptr &&
                           algorithm->timed_by_clients(scenario.lock.options),
       .ports = programs_ != nullptr ? programs_->ports() : std::span<const std::uint16_t>()});
}

// The primaries that a client uses, by their numbers; empty: all, in order.
std::vector<std::uint32_t> World::primaries_of(const ClientsSpec& clients,
                                               std::uint32_t number) const {
  std::vector<std::uint32_t> all;
  for (const std::string& name : clients.servers) all.push_back(find(processes_, name)->group);
  if (!all.empty() || clients.server_order == ServerOrder::same || number % 2 == 0) return all;
  all.resize(primaries(*scenario_));
  std::iota(all.rbegin(), all.rend(), 0U);
  return all;
}

void World::set_clients() {
  const Scenario& scenario = *scenario_;
  const std::uint32_t count = scenario.clients.count;
  unlike_.clear();
  clients_.resize(count + 1);
  const ClientProgram::Part common{.clients = &scenario.clients,
                                   .lock = &scenario.lock,
                                   .algorithm = find_algorithm(scenario),
                                   .quorum = context_.quorum};
  for (std::uint32_t i = 0; i <= count; ++i) {
    clients_[i].part = common;
    clients_[i].part.arrives = scenario.clients.arrive_every * static_cast<std::int64_t>(i);
    clients_[i].part.is_operator = i + scenario.clients.operators >= count;
  }
  for (const OneClient& one : scenario.unlike) {
    const Setup& setup = unlike_.emplace_back(setup_of(scenario, one));
    ClientProgram::Part& part = clients_.at(scenarios::index_of(one)).part;
    part.clients = &setup.clients;
    part.lock = &setup.lock;
    part.algorithm = find_algorithm(setup.lock);
    part.quorum = quorum_of(scenario, setup);
    part.arrives = setup.arrives_at.value_or(part.arrives);
  }
  has_work_ = false;
  std::uint64_t threads = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ClientsSpec& clients = *clients_[i].part.clients;
    threads += clients.threads;
    clients_[i].primaries = primaries_of(clients, i);
    has_work_ = has_work_ || !clients.work.empty();
  }
  most_events_ = threads > kManyThreads ? kMostEvents / 2 : kMostEvents;
  set_lock_keys();
}

void World::set_lock_keys() {
  if (scenario_->unlike.empty() && scenario_->clients.keys.empty()) {
    lock_keys_.assign(1, scenario_->lock.key);
    for (Client& client : clients_) client.part.keys.assign(1, 0);
    return;
  }
  lock_keys_ = lock_keys(*scenario_);
  const auto number_of = [this](const std::string& key) {
    const auto found = std::find(lock_keys_.begin(), lock_keys_.end(), key);
    return static_cast<history::KeyId>(found - lock_keys_.begin());
  };
  for (std::uint32_t i = 0; i < scenario_->clients.count; ++i) {
    ClientProgram::Part& part = clients_[i].part;
    part.keys.clear();
    if (part.clients->keys.empty()) part.keys.push_back(number_of(part.lock->key));
    for (const std::string& key : part.clients->keys) part.keys.push_back(number_of(key));
  }
}

void World::build(std::uint64_t seed, bool tracing) {
  const Scenario& scenario = *scenario_;
  sim::Scheduler& scheduler = simulation_.scheduler;
  simulation_.reset(seed, tracing || programs_ != nullptr);
  if (scenario.ties == Ties::permuted) scheduler.permute_ties();
  scheduler.set_event_limit(most_events_);
  keys_.reset();
  for (const std::string& key : lock_keys_) keys_.id(key);
  tenures_.reset(context_.lock_key, context_.quorum);
  collectors_used_ = 0;
  busy_until_ = sim::kStart;

  add_processes();
  set_links(simulation_, scenario_->network);
  cluster_->build(site());
  const std::uint32_t clients = scenario.clients.count;
  build_resource();

  cut_off_.reset(simulation_, *cluster_, lives_, clients);
  for (std::uint32_t i = 0; i < clients; ++i) build_client(i);
  if (coordinated_) build_coordinator();
  simulation_.nemesis.reset(scenario.faults, 0, context_.first_server);
  for (std::uint32_t i = 0; i < processes_.size(); ++i)
    scheduler.processes().start(scheduler.processes().at(i));
  for (std::uint32_t i = 0; i < clients; ++i)
    add_gc(scheduler.processes().at(i), clients_[i].part.clients->gc);
  for (std::uint32_t i = context_.first_server; i < processes_.size(); ++i) {
    const bool collects = std::find(server_->collected.begin(), server_->collected.end(),
                                    processes_[i].kind) != server_->collected.end();
    if (collects) add_gc(scheduler.processes().at(i), server_->gc->of(scenario.servers));
  }
  horizon_.bind<&World::at_horizon>(scheduler, nullptr, *this);
  horizon_.arm(programs_ != nullptr ? sim::kStart + scenario.clients.until
                                    : busy_until_ + patience_);
}

void World::build_resource() {
  const ResourceSpec& spec = scenario_->servers.resource;
  const models::ResourceRules rules = {
      .fenced_by = fenced_by(spec.fencing),
      .checks = spec.checks,
      .equal_token = spec.equal_token,
      .versioned = has_work_,
      .things = static_cast<std::uint32_t>(lock_keys_.size()),
      .recover_by = spec.recover_by,
      .nodes = {.force_promises = spec.force_promises, .restarted_log = spec.restarted_log}};
  if (programs_ != nullptr) return programs_->build_resource(site(), *cluster_, rules);
  const std::uint32_t first = index_of(kResourceKind);
  sim::Processes& processes = simulation_.scheduler.processes();
  if (spec.nodes == 1) {
    processes.at(first).set_service(spec.service);
    resource_.reset(simulation_, processes.at(first), tenures_, rules);
    return;
  }
  std::vector<sim::Process*> nodes;
  for (std::uint32_t i = 0; i < spec.nodes; ++i) {
    nodes.push_back(&processes.at(first + i));
    nodes.back()->set_service(spec.service);
  }
  resource_.replicate(simulation_, nodes, tenures_, rules);
}

void World::add_processes() {
  const servers::Kind& server = *server_;
  for (const ProcessSpec& process : processes_) {
    servers::Clock clock;
    if (std::find(server.kinds.begin(), server.kinds.end(), process.kind) != server.kinds.end()) {
      if (server.clock != nullptr) {
        clock = server.clock(scenario_->servers, process);
      } else if (server.clock_rate && !process.kind->takes_steps) {
        clock.rate_ppb = server.clock_rate->of(scenario_->servers);
      }
    }
    simulation_.scheduler.processes().add(process.name, clock.offset, clock.rate_ppb);
  }
}

std::uint32_t World::index_of(const ProcessKind& kind) const {
  const auto found = std::find_if(processes_.begin(), processes_.end(),
                                  [&kind](const ProcessSpec& one) { return one.kind == &kind; });
  return static_cast<std::uint32_t>(found - processes_.begin());
}

models::ClientMachine& World::build_machine(models::ClientMachine& machine, sim::Process& process,
                                            std::uint32_t number) {
  const Client& client = clients_[number];
  const models::LockOptions& options = client.part.lock->options;
  const servers::Seat seat{.process = process,
                           .options = options,
                           .number = number,
                           .find_by = client.part.clients->find_by,
                           .primaries = client.primaries};
  if (programs_ != nullptr) resource_.reach_by(programs_->way_to(client.part.lock->key));
  servers::ClientEnd* end = server_->resource_first ? nullptr : &cluster_->connect(site(), seat);
  machine.reset(simulation_, process, resource_, options, client.part.clients->write_timeout,
                tenures_);
  if (end == nullptr) end = &cluster_->connect(site(), seat);
  machine.connect(*end);
  return machine;
}

void World::build_client(std::uint32_t number) {
  const ClientProgram::Part& part = clients_[number].part;
  if (part.algorithm->uses.outside)
    return programs_->build_client(number, *part.clients, part.arrives);
  while (machines_.size() <= number) {
    machines_.emplace_back();
    lives_.emplace_back();
  }
  lives_[number].reset(
      build_machine(machines_[number], simulation_.scheduler.processes().at(number), number),
      *scenario_, part, tenures_, busy_until_, cut_off_);
  busy_until_ = std::max(busy_until_, sim::kStart + part.arrives);
}

void World::build_coordinator() {
  sim::Process& process = simulation_.scheduler.processes().at(index_of(*server_->coordinator));
  coordinating_.reset(build_machine(coordinator_, process, scenario_->clients.count), *scenario_);
}

// ---------------------------------------------------------------- garbage collection

void World::add_gc(sim::Process& process, const servers::GcProfile& profile) {
  if (profile.every <= Duration::zero()) return;
  if (collectors_used_ == collectors_.size()) collectors_.emplace_back();
  const auto index = static_cast<std::uint32_t>(collectors_used_++);
  Collector& collector = collectors_[index];
  collector.process = &process;
  collector.profile = &profile;
  collector.collecting = false;
  collector.chance = sim::Random(simulation_.scheduler.record().seed(),
                                 sim::mixed(process.hash() ^ sim::hash_of("gc")));
  collector.timer.bind<&World::collect>(simulation_.scheduler, nullptr, *this, index);
  const Duration first = collector.chance.between(Duration(1), 2 * profile.every);
  collector.timer.arm(simulation_.now() + first);
}

// Alternates between running, for at most twice `every`, and pausing.
void World::collect(std::uint32_t index) {
  Collector& collector = collectors_[index];
  sim::Scheduler& scheduler = simulation_.scheduler;
  sim::Process& process = *collector.process;
  Duration until{};
  if (!collector.collecting && !process.down()) {
    until = collector.chance.heavy_tailed(collector.profile->low, collector.profile->high);
    scheduler.processes().pause(process);
    collector.collecting = true;
    collector.incarnation = process.incarnation();
  } else {
    // A crash ends the collection of its incarnation; a pause by another fault is left alone.
    const bool lives = !process.down() && process.incarnation() == collector.incarnation;
    if (collector.collecting && lives) scheduler.processes().resume(process);
    collector.collecting = false;
    until = collector.chance.between(Duration(1), 2 * collector.profile->every);
  }
  collector.timer.arm(scheduler.now() + until);
}

// ---------------------------------------------------------------- the end

// The horizon is three times the algorithm's bound after the latest of these: the end of the last
// fault, the last acquire, the end of the last critical section. A waiter behind a healthy holder
// is not stuck.
void World::at_horizon() {
  sim::Scheduler& scheduler = simulation_.scheduler;
  // Nobody knows what programs still want, so that they have a time.
  if (programs_ != nullptr) return scheduler.stop();
  const sim::Nemesis& nemesis = simulation_.nemesis;
  const sim::Instant last = std::max(nemesis.last_end(), busy_until_);
  const sim::Instant due = (nemesis.quiet() ? last : scheduler.now()) + patience_;
  if (due > scheduler.now()) {
    horizon_.arm(due);
  } else {
    scheduler.stop();
  }
}

void World::run(std::uint64_t seed, bool tracing) {
  sim::Scheduler& scheduler = simulation_.scheduler;
  do {
    build(seed, tracing);
    scheduler.run();
  } while (simulation_.stale);
  simulation_.nemesis.settle();
  // A run that was cut short has no horizon, so nothing is judged as having never happened.
  if (!cut_short())
    simulation_.recorder.note({.at = scheduler.now(), .what = history::What::horizon});
  if (programs_ != nullptr) programs_->end(keys());
  judge();
  sim::Digest digest = scheduler.record().digest();
  for (const properties::Verdict& verdict : *verdicts_) {
    if (!is_in_digests(verdict.property)) continue;
    digest.add((static_cast<std::uint64_t>(verdict.outcome) << 32) + verdict.count);
  }
  digest_ = digest.value();
}

void World::judge() {
  verdicts_ = &judge_.judge(history(), context_);
  if (programs_ == nullptr) return;
  limited_ = *verdicts_;
  verdicts_ = &limited_;
  for (properties::Verdict& verdict : limited_) {
    if (!judges(verdict.property))
      verdict = {.property = verdict.property,
                 .outcome = properties::Outcome::unknown,
                 .count = 0,
                 .witnesses = {}};
  }
}

std::vector<std::string> World::data_keys() const {
  std::vector<std::string> names;
  if (programs_ == nullptr) return names;
  for (const history::KeyId key : programs_->account().other_keys) names.push_back(keys()[key]);
  return names;
}

std::vector<std::string> World::processes() const {
  std::vector<std::string> names;
  for (const ProcessSpec& process : processes_) names.push_back(process.name);
  return names;
}

}  // namespace picklock::scenarios
