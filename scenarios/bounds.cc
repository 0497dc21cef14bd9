#include "scenarios/bounds.h"

#include <algorithm>

#include "keys/duration_text.h"
#include "models/locks/algorithm.h"
#include "models/servers/kind.h"
#include "scenarios/setup.h"

namespace picklock::scenarios {

using keys::kLongest;
namespace {

Duration slowest(const Latency& latency) {
  return latency.tail_one_in > 0 ? std::max(latency.high, latency.tail_high) : latency.high;
}

servers::Bounds bounds_of_server(const Scenario& scenario, const LockSpec& lock) {
  return lock_server(scenario).bounds(scenario.servers, lock.options);
}

// The longest that one of the clients has.
template <typename Bound>
Duration longest(const Scenario& scenario, Bound bound) {
  if (scenario.unlike.empty()) return bound(scenario.clients, scenario.lock);
  Duration most{};
  for (const Setup& setup : setups(scenario))
    most = std::max(most, bound(setup.clients, setup.lock));
  return most;
}

std::optional<Duration> pause_of(const LockSpec& spec) {
  const models::Algorithm* const algorithm = find_algorithm(spec);
  const models::LockOptions& lock = spec.options;
  if (algorithm != nullptr && algorithm->pause != nullptr) return algorithm->pause(lock);
  return lock.retry_every + lock.retry_jitter;
}

}  // namespace

// The next attempt takes a free lock. An attempt is a connection and a few commands: the wait
// before it, the way there and back, the server's queue, and a garbage collection wherever one can
// occur.
Duration acquire_bound(const Scenario& scenario) {
  constexpr Duration kSlack = std::chrono::milliseconds(100);
  constexpr std::int64_t kCommands = 4;
  for (const Setup& setup : setups(scenario)) {
    if (!pause_of(setup.lock)) return {};
  }
  Duration way = slowest(scenario.network.latency);
  for (const Link& link : scenario.network.links) way = std::max(way, slowest(link.latency));
  return longest(scenario, [&](const ClientsSpec& clients, const LockSpec& spec) {
    const models::LockOptions& lock = spec.options;
    const servers::Bounds server = bounds_of_server(scenario, spec);
    const Duration queue =
        kCommands * server.service * static_cast<std::int64_t>(scenario.clients.count);
    const Duration standing = servers::longest_collection(clients.gc) + server.collection;
    const Duration wait = lock.wait_replicas > 0 ? lock.wait_timeout : Duration{};
    return *pause_of(spec) + 2 * (1 + kCommands) * way + queue + 2 * standing + wait + kSlack +
           server.before_attempt;
  });
}

Duration recovery_bound(const Scenario& scenario) {
  return longest(scenario, [&scenario](const ClientsSpec& clients, const LockSpec& lock) {
    models::LockOptions options = lock_options(scenario, clients, lock);
    options.ttl = longest_lease(clients, lock);
    return find_algorithm(lock)->bound(options) + bounds_of_server(scenario, lock).after_ttl;
  });
}

Duration patience(const Scenario& scenario) {
  const Duration replacing =
      longest(scenario, [&scenario](const ClientsSpec&, const LockSpec& lock) {
        const servers::Bounds server = bounds_of_server(scenario, lock);
        return server.replacing + server.after_faults;
      });
  // A lease of a century must not carry the horizon beyond what an instant can say.
  return 3 * std::min(recovery_bound(scenario) + replacing, kLongest / 4);
}

}  // namespace picklock::scenarios
