// The promises of the locks on MySQL: a row lock and a named lock protect their holder as long as
// the session lives, a committed row until it expires (docs/facts/failures.md section 5).
#pragma once

#include <string_view>
#include <vector>

#include "models/locks/algorithm.h"

namespace picklock::models::locks::mysql {

inline constexpr std::string_view kWithinSession =
    "every critical section ends while its session lives, according to the server";

std::vector<Promise> of_a_made_row(const LockOptions& options);
// For locks whose insert may fail with a duplicate though the lock is free, or with a deadlock.
std::vector<Promise> of_an_inserted_row(const LockOptions& options);
std::vector<Promise> of_a_session(const LockOptions& options);
std::vector<Promise> of_a_row(const LockOptions& options);
std::vector<Promise> of_a_time(const LockOptions& options);

// A waiter notices a lost connection only after its patience with a statement.
Duration session_and_one_attempt(const LockOptions& options);
Duration lease_and_connection(const LockOptions& options);

// Pools as in JVMs, with a patience that outlasts the server's own waits.
void pooled(LockOptions& options);

}  // namespace picklock::models::locks::mysql
