#include "models/sim_client.h"

#include <stdexcept>

#include "models/lock.h"

namespace picklock::models {

void ClientMachine::reset(sim::Simulation& simulation, sim::Process& process,
                          std::span<redis::Group> groups, redis::FindBy find_by, Resource& resource,
                          const LockOptions& options, Duration write_timeout, sim::KeyId lock_key) {
  simulation_ = &simulation;
  process_ = &process;
  servers_ = groups.size();
  replicas_used_ = discoveries_used_ = 0;
  while (redis_.size() < servers_) redis_.emplace_back();
  for (std::size_t i = 0; i < servers_; ++i) {
    redis::Group& group = groups[i];
    redis::Discovery* discovery = nullptr;
    if (group.replicas() > 0) {
      if (discoveries_used_ == discoveries_.size()) discoveries_.emplace_back();
      discovery = &discoveries_[discoveries_used_++];
      discovery->reset(simulation, process, group, find_by);
      if (replicas_used_ == replicas_.size()) replicas_.emplace_back();
      replicas_[replicas_used_++].reset(simulation, process, group.replica(0),
                                        options.command_timeout, options.resend);
    }
    redis_[i].reset(simulation, process, group.primary(), options.command_timeout, options.resend,
                    discovery);
  }
  has_lease_store_ = false;
  resource_.reset(simulation, process, resource, write_timeout);
  chance_ = sim::Random(simulation.scheduler.seed(), process.hash());
  lock_key_ = lock_key;
  lost_ = 0;
}

void ClientMachine::connect(lease_store::LeaseStore& store, const LockOptions& options) {
  lease_store_.reset(*simulation_, *process_, store, options.command_timeout, options.resend);
  has_lease_store_ = true;
}

lease_store::SimClient& ClientMachine::lease_store() {
  if (!has_lease_store_) throw std::logic_error(process_->name() + " knows no lease store");
  return lease_store_;
}

void ClientMachine::forget() {
  for (redis::SimClient& client : redis_) client.forget();
  for (redis::SimClient& client : replicas_) client.forget();
  for (redis::Discovery& discovery : discoveries_) discovery.forget();
  lease_store_.forget();
  resource_.forget();
}

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

void SimClient::spawn(std::function<void(Client&)> body) {
  if (machine_.simulation().scheduler.inert()) return;
  sim::Scheduler& scheduler = machine_.simulation().scheduler;
  scheduler.spawn(machine_.process(), [&machine = machine_, tenure = scheduler.running()->tenure,
                                       run = std::move(body)] {
    machine.simulation().scheduler.running()->tenure = tenure;
    SimClient thread(machine);
    run(thread);
  });
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

// Threads are numbered anew by every incarnation, and each client has one that asks for locks.
std::string SimClient::machine_token() { return std::string(name()) + ":1"; }

void SimClient::mark(std::string_view name) {
  sim::Scheduler& scheduler = machine_.simulation().scheduler;
  if (scheduler.inert()) return;
  if (scheduler.recorder().tracing()) {
    scheduler.recorder().trace(
        {.at = scheduler.now(), .kind = sim::TraceKind::mark, .process = machine_.process().id()},
        name);
  }
  machine_.simulation().nemesis.mark(machine_.process(), name);
  scheduler.obey();
}

void SimClient::lost(const Lease&) {
  note(sim::What::loss_learned);
  machine_.lose(machine_.simulation().scheduler.running()->tenure);
}

void SimClient::note(sim::What what) {
  sim::Scheduler& scheduler = machine_.simulation().scheduler;
  if (scheduler.inert()) return;
  const sim::Thread& thread = *scheduler.running();
  scheduler.recorder().note({.at = scheduler.now(),
                             .what = what,
                             .role = thread.role,
                             .process = machine_.process().id(),
                             .thread = thread.id(),
                             .tenure = thread.tenure,
                             .key = machine_.lock_key()});
}

}  // namespace picklock::models
