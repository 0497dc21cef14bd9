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

// The order in which a client takes the rows of a lock of several: all clients the same, or every
// second client in reverse.
enum class RowOrder : std::uint8_t { same, alternating };

// The reaction of a client to error 1205 or 1213. It rolls back and gives up the attempt; or it
// repeats the statement, as if nothing but the statement had been rolled back; or it commits, as if
// everything had been (docs/facts/fidelity.md M5, M15).
enum class AfterError : std::uint8_t { rollback, repeat, commit };

struct RowOptions {
  IfLocked if_locked = IfLocked::wait;
  EndsBy ends_by = EndsBy::commit;
  std::uint32_t rows = 1;
  RowOrder row_order = RowOrder::same;
  AfterError after_error = AfterError::rollback;
};

OptionKeys connection_keys();
OptionKeys reconnect_keys();  // of locks that send several statements on one connection
OptionKeys pool_keys();       // of locks that keep a connection while they are held
OptionKeys if_locked_keys();
OptionKeys ends_by_keys();
OptionKeys several_rows_keys();

}  // namespace picklock::models::locks::mysql
