// The promises that several shipped locks share: the classes of faults within which a lease
// protects its holder, and which of them the options remove (docs/facts/failures.md section 5).
#pragma once

#include <string_view>
#include <vector>

#include "models/locks/algorithm.h"
#include "models/locks/option_keys.h"

namespace picklock::models::locks {

inline constexpr std::string_view kWithinLease =
    "every critical section ends within its lease, by the server's clock";
inline constexpr std::string_view kFreeKey = "the server is up and reachable and the key is free";
inline constexpr std::string_view kOwnCommands = "nothing but the lock's commands sets its key";
inline constexpr std::string_view kServerThere =
    "a server that accepts writes is eventually available";
inline constexpr std::string_view kAnswered =
    "every command is answered before its client gives up on it";
inline constexpr std::string_view kOwnToken = "every acquisition has a token of its own";
inline constexpr std::string_view kInTime =
    "a command takes effect before its client gives up on it";
inline constexpr std::string_view kOwnName = "no two threads of a process share an owner name";
inline constexpr std::string_view kInTimeOwnName =
    "a command takes effect before its client gives up on it, and no two threads of a process "
    "share an owner name";
inline constexpr std::string_view kInPlace =
    "every wait is over before its place in the queue expires";
inline constexpr std::string_view kNoForce = "no operator takes the lock from its holder";
inline constexpr std::string_view kOneLock = "one lock, taken once at a time";
inline constexpr std::string_view kOneLockNoVictim =
    "one lock, taken once at a time, and no server ends a wait to break a circle";
inline constexpr std::string_view kServerThereThreadsLast =
    "a server that accepts writes is eventually available, and no thread ends before its process";

// How a lock releases its key: blindly, even if it is another holder's; or only its own,
// atomically.
enum class GivesBack : std::uint8_t { blindly, its_own };

// No faults that can end a lease under a living holder, or delay a command.
FaultClasses unhurried(const LockOptions& options, GivesBack how);

// A token that several tenures share belongs to all of them; then a late command belongs to the
// wrong tenure.
Promise own_release(const LockOptions& options, GivesBack how);

// A client that counts its patience by a clock that steps may give up too early.
FaultClasses while_patient(const LockOptions& options, FaultClasses classes);

// The documented condition for a grant.
Promise available(const LockOptions& options);

// Without faults, somebody gets the lock. A fault may strike the only acquire of a run.
Promise progress();

// The promises of every lock with a lease on one server.
std::vector<Promise> leased(const LockOptions& options, GivesBack how, FaultClasses not_stuck);

// Those of a careful lock of which nothing is known but that its entries are leases. It may rely on
// the memory of its servers, unless they are `lossless`. The premises are judged in every run, so
// faults that may end a lease under its holder are included. A thread that has ended may leave a
// renewal behind, or the session of its process. And of the clients that insert and delete the same
// row, a server may choose one as a victim (M4): only its attempt fails.
std::vector<Promise> within_leases(const LockOptions& options, bool lossless);

// If the lease is set with the grant, an abandoned key expires, unless its renewing thread outlives
// its holder.
FaultClasses while_leases_end(const LockOptions& options);

// The lease of a crashed holder expires on the server, then the next attempt succeeds.
Duration lease_and_one_attempt(const LockOptions& options);

template <typename LockType>
std::unique_ptr<Lock> make(const LockOptions& options) {
  return std::make_unique<LockType>(options);
}

}  // namespace picklock::models::locks
