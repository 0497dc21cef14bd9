// What a user can set about a lock, in one aggregate. Durations are the client's patience or the
// lease's length; a lock ignores what its algorithm has no use for.
#pragma once

#include <chrono>
#include <cstdint>

namespace picklock::models {

// The interfaces locks are written against use the standard's own duration, never the simulator's
// types.
using Duration = std::chrono::nanoseconds;

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

// Whether an acquire mints a fencing token in the same atomic step.
enum class Mint : std::uint8_t { none, in_script };

struct LockOptions {
  Duration ttl = std::chrono::seconds(10);
  Duration retry_every = std::chrono::milliseconds(100);
  Duration retry_jitter{};     // adds up to this much to every retry, drawn at random
  Duration acquire_timeout{};  // 0: tries for ever
  Duration command_timeout = std::chrono::seconds(3);
  std::uint32_t resend = 0;  // how often a command that got no answer is sent again
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
  Duration lock_delay{};  // of a session: what it held when it ended is granted to nobody meanwhile
};

}  // namespace picklock::models
