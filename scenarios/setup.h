// The setup of one client: what it does and with which lock. It has the values of [clients] and
// [lock], with the client's own in their place (`[[client]]`).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/scenario.h"

namespace picklock::scenarios {

struct Setup {
  ClientsSpec clients;
  LockSpec lock;
  std::optional<Duration> arrives_at{};
};

// For every client that does not differ.
Setup common_setup(const Scenario& scenario);
Setup setup_of(const Scenario& scenario, const OneClient& one);

// The setups that clients have: the common one first, unless every client differs.
std::vector<Setup> setups(const Scenario& scenario);

// The number of the client in its name, counted from 0. Requires that its name is one of a client.
std::uint32_t index_of(const OneClient& one);
// nullptr: the client of this number does not differ.
const OneClient* unlike(const Scenario& scenario, std::uint32_t index);

// The options of the lock and those that the rest of the scenario requires.
models::LockOptions lock_options(const Scenario& scenario, const ClientsSpec& clients,
                                 const LockSpec& lock);
inline models::LockOptions lock_options(const Scenario& scenario, const Setup& setup) {
  return lock_options(scenario, setup.clients, setup.lock);
}

// How many servers have entries of this client, and how many of them make a grant.
std::uint32_t servers_of(const Scenario& scenario, const ClientsSpec& clients);
std::uint32_t quorum_of(const Scenario& scenario, const ClientsSpec& clients, const LockSpec& lock);
inline std::uint32_t quorum_of(const Scenario& scenario, const Setup& setup) {
  return quorum_of(scenario, setup.clients, setup.lock);
}

// The keys of its locks, in the order in which it acquires them.
std::vector<std::string> keys_of(const Setup& setup);
// For all clients, in the order in which they name them. These are the first keys of a history.
std::vector<std::string> lock_keys(const Scenario& scenario);

// For its acquires.
Duration shortest_lease(const Setup& setup);
Duration longest_lease(const ClientsSpec& clients, const LockSpec& lock);

// Whether all clients have the same lock on the same servers. A lock promises nothing to clients
// that mix it with another one.
bool share_one_lock(const Scenario& scenario);

}  // namespace picklock::scenarios
