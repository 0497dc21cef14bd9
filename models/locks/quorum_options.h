// The options in which quorum locks differ. The named locks are sets of them.
#pragma once

#include <chrono>
#include <cstdint>

#include "models/locks/option_keys.h"

namespace picklock::models::locks {

// When a quorum lock reads its clock to see how much of the lease is left: after the last answer,
// as the specification has it; before it reads any; or never (docs/facts/failures.md B-04, C-12).
enum class Validity : std::uint8_t { after_answers, before_answers, never };

// The order in which a quorum lock sends requests to its servers.
enum class Asks : std::uint8_t { together, in_turn };

// How many answers it waits for: all of them, or as many as decide.
enum class Hears : std::uint8_t { all, majority };

// Where a failed attempt is undone: at all servers, or at those that have granted
// (docs/facts/failures.md A-18); and when: after each attempt, or only after the last one.
enum class UndoAt : std::uint8_t { all, granted };
enum class UndoAfter : std::uint8_t { each_attempt, last_attempt };

// How a quorum lock extends its lease: by a request, regardless of its clock; or as npm's redlock
// does, by one more attempt to acquire. That attempt is left out if the lease is over, and undone
// if it fails.
enum class Extends : std::uint8_t { by_asking, as_acquired };

// How often it tries a release that a quorum has not confirmed: once; or as npm's redlock 5 does,
// as often as an acquire, also if the lock is lost.
enum class Releases : std::uint8_t { once, as_acquired };

// The commands of a quorum lock: SET, and a script to release; only scripts, sent whole each time;
// or only scripts, named by their SHA-1.
enum class Speaks : std::uint8_t { set, scripts, script_names };

// The fencing token of a grant, which each server counts by itself: the largest number of the
// servers that have granted, as it is; or once a quorum has raised its counters to it
// (docs/facts/failures.md B-24).
enum class Tokens : std::uint8_t { largest, raised };

struct QuorumOptions {
  std::uint32_t quorum = 0;  // 0: more than half, or all of them
  Validity validity = Validity::after_answers;
  std::int64_t drift_ppm = 10'000;  // of the lease, taken off its validity
  Duration drift_extra = std::chrono::milliseconds(2);
  Asks asks = Asks::together;
  Hears hears = Hears::all;
  Speaks speaks = Speaks::set;
  UndoAt undo_at = UndoAt::all;
  UndoAfter undo_after = UndoAfter::each_attempt;
  Releases releases = Releases::once;
  Extends extends = Extends::by_asking;
  bool extend_missing = false;  // an extension sets a key anew that is no longer there
  Tokens tokens = Tokens::largest;
};

OptionKeys quorum_keys();    // of every quorum lock
OptionKeys validity_keys();  // `validity` alone

}  // namespace picklock::models::locks
