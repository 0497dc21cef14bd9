#include "scenarios/bounds.h"

#include <algorithm>

#include "keys/duration_text.h"
#include "models/locks/algorithm.h"
#include "models/servers/kind.h"

namespace picklock::scenarios {

using keys::kLongest;
namespace {

Duration slowest(const Latency& latency) {
  return latency.tail_one_in > 0 ? std::max(latency.high, latency.tail_high) : latency.high;
}

servers::Bounds bounds_of_server(const Scenario& scenario) {
  return lock_server(scenario).bounds(scenario.servers, scenario.lock.options);
}

std::optional<Duration> pause_of(const Scenario& scenario) {
  const models::Algorithm* const algorithm = find_algorithm(scenario);
  const models::LockOptions& lock = scenario.lock.options;
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
  const std::optional<Duration> pause = pause_of(scenario);
  if (!pause) return {};
  Duration way = slowest(scenario.network.latency);
  for (const Link& link : scenario.network.links) way = std::max(way, slowest(link.latency));
  const models::LockOptions& lock = scenario.lock.options;
  const servers::Bounds server = bounds_of_server(scenario);
  const Duration queue =
      kCommands * server.service * static_cast<std::int64_t>(scenario.clients.count);
  const Duration standing = servers::longest_collection(scenario.clients.gc) + server.collection;
  const Duration wait = lock.wait_replicas > 0 ? lock.wait_timeout : Duration{};
  return *pause + 2 * (1 + kCommands) * way + queue + 2 * standing + wait + kSlack +
         server.before_attempt;
}

Duration recovery_bound(const Scenario& scenario) {
  return find_algorithm(scenario)->bound(lock_options(scenario)) +
         bounds_of_server(scenario).after_ttl;
}

Duration patience(const Scenario& scenario) {
  const servers::Bounds server = bounds_of_server(scenario);
  // A lease of a century must not carry the horizon beyond what an instant can say.
  return 3 *
         std::min(recovery_bound(scenario) + server.replacing + server.after_faults, kLongest / 4);
}

}  // namespace picklock::scenarios
