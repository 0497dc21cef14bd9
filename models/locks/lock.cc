#include "picklock/lock.h"

namespace picklock {

Acquired Lock::acquire(Client& self, std::string_view key) {
  const auto now = [&] {
    return settings_.clock == ClientClock::wall ? self.wall_now() : self.monotonic_now();
  };
  const Duration started = now();
  bool unknown = false;
  for (std::uint32_t tries = 1;; ++tries) {
    Acquired attempt = try_acquire(self, key);
    if (attempt) return attempt;
    unknown = unknown || attempt.is_unknown();
    if (tries == settings_.attempts) break;
    Duration pause = settings_.retry_every;
    if (settings_.retry_jitter > Duration::zero())
      pause += self.random_between(Duration::zero(), settings_.retry_jitter);
    const bool patient = settings_.acquire_timeout == Duration::zero();
    if (!patient && now() + pause - started > settings_.acquire_timeout) break;
    if (!self.sleep_interruptibly(pause)) break;
  }
  return unknown ? Acquired::unknown() : Acquired(std::nullopt);
}

}  // namespace picklock
