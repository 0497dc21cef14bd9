// redis-py's Lock (docs/facts/algorithms.md 2.2): SET NX with a token of the acquire, polled at a
// fixed interval. Scripts named by their SHA-1 release and extend it if it is still held. A `ttl`
// of 0 is its default, a key that never expires. The object forgets its token before it sends the
// release, so a failed release cannot be repeated.
#pragma once

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"
#include "models/locks/token_lock.h"

namespace picklock::models::locks {

class RedisPyLock final : public ConfiguredLock, public HolderCheck, public ForcedRelease {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired acquire(Client& self, std::string_view key) override;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
  Held check_held(Client& self, const Lease& lease) override;
  Released force_release(Client& self, std::string_view key, bool conditional) override;

 private:
  Acquired attempt(Client& self, std::string_view key, const std::string& token);

  std::string token_;  // of the last acquire that is not released
  Renewals renewals_;
};

const Algorithm& redis_py_lock();

}  // namespace picklock::models::locks
