// The options of a lock, in one aggregate. Durations are the client's patience or the lease's
// length. A lock ignores the options that its algorithm does not use.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

#include "picklock/lock.h"
#include "picklock/redis.h"

namespace picklock::models {

// The lifetime of an owner token: one acquisition, one start of the client's process, or the
// machine, so that a restarted process has the same token again (docs/facts/failures.md A-28,
//
enum class TokenPer : std::uint8_t { acquisition, client, machine };

// How a held lease is extended while its holder works: not at all, by a PEXPIRE that does not check
// the owner, or by a script that compares the owner first (docs/facts/failures.md C-11).
enum class Renew : std::uint8_t { none, blind, conditional };

// When a refused client checks whether the key holds its own token: never, after an attempt of this
// acquisition with an unknown outcome, or at every refusal (docs/facts/failures.md C-08).
enum class RecogniseOwn : std::uint8_t { never, after_unknown, always };

// How a key whose timestamp has passed is taken from its holder: by DEL and SETNX, or by GETSET and
// a check of the value that it replaced (docs/facts/failures.md B-08).
enum class Steal : std::uint8_t { del, getset };

// The server at which a client checks that it still holds the lock (docs/facts/failures.md C-06).
enum class CheckAt : std::uint8_t { primary, replica };

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

// The commands of a quorum lock: SET, and a script to release; only scripts, sent whole each time;
// or only scripts, named by their SHA-1.
enum class Speaks : std::uint8_t { set, scripts, script_names };

// A mutex of the process that guards the lock: none, one that stays locked if the release of the
// lock fails, or one that is always freed (docs/facts/failures.md D-12).
enum class LocalMutex : std::uint8_t { none, kept_on_error, freed };

// When a holder of a ZooKeeper lock stops believing that it holds: never, when its session is lost,
// or as soon as it has no connection (docs/facts/failures.md B-12).
enum class StopsAt : std::uint8_t { never, lost, suspended };

// The process that frees a ZooKeeper lock whose holder is gone: the ensemble, when the session
// ends; or a coordinator that watches the holders and can first stop their work
// (docs/facts/failures.md B-11).
enum class FreedBy : std::uint8_t { session, coordinator };

// The fencing token of a ZooKeeper lock: the zxid that created its znode, or the number in the
// znode's name.
enum class FenceBy : std::uint8_t { zxid, sequence };

// The reaction of a row lock to a row that another session has locked. It waits as long as the
// server allows; or it gets an error or an empty answer at once (NOWAIT, SKIP LOCKED).
enum class IfLocked : std::uint8_t { wait, nowait, skip };

// How the holder ends a transaction that is a lock. A rollback removes the rows that it has
// inserted (docs/facts/fidelity.md M4).
enum class EndsBy : std::uint8_t { commit, rollback };

// Whether an acquire mints a fencing token in the same atomic step.
enum class Mint : std::uint8_t { none, in_script };

// A user's own scripts in place of the lock's, with the same keys, arguments and answers; nullptr:
// the lock's.
struct Scripts {
  std::shared_ptr<const redis::Script> acquire;
  std::shared_ptr<const redis::Script> release;
  std::shared_ptr<const redis::Script> renew;
};
inline const redis::Script& or_own(const std::shared_ptr<const redis::Script>& given,
                                   const redis::Script& own) {
  return given != nullptr ? *given : own;
}

struct LockOptions {
  Duration ttl = std::chrono::seconds(10);
  Duration retry_every = std::chrono::milliseconds(100);
  Duration retry_jitter{};     // adds up to this much to every retry, drawn at random
  Duration acquire_timeout{};  // 0: tries for ever
  std::uint32_t attempts = 0;  // the most attempts, even if time is left; 0: no such limit
  Duration command_timeout = std::chrono::seconds(3);
  std::uint32_t resend = 0;  // how often a command that got no answer is sent again
  // Pause before each resend: one half, and a random part of the other half. It doubles with each
  // copy, up to a maximum. 0: none.
  Duration resend_delay{};
  Duration resend_delay_most{};
  bool resend_scripts = true;  // also the scripts that acquire and release, after a timeout
  std::uint32_t connections =
      1;                        // of a client to one server: 1, which its threads share, or a pool
  bool keep_timed_out = false;  // a connection on which a command has timed out stays in use
  Duration resubscribe_every = std::chrono::milliseconds(100);  // pause before a lost connection to
                                                                // channels is dialed again
  TokenPer value = TokenPer::acquisition;
  Renew renew = Renew::none;
  Duration renew_every{};  // 0: a third of the ttl
  RecogniseOwn recognise_own = RecogniseOwn::never;
  Steal steal = Steal::del;
  CheckAt check_at = CheckAt::primary;
  bool holder_checks = false;       // a holder checks before it writes that it still holds the lock
  std::uint32_t wait_replicas = 0;  // a grant counts once so many replicas have it (WAIT)
  Duration wait_timeout = std::chrono::seconds(1);  // patience of WAIT; then the key is released
  Mint mint = Mint::none;
  ClientClock clock = ClientClock::monotonic;
  bool deadline = false;  // a holder stops believing when its lease must have expired, by `clock`
  bool tell_loss = true;  // a renewal that finds the lock gone tells the holder
  LocalMutex local_mutex = LocalMutex::none;
  Scripts scripts{};
  Duration lock_delay{};  // for this long, locks held by an ended session are not granted

  // --- ZooKeeper
  StopsAt stops_at = StopsAt::lost;
  FreedBy freed_by = FreedBy::session;
  FenceBy fence_by = FenceBy::zxid;
  std::uint32_t lost_after_percent = 0;  // of the session timeout: then a client without connection
                                         // gives its session up; 0: never
  bool retry_missing = true;             // a znode that is gone before it is watched ends the wait
  bool guaranteed_delete = true;         // a failed delete of a znode is repeated until it succeeds

  // --- MySQL
  Duration connect_timeout = std::chrono::seconds(3);  // of each server that is dialed
  bool reconnect = false;   // the driver replaces a lost session with a new one
  bool pool_resets = true;  // a connection that is returned to its pool is rolled back
  IfLocked if_locked = IfLocked::wait;
  EndsBy ends_by = EndsBy::commit;
  bool db_time = false;      // the server's clock decides when a lease is over, not the client's
  Duration hold_at_least{};  // a lock that is released sooner becomes free only then

  // --- Redisson
  bool timer_per_lock = false;        // renewals, as before version 3.44; else one per client
  bool renew_after_error = true;      // renewals continue after one without answer
  bool unlock_latch = true;           // a release that is sent again gets the answer of the first
  bool try_after_subscribing = true;  // once more, before it waits for a message
  Duration wait_at_most{};            // for one message; 0: as long as the lease that it has seen
  bool sync_replicas = false;         // a grant counts once a connected replica has it, if any is
  Duration place_expires = std::chrono::minutes(5);  // of a waiter in the fair lock's queue
  bool refresh_place = false;                        // while it waits there

  // --- locks on several servers
  std::uint32_t quorum = 0;  // 0: more than half, or all of them
  Validity validity = Validity::after_answers;
  std::int64_t drift_ppm = 10'000;  // of the lease, taken off its validity
  Duration drift_extra = std::chrono::milliseconds(2);
  Asks asks = Asks::together;
  Hears hears = Hears::all;
  Speaks speaks = Speaks::set;
  UndoAt undo_at = UndoAt::all;
  UndoAfter undo_after = UndoAfter::each_attempt;
  Extends extends = Extends::by_asking;
  bool extend_missing = false;  // an extension sets a missing key again
};

// The longest pause before a command that has been sent `copies` times is sent once more.
inline Duration longest_resend_pause(Duration delay, Duration most, std::uint32_t copies) {
  return std::min(delay * (std::int64_t{1} << std::min(copies - 1, 20U)), std::max(delay, most));
}

}  // namespace picklock::models
