// The scripts of Redisson's locks, in our own Lua: they check and change the same things in the
// same order as docs/facts/algorithms.md 1 says. A re-entrant lock is a hash with one field, its
// owner, whose value counts the holds.
#pragma once

#include <string>
#include <string_view>

#include "models/locks/user_scripts.h"
#include "picklock/redis.h"

namespace picklock::models::locks::redisson {

// KEYS: lock. ARGV: lease in ms, owner. nil: granted, else the holder's time left (PTTL).
const redis::Script& take();
// KEYS: lock, token. ARGV: lease, owner. {-1, token}: granted, else {time left, -1}. (1.8)
const redis::Script& take_fenced();
// KEYS: lock, channel, latch. ARGV: message, lease, owner, life of the latch in ms. nil: not the
// owner's; 0: the owner still holds it; 1: free, and announced in the channel.
const redis::Script& give_back();
// The same without a latch, as before version 3.24. KEYS: lock, channel. ARGV: message, lease,
// owner.
const redis::Script& give_back_without_latch();
// The same for waiters that do not subscribe. KEYS: lock, latch. (1.10)
const redis::Script& give_back_silently();
// KEYS: locks. ARGV: lease, then each one's owner. For each 1: extended, 0: not the owner's.
const redis::Script& extend();
// KEYS: lock, channel. ARGV: message. 1: there was a lock.
const redis::Script& force_open();
// The same only for this owner. ARGV: message, owner.
const redis::Script& force_open_of();

// The fair lock's (1.9). KEYS: lock, queue, places. ARGV: lease, owner, life of a place in ms, now
// in ms on the client's wall clock. nil: granted, else how long to wait for a message.
const redis::Script& take_in_turn();
// The same for a client that does not queue: 1: refused.
const redis::Script& take_if_first();
// KEYS: lock, queue, places, latch, channel prefix. ARGV: message, lease, owner, now, life of the
// latch.
const redis::Script& give_to_next();
// The owner no longer waits. KEYS: queue, places. ARGV: owner, life of a place.
const redis::Script& leave_queue();
// The owner still waits. KEYS: places. ARGV: owner, life of a place, now.
const redis::Script& keep_place();
// KEYS: lock, queue, places, prefix of channels. ARGV: message, now, owner (empty: any owner). 1:
// there was a lock.
const redis::Script& force_open_for_next();

// Those that a user can replace, of the re-entrant lock and of most of its kin.
inline constexpr ScriptUse kTakeScript = {.of = ScriptOf::acquire,
                                          .keys = "the lock",
                                          .arguments = "lease in ms, owner",
                                          .answers = "nil: granted; else PTTL of the lock",
                                          .script = take};
inline constexpr ScriptUse kGiveBackScript = {
    .of = ScriptOf::release,
    .keys = "the lock, its channel; with `unlock_latch`, the latch of this release",
    .arguments = "message, lease in ms, owner; with `unlock_latch`, life of the latch in ms",
    .answers = "nil: the lock is not the owner's; 0: the owner has further holds; 1: released",
    .script = give_back};
inline constexpr ScriptUse kExtendScript = {
    .of = ScriptOf::renew,
    .keys = "the locks",
    .arguments = "lease in ms, then the owner of each",
    .answers = "for each lock 1: renewed; or 0: it is not the owner's",
    .script = extend};

// The meaning of an answer to one of these scripts (Algorithm::gloss).
std::string gloss(std::string_view request, std::string_view answer);

}  // namespace picklock::models::locks::redisson
