#include "sim/processes.h"

#include "sim/network.h"
#include "sim/scheduler.h"

namespace picklock::sim {

Process& Processes::add(std::string_view name, Duration clock_offset, std::int64_t clock_rate_ppb) {
  Process& process = processes_.at_least(count_);
  process.name_.assign(name);
  process.hash_ = hash_of(name);
  process.id_ = static_cast<ProcessId>(count_++);
  process.incarnation_ = process.pauses_ = process.threads_made_ = 0;
  process.down_ = process.silent_ = process.backlog_ = false;
  process.threads_ = nullptr;
  process.program_ = nullptr;
  process.service_ = process.slowness_ = {};
  process.free_at_ = process.caught_up_ = {};
  process.clock_ = LocalClock(clock_offset, clock_rate_ppb);
  process.refresh();
  process.deferred_.clear();
  return process;
}

void Processes::start(Process& process) {
  report(process, Occurred::process_started);
  if (process.program_ != nullptr) process.program_->start(Keeps::all);
}

void Processes::pause(Process& process) {
  if (process.down_) return;  // nothing runs, and a later incarnation starts unpaused
  ++process.pauses_;
  process.refresh();
  trace(process, TraceKind::paused);
}

void Processes::set_aside(Process& process) {
  ++process.pauses_;
  process.refresh();
}

void Processes::resume(Process& process) {
  if (process.pauses_ == 0 || --process.pauses_ > 0) return;
  process.refresh();
  trace(process, TraceKind::resumed);
  // One nanosecond apart: permuted ties must not reorder the messages of one connection.
  std::int64_t at = nanoseconds(scheduler_.now());
  for (Event event : process.deferred_) {
    event.at = at++;
    scheduler_.queue().push(event);
  }
  if (!process.deferred_.empty()) {
    process.caught_up_ = Instant(Duration(at));
    process.backlog_ = true;
    process.refresh();
  }
  process.deferred_.clear();
}

void Processes::halt(Process& process, bool silent) {
  process.down_ = true;
  process.silent_ = silent;
  process.pauses_ = 0;
  process.refresh();
  // Deferred events are lost with the kernel's sockets, but the messages among them must still be
  // accounted for.
  for (const Event& event : process.deferred_) {
    if (event.kind() == EventKind::deliver || event.kind() == EventKind::send)
      scheduler_.network_->forget(event.target());
  }
  process.deferred_.clear();
  scheduler_.timers().disarm_all(process);
  report(process, Occurred::process_crashed);
  trace(process, TraceKind::crashed);
  scheduler_.threads().kill_all(process);
  if (process.program_ != nullptr) process.program_->halted();
}

void Processes::restart(Process& process, Keeps keeps) {
  if (!process.down_) return;
  if (process.program_ != nullptr && process.program_->holds_back_start(keeps)) return;
  process.down_ = process.silent_ = false;
  process.refresh();
  ++process.incarnation_;
  process.free_at_ = scheduler_.now();
  report(process, Occurred::process_started);
  trace(process, TraceKind::started);
  if (process.program_ != nullptr) process.program_->start(keeps);
}

void Processes::set_slowness(Process& process, Duration per_message) {
  const bool faster = per_message < process.slowness_;
  process.slowness_ = per_message;
  process.refresh();
  if (faster) scheduler_.network_->catch_up(process);
}

void Processes::step_clock(Process& process, Duration by) {
  process.clock_.step(by);
  follow_clock(process);
}

void Processes::set_clock_rate(Process& process, std::int64_t rate_ppb) {
  process.clock_.set_rate(scheduler_.now(), rate_ppb);
  follow_clock(process);
}

// A change of a clock takes effect at once on every wait and timer armed on it.
void Processes::follow_clock(Process& process) {
  trace(process, TraceKind::clock_set);
  scheduler_.threads().follow_clock(process);
  scheduler_.timers().follow_clock(process);
  if (process.program_ != nullptr) process.program_->clock_changed();
}

void Processes::report(const Process& process, Occurred what) {
  scheduler_.record().report({.at = scheduler_.now(), .what = what, .process = process.id_});
}

void Processes::trace(const Process& process, TraceKind kind) {
  Tracer& tracer = scheduler_.record().tracer();
  if (tracer.on()) tracer.add({.at = scheduler_.now(), .kind = kind, .process = process.id_});
}

}  // namespace picklock::sim
