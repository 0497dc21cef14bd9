// The processes of a run: their starts, pauses and crashes, and the settings of their clocks.
#pragma once

#include <string_view>

#include "sim/process.h"
#include "sim/slots.h"
#include "sim/trace.h"

namespace picklock::sim {

class Scheduler;

class Processes {
 public:
  explicit Processes(Scheduler& scheduler) : scheduler_(scheduler) {}

  void reset() { count_ = 0; }  // for a new run

  Process& add(std::string_view name, Duration clock_offset = {}, std::int64_t clock_rate_ppb = 0);
  Process& at(ProcessId id) { return processes_[id]; }
  const Process& at(ProcessId id) const { return processes_[id]; }
  std::size_t count() const { return count_; }

  void start(Process& process);  // boots it and calls its program's start()
  void pause(Process& process);
  void resume(Process& process);
  // It does nothing more in this run, and nobody is told. Requires: no fault will strike it.
  void set_aside(Process& process);
  // Ends the incarnation: threads unwind, timers are void. Connections are the network's part.
  void halt(Process& process, bool silent);
  void restart(Process& process, Keeps keeps);

  void step_clock(Process& process, Duration by);
  void set_clock_rate(Process& process, std::int64_t rate_ppb);
  // A process that is as fast as before is so for the messages that wait for their turn, too.
  void set_slowness(Process& process, Duration per_message);

 private:
  void follow_clock(Process& process);
  void report(const Process& process, Occurred what);
  void trace(const Process& process, TraceKind kind);

  Scheduler& scheduler_;
  Slots<Process> processes_;
  std::size_t count_ = 0;
};

}  // namespace picklock::sim
