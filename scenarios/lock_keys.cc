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
      duration<LockSpec>(
          "ttl", Sign::positive, [](auto& lock) -> auto& { return lock.options.ttl; },
          "length of a lease, counted on the server's clock"),
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
      duration<LockSpec>(
          "command_timeout", Sign::positive,
          [](auto& lock) -> auto& { return lock.options.command_timeout; },
          "patience of a client with one command"),
      integer<LockSpec>(
          "resend", 0, 1000, [](auto& lock) -> auto& { return lock.options.resend; },
          "how often the client layer sends a command again that got no answer"),
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
      duration<LockSpec>(
          "lock_delay", Sign::not_negative,
          [](auto& lock) -> auto& { return lock.options.lock_delay; },
          "of a lock on a lease store: for so long after a session has ended, what it held is "
          "granted to nobody; a release bypasses it"),
  };
  return keys;
}

}  // namespace picklock::scenarios
