// Keeps a run in step with what is outside of it: real sockets, by a real clock (architecture
// 8.21). The simulator has none and knows of no other clock than its own; whoever sets one has
// given up that the same seed is the same run.
#pragma once

#include "sim/time.h"

namespace picklock::sim {

class Pacer {
 public:
  // Blocks until `next`, when the next event is due (kNever: there is none), or until something has
  // come from outside. Which instant it is then; kNever: there is nothing to wait for.
  virtual Instant wait(Instant next) = 0;
  // It is that instant: what has come becomes events.
  virtual void take_in() = 0;

 protected:
  ~Pacer() = default;
};

}  // namespace picklock::sim
