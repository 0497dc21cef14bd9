// How a search chooses the plan of each run.
#pragma once

#include <cstdint>

#include "sim/fault.h"

namespace picklock::explore::strategies {

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Writes the plan of run number `run`, from 0. The plan depends on the run's number and on what
  // the strategy was made of, not on the runs drawn before: any process may draw any run.
  virtual void draw(std::uint64_t run, sim::Plan& plan) = 0;
};

}  // namespace picklock::explore::strategies
