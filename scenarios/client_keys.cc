#include "scenarios/keys.h"

#include "scenarios/key_kinds.h"

namespace picklock::scenarios {

const Keys<ClientsSpec>& clients_keys() {
  static const Keys<ClientsSpec> keys = {
      integer<ClientsSpec>(
          "count", 1, 100'000, [](auto& clients) -> auto& { return clients.count; },
          "how many there are: client-1, client-2 and so on"),
      duration<ClientsSpec>(
          "arrive_every", Sign::not_negative,
          [](auto& clients) -> auto& { return clients.arrive_every; },
          "time between the arrivals of two clients; client-1 arrives at 0s"),
      duration<ClientsSpec>(
          "hold", Sign::not_negative, [](auto& clients) -> auto& { return clients.hold; },
          "length of the critical section when nothing disturbs it"),
      integer<ClientsSpec>(
          "writes", 0, 1'000'000, [](auto& clients) -> auto& { return clients.writes; },
          "writes to the resource in one critical section: one comes at its end, "
          "more are spread evenly from its start on"),
      integer<ClientsSpec>(
          "cycles", 1, 1'000'000, [](auto& clients) -> auto& { return clients.cycles; },
          "how often each client acquires, works and releases"),
      duration<ClientsSpec>(
          "think", Sign::not_negative, [](auto& clients) -> auto& { return clients.think; },
          "pause of a client between two cycles"),
      duration<ClientsSpec>(
          "write_timeout", Sign::positive,
          [](auto& clients) -> auto& { return clients.write_timeout; },
          "patience of a client with one write"),
      word<ClientsSpec>(
          "find_by", {"address", "sentinel"},
          [](auto& clients) -> auto& { return clients.find_by; },
          "how a client that has no connection finds the server that leads: at an address that the "
          "verb `fail-over` moves, or by asking Sentinels"),
      boolean<ClientsSpec>(
          "check_before_write", [](auto& clients) -> auto& { return clients.check_before_write; },
          "whether a holder looks before a write whether the lock is still its own, and does not "
          "write unless it is; not before one that it begins with"),
      boolean<ClientsSpec>(
          "nested", [](auto& clients) -> auto& { return clients.nested; },
          "whether a holder takes the same lock again at the start of its critical section, and "
          "gives that back at once"),
      word<ClientsSpec>(
          "progress", {"none", "set", "set-keepttl"},
          [](auto& clients) -> auto& { return clients.progress; },
          "whether a holder keeps its progress in the lock's own key, by SET or by SET KEEPTTL, "
          "once it has begun its work"),
      table<ClientsSpec>(
          "gc", gc_keys(), [](auto& clients) -> auto& { return clients.gc; },
          "Stop-the-world pauses of the clients."),
  };
  return keys;
}

}  // namespace picklock::scenarios
