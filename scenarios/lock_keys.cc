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
      word<LockSpec>(
          "value", {"acquisition", "client"},
          [](auto& lock) -> auto& { return lock.options.value; },
          "what an owner token is made for: one acquisition, or the client's whole life"),
  };
  return keys;
}

}  // namespace picklock::scenarios
