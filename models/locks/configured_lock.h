// The base of every shipped lock: a lock that knows all options of a scenario's table [lock]. A
// user's own lock knows only its settings.
#pragma once

#include <utility>

#include "models/locks/lock_options.h"
#include "picklock/lock.h"

namespace picklock::models {

inline LockSettings settings_of(const LockOptions& options) {
  return {.ttl = options.ttl,
          .retry_every = options.retry_every,
          .retry_jitter = options.retry_jitter,
          .acquire_timeout = options.acquire_timeout,
          .attempts = options.attempts,
          .clock = options.clock};
}

class ConfiguredLock : public Lock {
 public:
  explicit ConfiguredLock(LockOptions options)
      : Lock(settings_of(options)), options_(std::move(options)) {}

  const LockOptions& options() const { return options_; }
  void set_lease(Duration ttl) override {
    Lock::set_lease(ttl);
    options_.ttl = ttl;
  }
  // A wrapper sets the time that is left after its own waiting.
  void set_acquire_timeout(Duration timeout) {
    Lock::set_acquire_timeout(timeout);
    options_.acquire_timeout = timeout;
  }

 private:
  LockOptions options_;
};

}  // namespace picklock::models
