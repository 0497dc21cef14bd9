// The options of the locks on MySQL, and their keys.
#pragma once

#include <chrono>
#include <cstdint>

#include "models/locks/option_keys.h"

namespace picklock::models::locks::mysql {

// The reaction of a row lock to a row that another session has locked. It waits as long as the
// server allows; or it gets an error or an empty answer at once (NOWAIT, SKIP LOCKED).
enum class IfLocked : std::uint8_t { wait, nowait, skip };

// How the holder ends a transaction that is a lock. A rollback removes the rows that it has
// inserted (docs/facts/fidelity.md M4).
enum class EndsBy : std::uint8_t { commit, rollback };

// The options of the driver and its connection pool.
struct ConnectionOptions {
  Duration connect_timeout = std::chrono::seconds(3);  // of each server that is dialed
  bool reconnect = false;   // the driver replaces a lost session with a new one
  bool pool_resets = true;  // a connection that is returned to its pool is rolled back
};

struct RowOptions {
  IfLocked if_locked = IfLocked::wait;
  EndsBy ends_by = EndsBy::commit;
};

OptionKeys connection_keys();
OptionKeys pool_keys();  // of locks that keep a connection while they are held
OptionKeys if_locked_keys();
OptionKeys ends_by_keys();

}  // namespace picklock::models::locks::mysql
