#include "models/locks/redisson/promises.h"

#include "models/locks/promises.h"

namespace picklock::models::locks::redisson {

namespace {

// A thread has one owner name for all its tenures, so a command that is late or sent again may
// affect a later tenure. An acquire that gets no answer in time ends unknown.
std::vector<Promise> with(const LockOptions& options, FaultClasses not_stuck, FaultClasses under) {
  using enum FaultClass;
  return {
      {Property::mutual_exclusion, under, kWithinLease},
      {Property::resource_exclusion, under, kWithinLease},
      {Property::no_stale_write, under, kWithinLease},
      {Property::own_release, under, kInTime},
      {Property::not_stuck, not_stuck, kOwnCommands},
      {Property::no_deadlock, FaultClasses::all(), kOneLock},
      {Property::available, while_patient(options, {late_write, client_clock}), kFreeKey},
      progress(),
  };
}

}  // namespace

std::vector<Promise> promises(const LockOptions& options) {
  return with(options, while_leases_end(options).without({FaultClass::amnesia}),
              {FaultClass::client_clock});
}

// A release stops at the first server that fails, and the keys on the others are renewed forever.
// The client counts how long the first keys are held while it waits for the last: if its clock has
// stepped back, the leases that it sets at the end may be another client's.
std::vector<Promise> promises_of_several(const LockOptions& options) {
  using enum FaultClass;
  const FaultClasses leased = while_leases_end(options).without({amnesia});
  const FaultClasses renewed = {late_write, client_clock};
  const FaultClasses steady =
      options.clock == ClientClock::monotonic ? FaultClasses{client_clock} : FaultClasses{};
  return with(options, options.renew == Renew::none ? leased : renewed,
              options.renew == Renew::none ? steady : FaultClasses{client_clock});
}

// The lease of a crashed holder, and one wake-up by the waiter's own timer; a command with a late
// answer may cost all its copies.
Duration bound(const LockOptions& options) {
  const Duration copies = (options.command_timeout + options.resend_delay_most) *
                          static_cast<std::int64_t>(options.resend + 1);
  return options.ttl + copies + std::chrono::milliseconds(100);
}

// A message of the server travels no longer than a command.
Duration wakeup(const LockOptions&) { return std::chrono::seconds(1); }

}  // namespace picklock::models::locks::redisson
