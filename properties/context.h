// The facts that a judge needs besides the history: the shape of the lock service and the bounds
// that the algorithm declares. They are the same for every run of a scenario.
#pragma once

#include <cstdint>
#include <vector>

#include "history/history.h"

namespace picklock::properties {

using sim::Duration;
using sim::Instant;

// The servers and the quorum of one client, where clients differ.
struct Share {
  std::uint32_t quorum = 1;   // servers whose entries make a grant to it
  std::uint32_t servers = 1;  // how many groups it uses
  std::vector<bool> uses{};   // by the number of the group
};

struct Context {
  history::KeyId lock_key = 0;  // the key whose entries are the lock, where events do not name one
  std::uint32_t quorum = 1;     // servers whose entries make a grant: 1 for a single server
  std::uint32_t servers = 1;    // how many groups; processes [first_server, +servers) lead at first
  // Processes below it are clients: an entry on one of them is a mutex inside that client, which
  // blocks its own threads and nobody else. 0: no process is known to be a client.
  sim::ProcessId first_server = 0;
  // The group of each process, if servers have replicas. Entries on servers of one group are copies
  // and count once. Empty: every server is alone.
  std::vector<std::uint32_t> group_of{};
  Duration acquire_bound{};  // within this, an acquire succeeds once its documented condition
                             // holds; 0: none
  // A client that awaits an answer which a fault has taken asks again within this, beyond the time
  // that `acquire_bound` leaves for it.
  Duration answer_within{};
  // How long the run waits for its horizon after the last disturbance; 0: not judged.
  Duration patience{};
  // A waiter that sleeps while the lock is free wakes within this; 0: it need not.
  Duration wakeup_bound{};
  std::uint32_t wakeups = 1;     // how many waiters one release or loss may wake
  std::uint32_t overtakes = 16;  // how often a waiter may be overtaken
  // By client; empty: `quorum` of all `servers` make a grant to every client.
  std::vector<Share> shares{};

  std::uint32_t quorum_of(sim::ProcessId client) const {
    return shares.empty() ? quorum : shares[client].quorum;
  }
  std::uint32_t servers_of(sim::ProcessId client) const {
    return shares.empty() ? servers : shares[client].servers;
  }
  // `group`: its number, counted from 0 for that of `first_server`.
  bool uses(sim::ProcessId client, std::uint32_t group) const {
    return shares.empty() || (group < shares[client].uses.size() && shares[client].uses[group]);
  }
  std::uint32_t group_number(sim::ProcessId server) const {
    return server < group_of.size() ? group_of[server] : server - first_server;
  }
};

}  // namespace picklock::properties
