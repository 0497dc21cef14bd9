// One world: virtual time, processes, the network between them, and the faults. A reset is cheap,
// because memory is kept between runs.
#pragma once

#include <cstdint>

#include "sim/nemesis.h"
#include "sim/network.h"
#include "sim/scheduler.h"

namespace picklock::sim {

struct Simulation {
  explicit Simulation(std::size_t stack_size = FiberPool::kDefaultStack) : scheduler(stack_size) {}

  void reset(std::uint64_t seed, bool tracing = false) {
    ++runs;
    stale = false;
    scheduler.reset(seed, tracing);
    network.reset();
    nemesis.reset({}, 0, 0);
  }

  Instant now() const { return scheduler.now(); }

  std::uint64_t runs = 0;  // since the world was made, this one included
  // A part that is kept from run to run found that an earlier run decided what it did in this one.
  // It will renew itself at the next reset: the run has to be repeated with the same seed.
  bool stale = false;

  Scheduler scheduler;
  Network network{scheduler};
  Nemesis nemesis{scheduler, network};
};

}  // namespace picklock::sim
