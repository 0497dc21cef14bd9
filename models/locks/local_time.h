// Readings of the clock that a lock is told to use.
#pragma once

#include <algorithm>
#include <string>

#include "models/locks/lock_options.h"
#include "picklock/client.h"

namespace picklock::models::locks {

inline Duration now(Client& self, ClientClock clock) {
  return clock == ClientClock::wall ? self.wall_now() : self.monotonic_now();
}

// In whole milliseconds, as commands and scripts take it.
inline std::string milliseconds(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

// How long a client keeps trying. Counted on a clock that may step, it may last longer or shorter
// than it should.
class Patience {
 public:
  Patience(Client& self, ClientClock clock, Duration length)
      : self_(self), clock_(clock), length_(length), began_(now(self, clock)) {}

  bool endless() const { return length_ < Duration::zero(); }
  bool over() const { return !endless() && left() <= Duration::zero(); }
  Duration left() const { return length_ - (now(self_, clock_) - began_); }
  // The shorter of `wait` and the time left; a negative wait never ends.
  Duration at_most(Duration wait) const {
    if (endless()) return wait;
    const Duration rest = std::max(left(), Duration::zero());
    return wait < Duration::zero() ? rest : std::min(wait, rest);
  }

  static constexpr Duration kEndless{-1};

 private:
  Client& self_;
  ClientClock clock_;
  Duration length_;
  Duration began_;
};

// How long an acquire may take.
inline Duration patience_of(const LockOptions& options) {
  const bool endless = options.acquire_timeout == Duration::zero();
  return endless ? Patience::kEndless : options.acquire_timeout;
}
inline Patience patience_of(Client& self, const LockOptions& options) {
  return {self, options.clock, patience_of(options)};
}

// The pause between two attempts.
inline Duration retry_pause(Client& self, const LockOptions& options) {
  if (options.retry_jitter == Duration::zero()) return options.retry_every;
  return options.retry_every + self.random_between(Duration::zero(), options.retry_jitter);
}

// The time between two renewals.
inline Duration renewal_interval(const LockOptions& options) {
  return options.renew_every > Duration::zero() ? options.renew_every : options.ttl / 3;
}

}  // namespace picklock::models::locks
