#include "models/sim_client.h"

#include "models/lock.h"

namespace picklock::models {

void ClientMachine::reset(sim::Simulation& simulation, sim::Process& process,
                          std::deque<redis::Server>& servers, std::size_t server_count,
                          Resource& resource, Duration command_timeout, Duration write_timeout,
                          sim::KeyId lock_key) {
  simulation_ = &simulation;
  process_ = &process;
  servers_ = server_count;
  while (redis_.size() < server_count) redis_.emplace_back();
  for (std::size_t i = 0; i < server_count; ++i)
    redis_[i].reset(simulation, process, servers[i], command_timeout);
  resource_.reset(simulation, process, resource, write_timeout);
  chance_ = sim::Random(simulation.scheduler.seed(), process.hash());
  lock_key_ = lock_key;
}

void ClientMachine::forget() {
  for (redis::SimClient& client : redis_) client.forget();
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
  machine_.simulation().scheduler.spawn(machine_.process(),
                                        [&machine = machine_, run = std::move(body)] {
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

void SimClient::lost(const Lease&) { note(sim::What::loss_learned); }

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
