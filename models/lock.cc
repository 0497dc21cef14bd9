#include "models/lock.h"

namespace picklock::models {

Acquired Lock::acquire(Client& self, std::string_view key) {
  const Duration started = self.monotonic_now();
  bool unknown = false;
  for (;;) {
    Acquired attempt = try_acquire(self, key);
    if (attempt) return attempt;
    unknown = unknown || attempt.is_unknown();
    Duration pause = options_.retry_every;
    if (options_.retry_jitter > Duration::zero())
      pause += self.random_between(Duration::zero(), options_.retry_jitter);
    const bool patient = options_.acquire_timeout == Duration::zero();
    if (!patient && self.monotonic_now() + pause - started > options_.acquire_timeout) break;
    if (!self.sleep_interruptibly(pause)) break;
  }
  return unknown ? Acquired::unknown() : Acquired(std::nullopt);
}

}  // namespace picklock::models
