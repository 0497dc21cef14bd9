#include "models/locks/mysql/promises.h"

#include "models/locks/mysql/shedlock.h"
#include "models/locks/promises.h"

namespace picklock::models::locks::mysql {
namespace {

using namespace std::chrono_literals;

// A server that is gone takes the locks of its sessions with it, and only clients that speak to it
// learn of that.
constexpr FaultClasses kServerStands =
    FaultClasses::all().without({FaultClass::failover, FaultClass::amnesia});

// No faults that delay a write.
constexpr FaultClasses kWritesInTime = {FaultClass::late_command, FaultClass::client_clock,
                                        FaultClass::server_clock, FaultClass::crash};

// A session that is cut off or left behind while it waits for a row keeps the rows that it has got
// already, although nobody holds the lock.
Promise available_row(const LockOptions& options) {
  FaultClasses under = FaultClasses::all().without({FaultClass::pause});
  if (options.of<RowOptions>().rows > 1)
    under = under.without({FaultClass::late_command, FaultClass::partition, FaultClass::lost_reply,
                           FaultClass::crash});
  return {Property::available, while_patient(options, under), kFreeKey};
}

// A name that is not made for each acquisition is that of the process or of its lock object, which
// its threads share. Where there are several primaries, each applies the other's row over its own.
// Of several rows, one that was overdue when it was deleted may be in time again when the
// transaction commits, if the server's clock has been set back.
Promise own_row(const LockOptions& options, GivesBack how = GivesBack::its_own) {
  Promise own = own_release(options, how);
  if (own.premise == kInTime) own.premise = kInTimeOwnName;
  if (options.of<RowOptions>().rows > 1) own.under = own.under.without({FaultClass::server_clock});
  own.under = own.under.without({FaultClass::failover});
  return own;
}

std::vector<Promise> of_connections(const LockOptions& options) {
  const bool fenced = options.mint == Mint::in_script;
  const FaultClasses at_resource = fenced ? kServerStands : kWritesInTime;
  const std::string_view premise = fenced ? "" : kWithinSession;
  return {
      {Property::mutual_exclusion, kServerStands, kWithinSession},
      {Property::resource_exclusion, at_resource, premise},
      {Property::no_stale_write, at_resource, premise},
      {Property::own_release, FaultClasses::all(), ""},
      {Property::no_deadlock, FaultClasses::all(), kOneLock},
      available_row(options),
      {Property::not_stuck, FaultClasses::all().without({FaultClass::crash}), kServerThere},
      progress(),
  };
}

}  // namespace

// Clients that take rows in different orders wait for each other. After a deadlock, a client that
// repeats only a statement has lost all its other rows.
std::vector<Promise> of_a_made_row(const LockOptions& options) {
  std::vector<Promise> all = of_connections(options);
  const auto& rows = options.of<RowOptions>();
  const bool crossed = rows.rows > 1 && rows.row_order == RowOrder::alternating;
  const bool loses = crossed && rows.after_error == AfterError::repeat;
  std::erase_if(all, [crossed, loses](const Promise& promise) {
    return (crossed && promise.property == Property::no_deadlock) ||
           (loses && (promise.property == Property::mutual_exclusion ||
                      promise.property == Property::resource_exclusion ||
                      promise.property == Property::no_stale_write));
  });
  return all;
}

std::vector<Promise> of_an_inserted_row(const LockOptions& options) {
  std::vector<Promise> all = of_connections(options);
  std::erase_if(all, [](const Promise& promise) {
    return promise.property == Property::no_deadlock || promise.property == Property::available;
  });
  return all;
}

std::vector<Promise> of_a_session(const LockOptions& options) { return of_connections(options); }

// Clients that wait for a row while it is deleted may all share the lock on its gap; then each
// keeps the others from inserting, and one becomes the victim (M4).
std::vector<Promise> of_a_row(const LockOptions& options) {
  const bool fenced = options.mint == Mint::in_script;
  std::vector<Promise> all = {
      {Property::mutual_exclusion, unhurried(options, GivesBack::its_own), kWithinLease},
      own_row(options),
      available_row(options),
      progress(),
  };
  const auto& rows = options.of<RowOptions>();
  const bool whole = rows.rows == 1 || rows.after_error == AfterError::rollback;
  if (!whole) return {progress()};  // half of the rows may be committed
  const FaultClasses at_resource = fenced ? kServerStands : unhurried(options, GivesBack::its_own);
  const std::string_view premise = fenced ? "" : kWithinLease;
  all.push_back({Property::resource_exclusion, at_resource, premise});
  all.push_back({Property::no_stale_write, at_resource, premise});
  if (options.ttl > Duration::zero())
    all.push_back({Property::not_stuck, FaultClasses::all(), kServerThere});
  return all;
}

// The application's clock decides, unless the option selects the database's.
std::vector<Promise> of_a_time(const LockOptions& options) {
  const GivesBack how =
      compares_owner(options.of<ShedLockOptions>()) ? GivesBack::its_own : GivesBack::blindly;
  FaultClasses under = unhurried(options, how);
  if (!options.of<ShedLockOptions>().db_time) under = under.without({FaultClass::client_clock});
  Promise own = own_row(options, how);
  if (!options.of<ShedLockOptions>().db_time)
    own.under = own.under.without({FaultClass::client_clock});
  std::vector<Promise> all = {
      {Property::mutual_exclusion, under, kWithinLease},
      {Property::resource_exclusion, under, kWithinLease},
      {Property::no_stale_write, under, kWithinLease},
      own,
      {Property::no_deadlock, FaultClasses::all(), kOneLock},
      available_row(options),
      progress(),
  };
  return all;
}

Duration session_and_one_attempt(const LockOptions& options) {
  return options.command_timeout + options.of<ConnectionOptions>().connect_timeout +
         options.retry_every + options.retry_jitter + 100ms;
}

Duration lease_and_connection(const LockOptions& options) {
  return options.ttl + session_and_one_attempt(options);
}

void pooled(LockOptions& options) {
  options.command_timeout = 60s;
  options.connections = 10;
}

}  // namespace picklock::models::locks::mysql
