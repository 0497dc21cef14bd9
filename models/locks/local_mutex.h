// A mutex of the process that guards a lock, as in some libraries: threads of one process queue for
// it first, and only one of them at a time sends requests to the server. If the release of the lock
// fails, some libraries leave the mutex locked: then no thread of that process ever gets the lock
// again, though other processes do (docs/facts/failures.md D-12).
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "models/locks/configured_lock.h"

namespace picklock::models::locks {

class LocalMutexInFront final : public ConfiguredLock, public HolderCheck, public ForcedRelease {
 public:
  // Requires: a shipped lock.
  LocalMutexInFront(const LockOptions& options, std::unique_ptr<Lock> lock);

  Acquired acquire(Client& self, std::string_view key) override;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
  void set_lease(Duration ttl) override { lock_->set_lease(ttl); }
  void abandon(Client& self, const Lease& lease) override { lock_->abandon(self, lease); }
  // These two need a lock that has the ability; otherwise the outcome is unknown.
  Held check_held(Client& self, const Lease& lease) override;
  Released force_release(Client& self, std::string_view key, bool conditional) override;

 private:
  bool enter(Client& self, std::string_view key, Duration patience);
  void leave(Client& self, std::string_view key);

  std::unique_ptr<Lock> lock_;
  ConfiguredLock& configured_;
  HolderCheck* holder_check_;
  ForcedRelease* forced_release_;
  std::unique_ptr<Semaphore> mutex_;
};

}  // namespace picklock::models::locks
