// The options of a lock: those that locks of several kinds share, and the algorithm's own. The
// table of an algorithm's keys (models/locks/algorithm.h) says which of them it has.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "models/locks/own_options.h"
#include "models/locks/user_scripts.h"
#include "picklock/lock.h"

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

// The server at which a client checks that it still holds the lock (docs/facts/failures.md C-06).
enum class CheckAt : std::uint8_t { primary, replica };

// A mutex of the process that guards the lock: none, one that stays locked if the release of the
// lock fails, or one that is always freed (docs/facts/failures.md D-12).
enum class LocalMutex : std::uint8_t { none, kept_on_error, freed };

// When a client opens its connections: as the kind of server has it, before the run begins, or when
// it needs them.
enum class Connects : std::uint8_t { as_usual, at_start, when_needed };

// Whether an acquire mints a fencing token in the same atomic step.
enum class Mint : std::uint8_t { none, in_script };

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
  std::uint32_t connections =
      1;  // of a client to one server: 1, which its threads share, or a pool
  Connects connects = Connects::as_usual;
  bool keep_timed_out = false;  // a connection on which a command has timed out stays in use
  Duration resubscribe_every = std::chrono::milliseconds(100);  // pause before a lost connection to
                                                                // channels is dialed again
  TokenPer value = TokenPer::acquisition;
  Renew renew = Renew::none;
  Duration renew_every{};  // 0: a third of the ttl
  RecogniseOwn recognise_own = RecogniseOwn::never;
  CheckAt check_at = CheckAt::primary;
  bool holder_checks = false;       // a holder checks before it writes that it still holds the lock
  std::uint32_t wait_replicas = 0;  // a grant counts once so many replicas have it (WAIT)
  Duration wait_timeout = std::chrono::seconds(1);  // patience of WAIT; then the key is released
  Mint mint = Mint::none;
  ClientClock clock = ClientClock::monotonic;
  bool deadline = false;  // a holder stops believing when its lease must have expired, by `clock`
  bool tell_loss = true;  // a renewal that finds the lock gone tells the holder
  LocalMutex local_mutex = LocalMutex::none;
  UserScripts scripts{};
  OwnOptions own{};  // of this algorithm and its kin

  template <typename Set>
  const Set& of() const {
    return own.of<Set>();
  }
  template <typename Set>
  Set& of() {
    return own.of<Set>();
  }
};

// The longest pause before a command that has been sent `copies` times is sent once more.
inline Duration longest_resend_pause(Duration delay, Duration most, std::uint32_t copies) {
  return std::min(delay * (std::int64_t{1} << std::min(copies - 1, 20U)), std::max(delay, most));
}

}  // namespace picklock::models
