// What the locks on MySQL promise: a row lock and a name protect their holder as long as the
// session lives, a committed row as long as its time lasts (docs/facts/failures.md section 5).
#pragma once

#include <string_view>
#include <vector>

#include "models/algorithm.h"

namespace picklock::models::locks::mysql {

inline constexpr std::string_view kWithinSession =
    "every critical section ends while its session lives, according to the server";

inline constexpr std::string_view kServerThere =
    "a server that accepts writes is eventually available";

std::vector<Promise> of_a_made_row(const LockOptions& options);
// Whose insert may be told of a duplicate when the lock is free, and of a circle.
std::vector<Promise> of_an_inserted_row(const LockOptions& options);
std::vector<Promise> of_a_session(const LockOptions& options);
std::vector<Promise> of_a_row(const LockOptions& options);
std::vector<Promise> of_a_time(const LockOptions& options);

// A connection that is lost takes a waiter as long to notice as it is patient with a statement.
Duration session_and_one_attempt(const LockOptions& options);
Duration lease_and_connection(const LockOptions& options);

// As the pools of JVMs come, with a patience that outlasts the server's own waits.
void pooled(LockOptions& options);

}  // namespace picklock::models::locks::mysql
