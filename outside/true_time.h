// The time of the machine, for servers whose clocks must show it.
#pragma once

#include <chrono>

#include "sim/time.h"

namespace picklock::outside {

// A wall clock ahead of a simulated one by this much shows the true time.
inline sim::Duration true_time_offset() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<sim::Duration>(since_1970) - sim::Duration(sim::kEpoch);
}

}  // namespace picklock::outside
