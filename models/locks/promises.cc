#include "models/locks/promises.h"

namespace picklock::models::locks {
namespace {

bool shares_tokens(const LockOptions& options) { return options.value != TokenPer::acquisition; }

// A client that treats a key with its own token as its own may find the key of an earlier tenure.
bool adopts(const LockOptions& options) {
  return shares_tokens(options) && options.recognise_own != RecogniseOwn::never;
}

}  // namespace

FaultClasses unhurried(const LockOptions& options, GivesBack how) {
  FaultClasses classes = {FaultClass::client_clock};
  // A server that crashes with its data intact leaves clients in doubt, and commands that they send
  // again may meet a successor's key.
  const bool compares = how == GivesBack::its_own && options.renew != Renew::blind;
  if ((options.resend == 0 || compares) && !adopts(options)) classes.add(FaultClass::crash);
  return classes;
}

Promise own_release(const LockOptions& options, GivesBack how) {
  // A renewing thread that outlives its holder continues, and renews whatever it finds.
  if (options.renew == Renew::blind)
    return {Property::own_release, unhurried(options, how).without({FaultClass::crash}),
            kWithinLease};
  if (how == GivesBack::blindly)
    return {Property::own_release, unhurried(options, how), kWithinLease};
  if (!shares_tokens(options)) {
    return {Property::own_release, FaultClasses::all(), kOwnToken};
  }
  FaultClasses classes =
      FaultClasses::all().without({FaultClass::late_command, FaultClass::failover,
                                   FaultClass::partition, FaultClass::lost_reply});
  if (options.value == TokenPer::machine || adopts(options))
    classes = classes.without({FaultClass::crash});
  return {Property::own_release, classes, kInTime};
}

FaultClasses while_leases_end(const LockOptions& options) {
  // A mutex of the process that stays locked after a failed release has no lease
  // (docs/facts/failures.md D-12), and neither has one whose thread has ended.
  if (options.local_mutex == LocalMutex::kept_on_error) return {FaultClass::late_write};
  const bool end = options.renew == Renew::none && options.local_mutex == LocalMutex::none;
  return end ? FaultClasses::all() : FaultClasses::all().without({FaultClass::crash});
}

FaultClasses while_patient(const LockOptions& options, FaultClasses classes) {
  const bool steps =
      options.acquire_timeout > Duration::zero() && options.clock == ClientClock::wall;
  return steps ? classes.without({FaultClass::client_clock}) : classes;
}

Promise available(const LockOptions& options) {
  using enum FaultClass;
  // A replica that does not acknowledge has the effect of a server that refuses.
  const FaultClasses classes =
      options.wait_replicas == 0 ? FaultClasses::all() : FaultClasses{late_write, client_clock};
  return {Property::available, while_patient(options, classes), kFreeKey};
}

Promise progress() { return {Property::progress, {}, ""}; }

std::vector<Promise> leased(const LockOptions& options, GivesBack how, FaultClasses not_stuck) {
  const FaultClasses under = unhurried(options, how);
  return {
      {Property::mutual_exclusion, under, kWithinLease},
      {Property::resource_exclusion, under, kWithinLease},
      {Property::no_stale_write, under, kWithinLease},
      own_release(options, how),
      {Property::not_stuck, not_stuck, kOwnCommands},
      {Property::no_deadlock, FaultClasses::all(), kOneLock},
      available(options),
      progress(),
  };
}

std::vector<Promise> within_leases(const LockOptions& options, bool lossless) {
  using enum FaultClass;
  const FaultClasses exclusive =
      lossless ? FaultClasses::all() : FaultClasses::all().without({failover, amnesia});
  // A write that is late, or is delivered twice, is not the lock's.
  const FaultClasses in_time = exclusive.without({late_write, partition, lost_reply});
  std::vector<Promise> all = leased(options, GivesBack::its_own, while_leases_end(options));
  for (Promise& one : all) {
    if (one.property == Property::mutual_exclusion) one.under = exclusive;
    if (one.property == Property::resource_exclusion || one.property == Property::no_stale_write)
      one.under = in_time;
    if (one.property == Property::not_stuck) one.premise = kServerThereThreadsLast;
    if (one.property == Property::no_deadlock) one.premise = kOneLockNoVictim;
  }
  return all;
}

Duration lease_and_one_attempt(const LockOptions& options) {
  Duration bound =
      options.ttl + options.retry_every + options.retry_jitter + std::chrono::milliseconds(100);
  if (options.wait_replicas > 0) bound += options.wait_timeout;
  return bound;
}

}  // namespace picklock::models::locks
