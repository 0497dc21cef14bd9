#include "models/locks/redisson/promises.h"

#include "models/locks/promises.h"

namespace picklock::models::locks::redisson {

std::vector<Promise> promises(const LockOptions& options) {
  const FaultClasses under = {FaultClass::client_clock};
  return {
      {Property::mutual_exclusion, under, kWithinLease},
      {Property::resource_exclusion, under, kWithinLease},
      {Property::no_stale_write, under, kWithinLease},
      {Property::own_release, under, kInTime},
      {Property::not_stuck, while_leases_end(options).without({FaultClass::amnesia}), kOwnCommands},
      {Property::no_deadlock, FaultClasses::all(), kOneLock},
      available(options),
  };
}

// The lease of a crashed holder, and one wake-up by the waiter's own timer; a command that is
// answered late may cost all its copies.
Duration bound(const LockOptions& options) {
  const Duration copies = (options.command_timeout + options.resend_delay_most) *
                          static_cast<std::int64_t>(options.resend + 1);
  return options.ttl + copies + std::chrono::milliseconds(100);
}

// A message that the server has sent is on its way no longer than a command.
Duration wakeup(const LockOptions&) { return std::chrono::seconds(1); }

}  // namespace picklock::models::locks::redisson
