#include "models/locks/local_mutex.h"

#include "models/locks/local_time.h"

namespace picklock::models::locks {

LocalMutexInFront::LocalMutexInFront(const LockOptions& options, std::unique_ptr<Lock> lock)
    : ConfiguredLock(options),
      lock_(std::move(lock)),
      configured_(dynamic_cast<ConfiguredLock&>(*lock_)),
      holder_check_(dynamic_cast<HolderCheck*>(lock_.get())),
      forced_release_(dynamic_cast<ForcedRelease*>(lock_.get())) {}

bool LocalMutexInFront::enter(Client& self, std::string_view key, Duration patience) {
  if (mutex_ == nullptr) {
    mutex_ = self.semaphore(Awaits::threads);
    mutex_->release();
  }
  if (mutex_->acquire(patience) != Semaphore::Woken::by_permit) return false;
  self.witness().record_local_mutex(key, true);
  return true;
}

void LocalMutexInFront::leave(Client& self, std::string_view key) {
  self.witness().record_local_mutex(key, false);
  mutex_->release();
}

Acquired LocalMutexInFront::acquire(Client& self, std::string_view key) {
  const Patience patience = patience_of(self, options());
  if (!enter(self, key, patience.at_most(Semaphore::kForever))) return std::nullopt;
  if (patience.over()) {
    leave(self, key);
    return std::nullopt;
  }
  // The mutex keeps other acquires out while this one has its own time-out.
  if (!patience.endless()) configured_.set_acquire_timeout(patience.left());
  Acquired acquired = lock_->acquire(self, key);
  if (!acquired) leave(self, key);
  return acquired;
}

Acquired LocalMutexInFront::try_acquire(Client& self, std::string_view key) {
  if (!enter(self, key, Duration::zero())) return std::nullopt;
  Acquired acquired = lock_->try_acquire(self, key);
  if (!acquired) leave(self, key);
  return acquired;
}

Released LocalMutexInFront::release(Client& self, const Lease& lease) {
  const Released released = lock_->release(self, lease);
  const bool thrown = released != Released::ok;
  if (!thrown || options().local_mutex == LocalMutex::freed) leave(self, lease.key);
  return released;
}

Held LocalMutexInFront::check_held(Client& self, const Lease& lease) {
  return holder_check_ != nullptr ? holder_check_->check_held(self, lease) : Held::unknown;
}

Released LocalMutexInFront::force_release(Client& self, std::string_view key, bool conditional) {
  return forced_release_ != nullptr ? forced_release_->force_release(self, key, conditional)
                                    : Released::unknown;
}

}  // namespace picklock::models::locks
