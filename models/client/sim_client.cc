#include "models/client/sim_client.h"

#include <algorithm>
#include <boost/core/demangle.hpp>
#include <stdexcept>

#include "history/recorded_simulation.h"
#include "picklock/lock.h"

namespace picklock::models {

void ClientMachine::reset(history::RecordedSimulation& simulation, sim::Process& process,
                          Resource& resource, const LockOptions& options, Duration write_timeout,
                          const Tenures& tenures) {
  simulation_ = &simulation;
  process_ = &process;
  clock_ = options.clock == ClientClock::wall ? sim::ClockKind::wall : sim::ClockKind::monotonic;
  ends_.clear();
  resource_.reset(simulation, process, resource, write_timeout);
  chance_ = sim::Random(simulation.scheduler.record().seed(), process.hash());
  tenures_ = &tenures;
  lost_.clear();
  deadlines_used_ = 0;
}

void* ClientMachine::find(const std::type_info& type) const {
  for (servers::ClientEnd* end : ends_) {
    if (void* found = end->find(type)) return found;
  }
  throw std::logic_error(process_->name() + " is not connected to a " +
                         boost::core::demangle(type.name()));
}

void ClientMachine::started() {
  for (servers::ClientEnd* end : ends_) end->start();
}

void ClientMachine::forget() {
  for (servers::ClientEnd* end : ends_) end->forget();
  resource_.forget();
  for (std::size_t i = 0; i < deadlines_used_; ++i) end_belief(deadlines_[i].tenure);
}

bool ClientMachine::has_lost(history::TenureId tenure) const {
  return std::find(lost_.begin(), lost_.end(), tenure) != lost_.end();
}

history::KeyId ClientMachine::lock_key() const {
  return tenures_->key(simulation_->scheduler.running()->tag);
}

history::TenureId ClientMachine::speaker() const {
  for (const servers::ClientEnd* end : ends_) {
    if (const history::TenureId speaker = end->speaker()) return speaker;
  }
  return 0;
}

bool ClientMachine::can_scan() const {
  return std::any_of(ends_.begin(), ends_.end(),
                     [](const servers::ClientEnd* end) { return end->discovers(); });
}

void ClientMachine::scan(Duration every) {
  for (;;) {
    simulation_->scheduler.sleep(every);
    for (servers::ClientEnd* end : ends_) end->refresh();
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
    mine->timer.bind<&ClientMachine::on_deadline>(
        simulation_->scheduler, nullptr, *this,
        static_cast<std::uint32_t>(mine - deadlines_.begin()));
  }
  mine->tenure = tenure;
  mine->thread = simulation_->scheduler.running()->id();
  mine->local = deadline.count();
  // A deadline that has already passed ends the belief before the holder acts on it.
  if (process_->clock().read(clock_, simulation_->now()) >= mine->local) {
    on_deadline(static_cast<std::uint32_t>(mine - deadlines_.begin()));
  } else {
    arm(*mine);
  }
}

void ClientMachine::end_belief(history::TenureId tenure) {
  if (tenure == 0) return;
  for (std::size_t i = 0; i < deadlines_used_; ++i) {
    if (deadlines_[i].tenure != tenure) continue;
    deadlines_[i].tenure = 0;
    deadlines_[i].timer.disarm();
  }
}

void ClientMachine::arm(Deadline& deadline) {
  deadline.timer.arm(process_->clock().when(clock_, deadline.local, simulation_->now()));
}

void ClientMachine::clock_changed() {
  for (std::size_t i = 0; i < deadlines_used_; ++i) {
    if (deadlines_[i].tenure != 0) arm(deadlines_[i]);
  }
}

void ClientMachine::on_deadline(std::uint32_t index) {
  Deadline& mine = deadlines_[index];
  simulation_->recorder.note({.at = simulation_->now(),
                              .what = history::What::deadline_passed,
                              .process = process_->id(),
                              .thread = mine.thread,
                              .tenure = mine.tenure,
                              .key = tenures_->key(mine.tenure)});
  lose(mine.tenure);
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
  if (scheduler.threads().begin_interruptible(thread)) scheduler.sleep(length);
  scheduler.threads().end_interruptible(thread);
  return !thread.take_interrupt();
}

void SimClient::spawn(std::function<void(Client&)> body) {
  if (machine_.simulation().scheduler.inert()) return;
  sim::Scheduler& scheduler = machine_.simulation().scheduler;
  scheduler.threads().spawn(
      machine_.process(), [&machine = machine_, tenure = scheduler.running()->tag, number = thread_,
                           run = std::move(body)] {
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

void SimClient::record_loss(const Lease&) {
  note(history::What::loss_learned);
  machine_.lose(machine_.simulation().scheduler.running()->tag);
}

// An entry on the client's own machine.
void SimClient::record_local_mutex(std::string_view, bool locked) {
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
