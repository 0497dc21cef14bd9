// The options of Redisson's locks, and their keys.
#pragma once

#include <chrono>

#include "models/locks/option_keys.h"

namespace picklock::models::locks::redisson {

struct RedissonOptions {
  bool resend_scripts = true;         // also the scripts that acquire and release, after a timeout
  bool timer_per_lock = false;        // renewals, as before version 3.44; else one per client
  bool renew_after_error = true;      // renewals continue after one without answer
  bool unlock_latch = true;           // a release that is sent again gets the answer of the first
  bool try_after_subscribing = true;  // once more, before it waits for a message
  Duration wait_at_most{};            // for one message; 0: as long as the lease that it has seen
  Duration wait_at_least{};           // also where the server says that the lock is free
  bool sync_replicas = false;         // a grant counts once a connected replica has it, if any is
};

OptionKeys redisson_keys();                         // of every lock of Redisson on one server
OptionKeys redisson_keys(const OptionKeys& clock);  // of one that has its own uses for `clock`
OptionKeys channel_keys();                          // of locks whose waiters await a message
OptionKeys latch_keys();                            // of locks whose release leaves a latch

}  // namespace picklock::models::locks::redisson
