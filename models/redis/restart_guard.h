// RedLock's delayed restarts: a guard on the machine keeps a server down for some time after a
// restart, so that all leases that the server has forgotten are over before it grants again
// (docs/facts/failures.md B-05, B-25).
#pragma once

#include <cstdint>

#include "sim/simulation.h"

namespace picklock::redis {

struct RestartDelay {
  sim::Duration length{};                            // 0: the server starts at once
  sim::ClockKind clock = sim::ClockKind::monotonic;  // of its machine, which measures the delay
};

class RestartGuard {
 public:
  // For a new run.
  void reset(sim::Simulation& simulation, sim::Process& process);
  void set(const RestartDelay& delay) { delay_ = delay; }

  // The machine wants to start the server. True: the guard starts it later.
  bool holds_back(sim::Keeps keeps);
  void clock_changed();

 private:
  void await();
  void on_end();

  sim::Simulation* simulation_ = nullptr;
  sim::Process* process_ = nullptr;
  RestartDelay delay_;
  sim::Timer timer_;
  sim::Keeps keeps_ = sim::Keeps::none;
  std::int64_t until_ = 0;  // on the delay's clock
  bool waiting_ = false;
  bool over_ = false;
};

}  // namespace picklock::redis
