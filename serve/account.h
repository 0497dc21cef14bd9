// Turns the history of a deployment into a run in which each client outside is a process with
// tenures of its own. So the judges and the reports take it as they take any run.
//
// Clients with one name are one client; a connection without a name is a client by itself. A client
// begins a tenure when it creates the entry of a lock while it has none left of the tenure before.
// A key is a lock's if some request takes it only if nobody has it, or if the scenario names it.
// Its accesses to the resource belong to the tenure that was granted to it last.
#pragma once

#include <string>
#include <vector>

#include "scenarios/program_locks.h"
#include "scenarios/run.h"
#include "serve/deployment.h"

namespace picklock::serve {

// The properties that can be judged from outside: what a client believes is not seen there.
inline constexpr auto& kJudged = scenarios::kJudgedOutside;

// An entry that is there now.
struct Held {
  std::string key;
  std::string server;
  std::string client;  // that owns it
  bool there = false;  // whether the client is still connected
  sim::Instant until = sim::kNever;
};

// A release that woke several clients, or one of whose messages was lost.
struct Wakeups {
  std::string key;
  std::string server;
  std::string client;  // that has released
  sim::Instant at{};
  std::vector<std::string> woken;  // others
  std::uint32_t lost = 0;          // messages that have reached no client
};

struct LateRenewal {
  std::string key;
  std::string client;
  sim::Instant at{};
  sim::Instant released{};
};

struct Account {
  bool idle = false;                    // no client has sent anything, and no fault has struck
  scenarios::Outcome outcome;           // its run is judged by the properties above, and no other
  std::vector<std::string> other_keys;  // keys that clients have changed and that are no lock's
  std::vector<Held> held;
  std::vector<Wakeups> wakeups;
  std::vector<LateRenewal> late_renewals;
};

// Requires that the run is traced.
Account account_of(Deployment& deployment);

}  // namespace picklock::serve
