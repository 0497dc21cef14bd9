// The locks of programs from outside: one for each kind of server that programs can talk to, such
// as `redis-program`. Nothing is known of such a lock but its server, so that it is expected to
// keep every property that can be seen from outside, under all faults.
#pragma once

#include <span>
#include <string_view>

#include "models/locks/algorithm.h"
#include "picklock/lock.h"

namespace picklock::scenarios {

struct Scenario;

// These can be judged without a word from the clients.
inline constexpr Property kJudgedOutside[] = {Property::resource_exclusion,
                                              Property::no_stale_write, Property::no_lost_update,
                                              Property::own_release};

std::span<const models::Algorithm> program_locks();

// nullptr: there is none of that name.
const models::Algorithm* program_lock(std::string_view name);

// Whether any client is a program. Then every client is expected to keep what can be seen from
// outside.
bool has_programs(const Scenario& scenario);

}  // namespace picklock::scenarios
