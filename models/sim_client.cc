#include "models/sim_client.h"

#include <algorithm>
#include <stdexcept>

#include "history/recorded_simulation.h"
#include "picklock/lock.h"

namespace picklock::models {

void ClientMachine::reset(history::RecordedSimulation& simulation, sim::Process& process,
                          std::span<redis::Group> groups, redis::FindBy find_by, Resource& resource,
                          const LockOptions& options, Duration write_timeout,
                          history::KeyId lock_key, bool backwards) {
  begin(simulation, process, groups.size(), options);
  for (std::size_t i = 0; i < servers_; ++i) {
    redis::Group& group = groups[backwards ? servers_ - 1 - i : i];
    redis::Discovery* discovery = nullptr;
    if (group.replicas() > 0) {
      if (discoveries_used_ == discoveries_.size()) discoveries_.emplace_back();
      discovery = &discoveries_[discoveries_used_++];
      discovery->reset(simulation, process, group, find_by);
      if (replicas_used_ == replicas_.size()) replicas_.emplace_back();
      replicas_[replicas_used_++].reset(simulation, process, group.replica(0), options);
    }
    redis_[i].reset(simulation, process, group.primary(), options, discovery);
  }
  reset_rest(resource, write_timeout, lock_key);
}

void ClientMachine::reset(history::RecordedSimulation& simulation, sim::Process& process,
                          std::span<const redis::Node> servers, Resource& resource,
                          const LockOptions& options, Duration write_timeout,
                          history::KeyId lock_key) {
  begin(simulation, process, servers.size(), options);
  for (std::size_t i = 0; i < servers_; ++i)
    redis_[i].reset(simulation, process, servers[i], options);
  reset_rest(resource, write_timeout, lock_key);
}

void ClientMachine::begin(history::RecordedSimulation& simulation, sim::Process& process,
                          std::size_t servers, const LockOptions& options) {
  simulation_ = &simulation;
  process_ = &process;
  clock_ = options.clock == ClientClock::wall ? sim::ClockKind::wall : sim::ClockKind::monotonic;
  servers_ = servers;
  replicas_used_ = discoveries_used_ = 0;
  while (redis_.size() < servers_) redis_.emplace_back();
}

void ClientMachine::reset_rest(Resource& resource, Duration write_timeout,
                               history::KeyId lock_key) {
  has_lease_store_ = has_zookeeper_ = has_mysql_ = false;
  resource_.reset(*simulation_, *process_, resource, write_timeout);
  chance_ = sim::Random(simulation_->scheduler.seed(), process_->hash());
  lock_key_ = lock_key;
  lost_.clear();
  deadlines_used_ = 0;
}

void ClientMachine::connect(lease_store::LeaseStore& store, const LockOptions& options) {
  lease_store_.reset(*simulation_, *process_, store, options.command_timeout, options.resend);
  has_lease_store_ = true;
}

lease_store::SimClient& ClientMachine::lease_store() {
  if (!has_lease_store_) throw std::logic_error(process_->name() + " knows no lease store");
  return lease_store_;
}

void ClientMachine::connect(std::span<const ServerEnd> ensemble, const LockOptions& options,
                            std::size_t first) {
  zookeeper_.reset(*simulation_, *process_, ensemble, options, first);
  has_zookeeper_ = true;
}

void ClientMachine::connect(std::span<const ServerEnd> servers, const LockOptions& options) {
  mysql_.reset(*simulation_, *process_, servers, options);
  has_mysql_ = true;
}

mysql::SimClient& ClientMachine::mysql() {
  if (!has_mysql_) throw std::logic_error(process_->name() + " knows no MySQL server");
  return mysql_;
}

void ClientMachine::started() {
  if (has_zookeeper_) zookeeper_.start();
}

zookeeper::SimClient& ClientMachine::zookeeper() {
  if (!has_zookeeper_) throw std::logic_error(process_->name() + " knows no ZooKeeper");
  return zookeeper_;
}

void ClientMachine::forget() {
  for (redis::SimClient& client : redis_) client.forget();
  for (redis::SimClient& client : replicas_) client.forget();
  for (redis::Discovery& discovery : discoveries_) discovery.forget();
  lease_store_.forget();
  if (has_zookeeper_) zookeeper_.forget();
  if (has_mysql_) mysql_.forget();
  resource_.forget();
  for (std::size_t i = 0; i < deadlines_used_; ++i) end_belief(deadlines_[i].tenure);
}

bool ClientMachine::has_lost(history::TenureId tenure) const {
  return std::find(lost_.begin(), lost_.end(), tenure) != lost_.end();
}

history::TenureId ClientMachine::speaker() const {
  for (std::size_t i = 0; i < servers_; ++i) {
    if (redis_[i].speaker() != 0) return redis_[i].speaker();
  }
  return has_zookeeper_ ? zookeeper_.speaker() : 0;
}

void ClientMachine::scan(Duration every) {
  for (;;) {
    simulation_->scheduler.sleep(every);
    for (std::size_t i = 0; i < servers_; ++i) redis_[i].refresh();
  }
}

// ---------------------------------------------------------------- deadlines

void ClientMachine::believe_until(history::TenureId tenure, Duration deadline) {
  const auto used = deadlines_.begin() + static_cast<std::ptrdiff_t>(deadlines_used_);
  auto mine = std::find_if(deadlines_.begin(), used,
                           [tenure](const Deadline& one) { return one.tenure == tenure; });
  if (mine == used) {
    mine =
        std::find_if(deadlines_.begin(), used, [](const Deadline& one) { return one.tenure == 0; });
  }
  if (mine == used) {
    if (deadlines_used_ == deadlines_.size()) deadlines_.emplace_back();
    mine = deadlines_.begin() + static_cast<std::ptrdiff_t>(deadlines_used_++);
    mine->machine = this;
    mine->timer = simulation_->scheduler.add_timer(nullptr, &ClientMachine::on_deadline, &*mine, 0);
  }
  mine->tenure = tenure;
  mine->thread = simulation_->scheduler.running()->id();
  mine->local = deadline.count();
  // A deadline that has already passed ends the belief before the holder acts on it.
  if (process_->clock().read(clock_, simulation_->now()) >= mine->local) {
    on_deadline(&*mine, 0);
  } else {
    arm(*mine);
  }
}

void ClientMachine::end_belief(history::TenureId tenure) {
  if (tenure == 0) return;
  for (std::size_t i = 0; i < deadlines_used_; ++i) {
    if (deadlines_[i].tenure != tenure) continue;
    deadlines_[i].tenure = 0;
    simulation_->scheduler.disarm(deadlines_[i].timer);
  }
}

void ClientMachine::arm(const Deadline& deadline) {
  sim::Scheduler& scheduler = simulation_->scheduler;
  scheduler.arm(
      deadline.timer,
      std::max(scheduler.now(), process_->clock().when(clock_, deadline.local, scheduler.now())));
}

void ClientMachine::clock_changed() {
  for (std::size_t i = 0; i < deadlines_used_; ++i) {
    if (deadlines_[i].tenure != 0) arm(deadlines_[i]);
  }
}

void ClientMachine::on_deadline(void* deadline, std::uint32_t) {
  auto& mine = *static_cast<Deadline*>(deadline);
  ClientMachine& machine = *mine.machine;
  sim::Scheduler& scheduler = machine.simulation_->scheduler;
  machine.simulation_->recorder.note({.at = scheduler.now(),
                                      .what = history::What::deadline_passed,
                                      .process = machine.process_->id(),
                                      .thread = mine.thread,
                                      .tenure = mine.tenure,
                                      .key = machine.lock_key_});
  machine.lose(mine.tenure);
  mine.tenure = 0;
}

// ---------------------------------------------------------------- one thread

Duration SimClient::monotonic_now() {
  return Duration(
      machine_.simulation().scheduler.local_time(machine_.process(), sim::ClockKind::monotonic));
}

Duration SimClient::wall_now() {
  return Duration(
      machine_.simulation().scheduler.local_time(machine_.process(), sim::ClockKind::wall));
}

void SimClient::sleep(Duration length) {
  if (machine_.simulation().scheduler.inert()) return;
  machine_.simulation().scheduler.sleep(length);
}

bool SimClient::sleep_interruptibly(Duration length) {
  sim::Scheduler& scheduler = machine_.simulation().scheduler;
  if (scheduler.inert()) return true;
  sim::Thread& thread = *scheduler.running();
  if (scheduler.begin_interruptible(thread)) scheduler.sleep(length);
  scheduler.end_interruptible(thread);
  return !thread.take_interrupt();
}

void SimClient::spawn(std::function<void(Client&)> body) {
  if (machine_.simulation().scheduler.inert()) return;
  sim::Scheduler& scheduler = machine_.simulation().scheduler;
  scheduler.spawn(machine_.process(), [&machine = machine_, tenure = scheduler.running()->tag,
                                       number = thread_, run = std::move(body)] {
    machine.simulation().scheduler.running()->tag = tenure;
    SimClient thread(machine, number);
    run(thread);
  });
}

std::unique_ptr<Semaphore> SimClient::semaphore(Awaits what) {
  return std::make_unique<SimSemaphore>(machine_, what);
}

Tenancy SimClient::tenancy() const {
  return Tenancy{machine_.simulation().scheduler.running()->tag};
}

void SimClient::act_for(Tenancy tenancy) {
  machine_.simulation().scheduler.running()->tag = static_cast<history::TenureId>(tenancy);
}

Duration SimClient::random_between(Duration low, Duration high) {
  return machine_.chance().between(low, high);
}

// Twelve hexadecimal digits: unique in any run, and short enough to read in a timeline.
std::string SimClient::fresh_token() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::uint64_t bits = machine_.chance().next();
  std::string token(12, '0');
  for (char& digit : token) {
    digit = kDigits[bits & 15];
    bits >>= 4;
  }
  return token;
}

// Every incarnation numbers its threads from 1, so the token is the same after a restart.
std::string SimClient::machine_token() {
  return std::string(name()) + ":" + std::to_string(thread_);
}

void SimClient::mark(std::string_view name) {
  if (machine_.simulation().scheduler.inert()) return;
  machine_.simulation().nemesis.mark(machine_.process(), name);
}

void SimClient::lost(const Lease&) {
  note(history::What::loss_learned);
  machine_.lose(machine_.simulation().scheduler.running()->tag);
}

// An entry on the client's own machine.
void SimClient::local_mutex(std::string_view, bool locked) {
  sim::Scheduler& scheduler = machine_.simulation().scheduler;
  if (scheduler.inert()) return;
  const sim::Thread& thread = *scheduler.running();
  machine_.simulation().recorder.note(
      {.at = scheduler.now(),
       .what = locked ? history::What::entry_created : history::What::entry_removed,
       .cause = history::Cause::command,
       .role = thread.role,
       .process = machine_.process().id(),
       .tenure = thread.tag,
       .owner = locked ? 0 : thread.tag,
       .key = machine_.lock_key()});
}

void SimClient::believe_until(const Lease&, Duration deadline) {
  if (machine_.simulation().scheduler.inert()) return;
  machine_.believe_until(machine_.simulation().scheduler.running()->tag, deadline);
}

void SimClient::note(history::What what, history::Cause cause) {
  sim::Scheduler& scheduler = machine_.simulation().scheduler;
  if (scheduler.inert()) return;
  const sim::Thread& thread = *scheduler.running();
  machine_.simulation().recorder.note({.at = scheduler.now(),
                                       .what = what,
                                       .cause = cause,
                                       .role = thread.role,
                                       .process = machine_.process().id(),
                                       .thread = thread.id(),
                                       .tenure = thread.tag,
                                       .key = machine_.lock_key()});
}

}  // namespace picklock::models
