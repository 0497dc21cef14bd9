#include "scenarios/keys.h"

#include "scenarios/key_kinds.h"

namespace picklock::scenarios {

const Keys<LockSpec>& lock_keys() {
  static const Keys<LockSpec> keys = {
      text<LockSpec>(
          "algorithm", [](auto& lock) -> auto& { return lock.algorithm; },
          "the lock: a name of `picklock list algorithms`; must be given"),
      text<LockSpec>(
          "key", [](auto& lock) -> auto& { return lock.key; }, "the key that every client wants"),
      text<LockSpec>(
          "acquire_script", [](auto& lock) -> auto& { return lock.scripts.acquire; },
          "a file of Lua, its path relative to this one, in place of the script that takes the "
          "lock, with the same keys, arguments and answers"),
      text<LockSpec>(
          "release_script", [](auto& lock) -> auto& { return lock.scripts.release; },
          "the same for the script that gives it back"),
      text<LockSpec>(
          "renew_script", [](auto& lock) -> auto& { return lock.scripts.renew; },
          "the same for the script that renews it"),
      duration<LockSpec>(
          "ttl", Sign::not_negative, [](auto& lock) -> auto& { return lock.options.ttl; },
          "length of a lease, counted on the server's clock; 0s, where a lock knows leases without "
          "end: for ever. On ZooKeeper, the session time-out that is asked for"),
      duration<LockSpec>(
          "retry_every", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.retry_every; },
          "wait of a refused client before it tries again"),
      duration<LockSpec>(
          "retry_jitter", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.retry_jitter; },
          "adds up to this much to every such wait, drawn at random"),
      duration<LockSpec>(
          "acquire_timeout", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.acquire_timeout; },
          "a client gives up after this; 0s: it tries for ever"),
      integer<LockSpec>(
          "attempts", 0, 1'000'000, [](auto& lock) -> auto& { return lock.options.attempts; },
          "a client gives up after so many attempts; 0: they do not count"),
      duration<LockSpec>(
          "command_timeout", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.command_timeout; },
          "patience of a client with one command"),
      integer<LockSpec>(
          "resend", 0, 1000, [](auto& lock) -> auto& { return lock.options.resend; },
          "how often the client layer sends a command again that got no answer"),
      duration<LockSpec>(
          "resend_delay", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.resend_delay; },
          "pause before that, of which half is drawn at random, doubled from time to time"),
      duration<LockSpec>(
          "resend_delay_most", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.resend_delay_most; },
          "what it is doubled up to"),
      integer<LockSpec>(
          "connections", 1, 1000, [](auto& lock) -> auto& { return lock.options.connections; },
          "of a client to one server: 1, which its threads share, or a pool of which each command "
          "has one for itself"),
      boolean<LockSpec>(
          "keep_timed_out", [](auto& lock) -> auto& { return lock.options.keep_timed_out; },
          "whether a connection on which a command has timed out stays in use"),
      duration<LockSpec>(
          "resubscribe_every", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.resubscribe_every; },
          "pause before a client dials anew the lost connection on which it hears messages"),
      word<LockSpec>(
          "clock", {"monotonic", "wall"}, [](auto& lock) -> auto& { return lock.options.clock; },
          "by which of its clocks a client counts validity, its deadline and its own patience"),
      boolean<LockSpec>(
          "deadline", [](auto& lock) -> auto& { return lock.options.deadline; },
          "whether a holder stops at the instant at which its lease must have run out"),
      boolean<LockSpec>(
          "tell_loss", [](auto& lock) -> auto& { return lock.options.tell_loss; },
          "whether a renewal that finds the lock gone tells the holder"),
      word<LockSpec>(
          "local_mutex", {"none", "kept-on-error", "freed"},
          [](auto& lock) -> auto& { return lock.options.local_mutex; },
          "a mutex of the process in front of the lock: none, one that stays locked where the "
          "release fails, or one that is freed in any case"),
      boolean<LockSpec>(
          "resend_scripts", [](auto& lock) -> auto& { return lock.options.resend_scripts; },
          "whether `resend` goes for the scripts that take and give back the lock after a "
          "time-out"),
      boolean<LockSpec>(
          "timer_per_lock", [](auto& lock) -> auto& { return lock.options.timer_per_lock; },
          "whether each lock has a timer for its renewals, or all of a client have one"),
      boolean<LockSpec>(
          "renew_after_error", [](auto& lock) -> auto& { return lock.options.renew_after_error; },
          "whether renewals go on after one that got no answer"),
      boolean<LockSpec>(
          "unlock_latch", [](auto& lock) -> auto& { return lock.options.unlock_latch; },
          "whether a release leaves its answer on the server for the same release sent again"),
      boolean<LockSpec>(
          "try_after_subscribing",
          [](auto& lock) -> auto& { return lock.options.try_after_subscribing; },
          "whether a client tries once more when it hears the channel, before it waits"),
      duration<LockSpec>(
          "wait_at_most", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.wait_at_most; },
          "how long a client waits for one message; 0s: as long as the lease it has seen"),
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
          "of how many servers a grant is made; 0: more than half, or all, as the lock has it"),
      word<LockSpec>(
          "validity", {"after-answers", "before-answers", "never"},
          [](auto& lock) -> auto& { return lock.options.validity; },
          "when a client reads its clock to see whether enough of the lease is left"),
      integer<LockSpec>(
          "drift_ppm", 0, 1'000'000, [](auto& lock) -> auto& { return lock.options.drift_ppm; },
          "millionths of the lease that are taken off its validity"),
      duration<LockSpec>(
          "drift_extra", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.drift_extra; },
          "what is taken off besides"),
      word<LockSpec>(
          "asks", {"together", "in-turn"}, [](auto& lock) -> auto& { return lock.options.asks; },
          "whether a client asks several servers at once or one after the other"),
      word<LockSpec>(
          "hears", {"all", "majority"}, [](auto& lock) -> auto& { return lock.options.hears; },
          "whether it waits for all answers or for as many as decide"),
      word<LockSpec>(
          "speaks", {"set", "scripts", "script-names"},
          [](auto& lock) -> auto& { return lock.options.speaks; },
          "how a lock on several servers takes its key: by SET, by a script sent whole, or by one "
          "that is named"),
      word<LockSpec>(
          "undo_at", {"all", "granted"}, [](auto& lock) -> auto& { return lock.options.undo_at; },
          "which servers are told to forget an attempt that failed"),
      word<LockSpec>(
          "undo_after", {"each-attempt", "last-attempt"},
          [](auto& lock) -> auto& { return lock.options.undo_after; },
          "after which attempts that failed they are told"),
      word<LockSpec>(
          "extends", {"by-asking", "as-acquired"},
          [](auto& lock) -> auto& { return lock.options.extends; },
          "whether a lock on several servers is extended whatever the clock says, or by one more "
          "attempt to acquire it: within the lease only, and undone where it fails"),
      boolean<LockSpec>(
          "extend_missing", [](auto& lock) -> auto& { return lock.options.extend_missing; },
          "whether a renewal sets a key anew that is gone"),
      word<LockSpec>(
          "value", {"acquisition", "client", "machine"},
          [](auto& lock) -> auto& { return lock.options.value; },
          "what an owner token is made for: one acquisition, one start of the client, or its "
          "machine, the same again after a restart"),
      word<LockSpec>(
          "renew", {"none", "blind", "conditional"},
          [](auto& lock) -> auto& { return lock.options.renew; },
          "how a holder extends its lease: not at all, by PEXPIRE whoever holds the key, or by a "
          "script that compares the token"),
      duration<LockSpec>(
          "renew_every", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.renew_every; },
          "time between two renewals; 0s: a third of `ttl`"),
      word<LockSpec>(
          "recognise_own", {"never", "after-unknown", "always"},
          [](auto& lock) -> auto& { return lock.options.recognise_own; },
          "when a refused client looks whether the key holds its own token: never, once an attempt "
          "had no answer, or always"),
      word<LockSpec>(
          "steal", {"del", "getset"}, [](auto& lock) -> auto& { return lock.options.steal; },
          "setnx-timestamp: how a key is taken whose timestamp has passed, by DEL and SETNX or by "
          "GETSET"),
      integer<LockSpec>(
          "wait_replicas", 0, 99, [](auto& lock) -> auto& { return lock.options.wait_replicas; },
          "a key that was taken counts once so many replicas have it (WAIT); else it is given "
          "back"),
      duration<LockSpec>(
          "wait_timeout", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.wait_timeout; },
          "how long WAIT waits for them"),
      word<LockSpec>(
          "check_at", {"primary", "replica"},
          [](auto& lock) -> auto& { return lock.options.check_at; },
          "which server is asked whether the lock is still its client's own: the one that leads, "
          "or the first replica"),
      word<LockSpec>(
          "stops_at", {"never", "lost", "suspended"},
          [](auto& lock) -> auto& { return lock.options.stops_at; },
          "when a holder stops believing: never, when its session is lost, or as soon as it has no "
          "connection"),
      word<LockSpec>(
          "freed_by", {"session", "coordinator"},
          [](auto& lock) -> auto& { return lock.options.freed_by; },
          "who frees the lock of a holder that is gone: the ensemble, with its session; or a "
          "process `coordinator` that sees its session end"),
      word<LockSpec>(
          "fence_by", {"zxid", "sequence"},
          [](auto& lock) -> auto& { return lock.options.fence_by; },
          "what the fencing token is: the zxid that created the holder's znode, or the number in "
          "its name"),
      integer<LockSpec>(
          "lost_after_percent", 0, 1000,
          [](auto& lock) -> auto& { return lock.options.lost_after_percent; },
          "a client gives its session up by itself after this much of its time-out without "
          "connection; 0: it waits for the server's word"),
      boolean<LockSpec>(
          "retry_missing", [](auto& lock) -> auto& { return lock.options.retry_missing; },
          "whether a client that finds nothing left to watch tries again at once"),
      boolean<LockSpec>(
          "guaranteed_delete", [](auto& lock) -> auto& { return lock.options.guaranteed_delete; },
          "whether a znode that could not be deleted is deleted in the background"),
      word<LockSpec>(
          "if_locked", {"wait", "nowait", "skip"},
          [](auto& lock) -> auto& { return lock.options.if_locked; },
          "what an attempt does that finds the row or the name another's: wait for it, or give up "
          "at once (NOWAIT, SKIP LOCKED)"),
      word<LockSpec>(
          "ends_by", {"commit", "rollback"},
          [](auto& lock) -> auto& { return lock.options.ends_by; },
          "how a holder ends the transaction that is its lock"),
      duration<LockSpec>(
          "connect_timeout", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.connect_timeout; },
          "patience of a client that dials a MySQL server, with each of several"),
      boolean<LockSpec>(
          "reconnect", [](auto& lock) -> auto& { return lock.options.reconnect; },
          "whether the driver goes on silently with another session where one was lost"),
      boolean<LockSpec>(
          "pool_resets", [](auto& lock) -> auto& { return lock.options.pool_resets; },
          "whether the pool rolls back what is open on a connection that it gets back"),
      boolean<LockSpec>(
          "db_time", [](auto& lock) -> auto& { return lock.options.db_time; },
          "whether the database's clock decides what is over, not the client's"),
      duration<LockSpec>(
          "hold_at_least", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.hold_at_least; },
          "lockAtLeastFor: what is given back sooner is free only after so long"),
      duration<LockSpec>(
          "lock_delay", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.lock_delay; },
          "of a lock on a lease store: for so long after a session has ended, what it held is "
          "granted to nobody; a release bypasses it"),
  };
  return keys;
}

}  // namespace picklock::scenarios
