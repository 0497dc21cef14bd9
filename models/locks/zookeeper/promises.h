// The promises of the locks on ZooKeeper: an ephemeral znode protects its holder as long as the
// ensemble keeps the session (docs/facts/failures.md section 5).
#pragma once

#include <string_view>
#include <vector>

#include "models/locks/algorithm.h"

namespace picklock::models::locks::zookeeper {

inline constexpr std::string_view kWithinSession =
    "every critical section ends while its session lives, according to the ensemble";
inline constexpr std::string_view kEnsembleThere = "the ensemble is eventually available";

// Once the znode of a waiter that gives up is deleted, the next may enter before that waiter knows.
inline constexpr std::uint32_t kPassedWhileLeaving = 1;

std::vector<Promise> on_one_znode(const LockOptions& options);
std::vector<Promise> queued(const LockOptions& options);
// For locks that repeat a delete until it succeeds.
std::vector<Promise> queued_and_deleted(const LockOptions& options);
// For locks whose znodes have one name for the life of the object.
std::vector<Promise> queued_under_one_name(const LockOptions& options);
std::vector<Promise> queued_naively(const LockOptions& options);

// The session of a crashed holder ends, its znode vanishes, and a waiter is notified, if need be at
// another server.
Duration session_and_one_attempt(const LockOptions& options);
// A watch is notified at once, or when its client has found another server.
Duration wakes_at_once(const LockOptions& options);

}  // namespace picklock::models::locks::zookeeper
