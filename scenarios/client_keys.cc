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
          "how often each thread acquires, works and releases"),
      integer<ClientsSpec>(
          "threads", 1, 1000, [](auto& clients) -> auto& { return clients.threads; },
          "threads of each client that ask for the lock"),
      duration<ClientsSpec>(
          "threads_arrive_every", Sign::not_negative,
          [](auto& clients) -> auto& { return clients.threads_arrive_every; },
          "time between the arrivals of two threads of a client"),
      integer<ClientsSpec>(
          "operators", 0, 100, [](auto& clients) -> auto& { return clients.operators; },
          "so many clients, the last ones, take the lock from its holder when they arrive, and do "
          "nothing else"),
      word<ClientsSpec>(
          "force", {"unconditional", "conditional"},
          [](auto& clients) -> auto& { return clients.force; },
          "whether an operator does so whoever holds it by then, or only to whom he saw"),
      word<ClientsSpec>(
          "server_order", {"same", "alternating"},
          [](auto& clients) -> auto& { return clients.server_order; },
          "whether all clients go through several servers in one order, or every second one "
          "backwards"),
      duration<ClientsSpec>(
          "scan_every", Sign::not_negative,
          [](auto& clients) -> auto& { return clients.scan_every; },
          "how often a client asks which server leads; 0s: only when it dials"),
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
      duration<ClientsSpec>(
          "nested_after", Sign::not_negative,
          [](auto& clients) -> auto& { return clients.nested_after; },
          "so long after the start of its critical section"),
      word<ClientsSpec>(
          "progress", {"none", "set", "set-keepttl"},
          [](auto& clients) -> auto& { return clients.progress; },
          "whether a holder keeps its progress in the lock's own key, by SET or by SET KEEPTTL, "
          "once it has begun its work"),
      word<ClientsSpec>(
          "effect", {"resource", "database"}, [](auto& clients) -> auto& { return clients.effect; },
          "what a holder writes to: a resource of its own, or a row of the lock's own database, on "
          "the session that has the lock"),
      table<ClientsSpec>(
          "gc", gc_keys(), [](auto& clients) -> auto& { return clients.gc; },
          "Stop-the-world pauses of the clients."),
  };
  return keys;
}

}  // namespace picklock::scenarios
