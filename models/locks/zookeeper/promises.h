// What the locks on ZooKeeper promise: an ephemeral znode protects its holder as long as the
// session lives, by the ensemble's word (docs/facts/failures.md section 5).
#pragma once

#include <string_view>
#include <vector>

#include "models/algorithm.h"

namespace picklock::models::locks::zookeeper {

inline constexpr std::string_view kWithinSession =
    "every critical section ends while its session lives, according to the ensemble";
inline constexpr std::string_view kEnsembleThere = "the ensemble is eventually available";

// Once a waiter that gives up has had its znode deleted, the next may come in before it is told so.
inline constexpr std::uint32_t kPassedWhileLeaving = 1;

std::vector<Promise> on_one_znode(const LockOptions& options);
std::vector<Promise> queued(const LockOptions& options);
// Of one whose deletes are asked for until they are done.
std::vector<Promise> queued_and_deleted(const LockOptions& options);
// Of one whose znodes bear one name for the life of the object.
std::vector<Promise> queued_under_one_name(const LockOptions& options);
std::vector<Promise> queued_naively(const LockOptions& options);

// A crashed holder's session ends, its znode goes, and a waiter hears of it, if need be at another
// server.
Duration session_and_one_attempt(const LockOptions& options);
// A watch is told at once, or when its client has found another server.
Duration wakes_at_once(const LockOptions& options);

}  // namespace picklock::models::locks::zookeeper
