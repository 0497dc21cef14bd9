// What a user can set about a lock, in one aggregate. Durations are the client's patience or the
// lease's length; a lock ignores what its algorithm has no use for.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

#include "picklock/lock.h"
#include "picklock/redis.h"

namespace picklock::models {

// What an owner token is made for: one acquisition, one start of the client's process, or the
// machine, so that a restarted process has the same one again (docs/facts/failures.md ).
enum class TokenPer : std::uint8_t { acquisition, client, machine };

// How a held lease is extended while its holder works: not at all, by PEXPIRE whoever holds the key
// by then, or by a script that compares the owner first (docs/facts/failures.md C-11).
enum class Renew : std::uint8_t { none, blind, conditional };

// When a refused client looks whether the key holds its own token: never, after an attempt of this
// acquisition whose outcome it does not know, or at every refusal (docs/facts/failures.md C-08).
enum class RecogniseOwn : std::uint8_t { never, after_unknown, always };

// How a key whose timestamp has passed is taken from its holder: by DEL and SETNX, or by GETSET and
// a look at what it replaced (docs/facts/failures.md B-08).
enum class Steal : std::uint8_t { del, getset };

// Which server a client asks whether the lock is still its own (docs/facts/failures.md C-06).
enum class CheckAt : std::uint8_t { primary, replica };

// When a quorum lock reads its clock to see how much of the lease is left: after the last answer,
// as the specification has it; before it reads any; or never (docs/facts/failures.md B-04, C-12).
enum class Validity : std::uint8_t { after_answers, before_answers, never };

// In which order a quorum lock asks its servers.
enum class Asks : std::uint8_t { together, in_turn };

// When it has heard enough: every answer, or as many as decide.
enum class Hears : std::uint8_t { all, majority };

// Which servers are told to forget an attempt that failed: all of them, or those that have granted
// (docs/facts/failures.md A-18); and after each attempt, or after the last one only.
enum class UndoAt : std::uint8_t { all, granted };
enum class UndoAfter : std::uint8_t { each_attempt, last_attempt };

// How a quorum lock extends its lease: by asking, whatever its clock says; or as npm's redlock
// does, by one more attempt to acquire: none where the lease is over, and one that fails is undone.
enum class Extends : std::uint8_t { by_asking, as_acquired };

// How a quorum lock speaks to its servers: by SET, and a script to give back; by scripts alone,
// sent whole each time; or the same named by their SHA-1.
enum class Speaks : std::uint8_t { set, scripts, script_names };

// A mutex of the process in front of the lock: none, one that stays locked where the release of the
// lock fails, or one that is freed in any case (docs/facts/failures.md D-12).
enum class LocalMutex : std::uint8_t { none, kept_on_error, freed };

// When a holder of a ZooKeeper lock stops believing: never, when its session is lost, or as soon as
// it has no connection (docs/facts/failures.md B-12).
enum class StopsAt : std::uint8_t { never, lost, suspended };

// Who frees a ZooKeeper lock whose holder is gone: the ensemble, with its session; or a coordinator
// that watches the holders, and can do something about their work first (docs/facts/failures.md
// B-11).
enum class FreedBy : std::uint8_t { session, coordinator };

// What a ZooKeeper lock gives as a fencing token: the zxid that created its znode, or the number in
// the znode's name.
enum class FenceBy : std::uint8_t { zxid, sequence };

// What a lock of a row does where another has it: waits for it, as long as the server lets it; or
// not at all, and is told by an error or by an empty answer (NOWAIT, SKIP LOCKED).
enum class IfLocked : std::uint8_t { wait, nowait, skip };

// How a transaction that is a lock is ended by its holder. What it has inserted is gone once it is
// rolled back (docs/facts/fidelity.md M4).
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
  std::uint32_t attempts = 0;  // at most so many, whatever time is left; 0: no such limit
  Duration command_timeout = std::chrono::seconds(3);
  std::uint32_t resend = 0;  // how often a command that got no answer is sent again
  // Pause before that: half of it and, drawn at random, up to the other half; doubled from time to
  // time, up to a most. 0: none.
  Duration resend_delay{};
  Duration resend_delay_most{};
  bool resend_scripts = true;  // also those that take and give back the lock, after a time-out
  std::uint32_t connections =
      1;                        // of a client to one server: 1, which its threads share, or a pool
  bool keep_timed_out = false;  // a connection on which a command has timed out stays in use
  Duration resubscribe_every = std::chrono::milliseconds(100);  // pause before a lost connection to
                                                                // hear channels is dialled anew
  TokenPer value = TokenPer::acquisition;
  Renew renew = Renew::none;
  Duration renew_every{};  // 0: a third of the ttl
  RecogniseOwn recognise_own = RecogniseOwn::never;
  Steal steal = Steal::del;
  CheckAt check_at = CheckAt::primary;
  bool holder_checks = false;       // before it writes, whether the lock is still its own
  std::uint32_t wait_replicas = 0;  // a grant counts once so many replicas have it (WAIT)
  Duration wait_timeout = std::chrono::seconds(1);  // patience of WAIT; then the key is given back
  Mint mint = Mint::none;
  ClientClock clock = ClientClock::monotonic;
  bool deadline = false;  // a holder stops believing when its lease must have run out, by `clock`
  bool tell_loss = true;  // a renewal that finds the lock gone tells the holder
  LocalMutex local_mutex = LocalMutex::none;
  Scripts scripts{};
  Duration lock_delay{};  // of a session: what it held when it ended is granted to nobody meanwhile

  // --- ZooKeeper
  StopsAt stops_at = StopsAt::lost;
  FreedBy freed_by = FreedBy::session;
  FenceBy fence_by = FenceBy::zxid;
  std::uint32_t lost_after_percent = 0;  // of its time-out a session without connection is given up
                                         // by its own client; 0: never
  bool retry_missing = true;      // what is gone before it could be watched is no reason to wait
  bool guaranteed_delete = true;  // a znode that could not be deleted is, as soon as it can be

  // --- MySQL
  Duration connect_timeout = std::chrono::seconds(3);  // of each server that is dialled
  bool reconnect = false;   // the driver goes on with another session where one was lost
  bool pool_resets = true;  // a connection that is given back is rolled back
  IfLocked if_locked = IfLocked::wait;
  EndsBy ends_by = EndsBy::commit;
  bool db_time = false;      // the server's clock decides what is over, not the client's
  Duration hold_at_least{};  // what is given back sooner is free only then

  // --- Redisson
  bool timer_per_lock = false;        // renewals, as before version 3.44; else one per client
  bool renew_after_error = true;      // a renewal without answer is not the last one
  bool unlock_latch = true;           // a release that is sent again answers as the first did
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
  bool extend_missing = false;  // an extension sets a key anew that is no longer there
};

// The longest pause before what has been sent `copies` times is sent once more.
inline Duration longest_resend_pause(Duration delay, Duration most, std::uint32_t copies) {
  return std::min(delay * (std::int64_t{1} << std::min(copies - 1, 20U)), std::max(delay, most));
}

}  // namespace picklock::models
