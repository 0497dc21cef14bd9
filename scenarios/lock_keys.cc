#include "scenarios/keys.h"

#include "keys/key_kinds.h"

namespace picklock::scenarios {

using namespace keys;

const Keys<LockSpec>& lock_keys() {
  static const Keys<LockSpec> keys = {
      text<LockSpec>(
          "algorithm", [](auto& lock) -> auto& { return lock.algorithm; },
          "the lock: a name of `picklock list algorithms`; must be given"),
      text<LockSpec>(
          "key", [](auto& lock) -> auto& { return lock.key; }, "the key that every client wants"),
      text<LockSpec>(
          "acquire_script", [](auto& lock) -> auto& { return lock.scripts.acquire; },
          "a Lua file, its path relative to this file, that replaces the script that takes the "
          "lock; it has the same keys, arguments and replies"),
      text<LockSpec>(
          "release_script", [](auto& lock) -> auto& { return lock.scripts.release; },
          "the same for the script that releases it"),
      text<LockSpec>(
          "renew_script", [](auto& lock) -> auto& { return lock.scripts.renew; },
          "the same for the script that renews it"),
      duration<LockSpec>(
          "ttl", Sign::not_negative, [](auto& lock) -> auto& { return lock.options.ttl; },
          "length of a lease, counted on the server's clock; 0s: without end, for locks that have "
          "such leases. On ZooKeeper, the session timeout that a client requests"),
      duration<LockSpec>(
          "retry_every", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.retry_every; },
          "wait of a refused client before its next attempt"),
      duration<LockSpec>(
          "retry_jitter", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.retry_jitter; },
          "upper limit of a random time that is added to every such wait"),
      duration<LockSpec>(
          "acquire_timeout", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.acquire_timeout; },
          "a client gives up after this time; 0s: it tries forever"),
      integer<LockSpec>(
          "attempts", 0, 1'000'000, [](auto& lock) -> auto& { return lock.options.attempts; },
          "a client gives up after this many attempts; 0: no limit"),
      duration<LockSpec>(
          "command_timeout", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.command_timeout; },
          "timeout of a client for one command"),
      integer<LockSpec>(
          "resend", 0, 1000, [](auto& lock) -> auto& { return lock.options.resend; },
          "how often the client layer resends a command that got no reply"),
      duration<LockSpec>(
          "resend_delay", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.resend_delay; },
          "pause before each resend, half of it drawn at random; it doubles from one resend to the "
          "next"),
      duration<LockSpec>(
          "resend_delay_most", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.resend_delay_most; },
          "upper limit of `resend_delay` when it doubles"),
      integer<LockSpec>(
          "connections", 1, 1000, [](auto& lock) -> auto& { return lock.options.connections; },
          "connections of a client to one server: 1, which its threads share, or a pool in which "
          "each command has a connection of its own"),
      boolean<LockSpec>(
          "keep_timed_out", [](auto& lock) -> auto& { return lock.options.keep_timed_out; },
          "whether a connection on which a command has timed out stays in use"),
      duration<LockSpec>(
          "resubscribe_every", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.resubscribe_every; },
          "pause before a client reconnects after it has lost the connection on which it receives "
          "messages"),
      word<LockSpec>(
          "clock", {"monotonic", "wall"}, [](auto& lock) -> auto& { return lock.options.clock; },
          "which of its clocks a client uses for validity, deadlines and its own timeouts"),
      boolean<LockSpec>(
          "deadline", [](auto& lock) -> auto& { return lock.options.deadline; },
          "whether a holder stops at the instant at which its lease must have expired"),
      boolean<LockSpec>(
          "tell_loss", [](auto& lock) -> auto& { return lock.options.tell_loss; },
          "whether a renewal that finds the lock gone tells the holder"),
      word<LockSpec>(
          "local_mutex", {"none", "kept-on-error", "freed"},
          [](auto& lock) -> auto& { return lock.options.local_mutex; },
          "a mutex within the process that guards the lock: none, one that stays locked if the "
          "release fails, or one that is always freed"),
      boolean<LockSpec>(
          "resend_scripts", [](auto& lock) -> auto& { return lock.options.resend_scripts; },
          "whether `resend` also applies, after a timeout, to the scripts that take and release "
          "the lock"),
      boolean<LockSpec>(
          "timer_per_lock", [](auto& lock) -> auto& { return lock.options.timer_per_lock; },
          "whether each lock has its own renewal timer; otherwise all locks of a client share one"),
      boolean<LockSpec>(
          "renew_after_error", [](auto& lock) -> auto& { return lock.options.renew_after_error; },
          "whether renewals continue after one that got no reply"),
      boolean<LockSpec>(
          "unlock_latch", [](auto& lock) -> auto& { return lock.options.unlock_latch; },
          "whether a release stores its reply on the server, for the case that the same release is "
          "sent again"),
      boolean<LockSpec>(
          "try_after_subscribing",
          [](auto& lock) -> auto& { return lock.options.try_after_subscribing; },
          "whether a client tries once more after it has subscribed, before it waits"),
      duration<LockSpec>(
          "wait_at_most", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.wait_at_most; },
          "how long a client waits for one message; 0s: as long as the lease that it saw"),
      boolean<LockSpec>(
          "sync_replicas", [](auto& lock) -> auto& { return lock.options.sync_replicas; },
          "whether a grant counts only once a connected replica has it, if any is connected"),
      duration<LockSpec>(
          "place_expires", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.place_expires; },
          "how long a waiter keeps its place in the queue of a fair lock"),
      boolean<LockSpec>(
          "refresh_place", [](auto& lock) -> auto& { return lock.options.refresh_place; },
          "whether a waiter in that queue renews its place"),
      integer<LockSpec>(
          "quorum", 0, 1000, [](auto& lock) -> auto& { return lock.options.quorum; },
          "how many servers make a grant; 0: more than half or all of them, as the lock defines "
          "it"),
      word<LockSpec>(
          "validity", {"after-answers", "before-answers", "never"},
          [](auto& lock) -> auto& { return lock.options.validity; },
          "when a client reads its clock to see whether enough of the lease is left"),
      integer<LockSpec>(
          "drift_ppm", 0, 1'000'000, [](auto& lock) -> auto& { return lock.options.drift_ppm; },
          "millionths of the lease that are subtracted from its validity"),
      duration<LockSpec>(
          "drift_extra", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.drift_extra; },
          "time that is subtracted as well"),
      word<LockSpec>(
          "asks", {"together", "in-turn"}, [](auto& lock) -> auto& { return lock.options.asks; },
          "whether a client sends to several servers at once or to one after the other"),
      word<LockSpec>(
          "hears", {"all", "majority"}, [](auto& lock) -> auto& { return lock.options.hears; },
          "whether it waits for all replies or only for as many as decide the outcome"),
      word<LockSpec>(
          "speaks", {"set", "scripts", "script-names"},
          [](auto& lock) -> auto& { return lock.options.speaks; },
          "how a lock on several servers takes its key: by SET, by a script in full (EVAL), or by "
          "the SHA-1 of a script (EVALSHA)"),
      word<LockSpec>(
          "undo_at", {"all", "granted"}, [](auto& lock) -> auto& { return lock.options.undo_at; },
          "which servers are told to undo a failed attempt: all, or those that granted it"),
      word<LockSpec>(
          "undo_after", {"each-attempt", "last-attempt"},
          [](auto& lock) -> auto& { return lock.options.undo_after; },
          "after which failed attempts they are told: each one, or only the last"),
      word<LockSpec>(
          "extends", {"by-asking", "as-acquired"},
          [](auto& lock) -> auto& { return lock.options.extends; },
          "how a lock on several servers is extended: whatever the clock says; or like one more "
          "acquire, that is, only within the lease, and undone if it fails"),
      boolean<LockSpec>(
          "extend_missing", [](auto& lock) -> auto& { return lock.options.extend_missing; },
          "whether a renewal sets a key again that is gone"),
      word<LockSpec>(
          "value", {"acquisition", "client", "machine"},
          [](auto& lock) -> auto& { return lock.options.value; },
          "what an owner token belongs to: one acquisition, one start of the client, or its "
          "machine, which keeps the token after a restart"),
      word<LockSpec>(
          "renew", {"none", "blind", "conditional"},
          [](auto& lock) -> auto& { return lock.options.renew; },
          "how a holder renews its lease: not at all, by PEXPIRE without a check of the owner, or "
          "by a script that compares the token"),
      duration<LockSpec>(
          "renew_every", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.renew_every; },
          "time between two renewals; 0s: a third of `ttl`"),
      word<LockSpec>(
          "recognise_own", {"never", "after-unknown", "always"},
          [](auto& lock) -> auto& { return lock.options.recognise_own; },
          "when a refused client checks whether the key holds its own token: never, after an "
          "attempt without a reply, or always"),
      word<LockSpec>(
          "steal", {"del", "getset"}, [](auto& lock) -> auto& { return lock.options.steal; },
          "setnx-timestamp: how a key whose timestamp has passed is taken: by DEL and SETNX, or by "
          "GETSET"),
      integer<LockSpec>(
          "wait_replicas", 0, 99, [](auto& lock) -> auto& { return lock.options.wait_replicas; },
          "a grant counts only when this many replicas have acknowledged it (WAIT); otherwise the "
          "key is released"),
      duration<LockSpec>(
          "wait_timeout", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.wait_timeout; }, "timeout of WAIT"),
      word<LockSpec>(
          "check_at", {"primary", "replica"},
          [](auto& lock) -> auto& { return lock.options.check_at; },
          "which server a client asks whether it still holds the lock: the primary, or the first "
          "replica"),
      word<LockSpec>(
          "stops_at", {"never", "lost", "suspended"},
          [](auto& lock) -> auto& { return lock.options.stops_at; },
          "when a holder stops believing that it holds the lock: never, when its session is lost, "
          "or as soon as it has no connection"),
      word<LockSpec>(
          "freed_by", {"session", "coordinator"},
          [](auto& lock) -> auto& { return lock.options.freed_by; },
          "who frees the lock of a holder that is gone: the ensemble, when the session ends; or "
          "the process `coordinator`, which sees the session end"),
      word<LockSpec>(
          "fence_by", {"zxid", "sequence"},
          [](auto& lock) -> auto& { return lock.options.fence_by; },
          "what the fencing token is: the zxid that created the holder's znode, or the number in "
          "its name"),
      integer<LockSpec>(
          "lost_after_percent", 0, 1000,
          [](auto& lock) -> auto& { return lock.options.lost_after_percent; },
          "a client without a connection gives up its session after this percentage of the session "
          "timeout; 0: it waits until the server tells it"),
      boolean<LockSpec>(
          "retry_missing", [](auto& lock) -> auto& { return lock.options.retry_missing; },
          "whether a client that finds nothing left to watch tries again at once"),
      boolean<LockSpec>(
          "guaranteed_delete", [](auto& lock) -> auto& { return lock.options.guaranteed_delete; },
          "whether a znode that could not be deleted is deleted in the background"),
      word<LockSpec>(
          "if_locked", {"wait", "nowait", "skip"},
          [](auto& lock) -> auto& { return lock.options.if_locked; },
          "what an attempt does if another client has the row or name: wait for it, or give up at "
          "once (NOWAIT, SKIP LOCKED)"),
      word<LockSpec>(
          "ends_by", {"commit", "rollback"},
          [](auto& lock) -> auto& { return lock.options.ends_by; },
          "how a holder ends the transaction that holds its lock"),
      duration<LockSpec>(
          "connect_timeout", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.connect_timeout; },
          "timeout of a client for each MySQL server that it connects to"),
      boolean<LockSpec>(
          "reconnect", [](auto& lock) -> auto& { return lock.options.reconnect; },
          "whether the driver silently opens another session when one is lost"),
      boolean<LockSpec>(
          "pool_resets", [](auto& lock) -> auto& { return lock.options.pool_resets; },
          "whether the pool rolls back the open transaction of a connection that is returned to "
          "it"),
      boolean<LockSpec>(
          "db_time", [](auto& lock) -> auto& { return lock.options.db_time; },
          "whether the database's clock decides what has expired; otherwise the client's"),
      duration<LockSpec>(
          "hold_at_least", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.hold_at_least; },
          "lockAtLeastFor: a lock that is released sooner becomes free only after this time"),
      duration<LockSpec>(
          "lock_delay", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.lock_delay; },
          "lease-store-lock: for this time after a session has ended, the locks that it held are "
          "granted to nobody; it does not apply after a release"),
  };
  return keys;
}

}  // namespace picklock::scenarios
