// Keeps a run in step with the outside: real sockets and a real clock (architecture 8.21). The
// simulator itself has no pacer and knows no clock but its own. With a pacer, equal seeds no longer
// give equal runs.
#pragma once

#include "sim/time.h"

namespace picklock::sim {

class Pacer {
 public:
  // Blocks until the next event is due at `next` (kNever: there is none), or until something
  // arrives from outside. Returns the instant reached; kNever: there is nothing to wait for.
  virtual Instant wait(Instant next) = 0;
  // Turns what has arrived from outside into events at the instant reached.
  virtual void take_in() = 0;

 protected:
  ~Pacer() = default;
};

}  // namespace picklock::sim
