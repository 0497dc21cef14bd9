#include "scenarios/bounds.h"

#include <algorithm>

#include "keys/duration_text.h"
#include "models/locks/algorithm.h"
#include "models/servers/kind.h"
#include "scenarios/setup.h"
#include "scenarios/topology.h"

namespace picklock::scenarios {

using keys::kLongest;

Duration slowest(const Latency& latency) {
  return latency.tail_one_in > 0 ? std::max(latency.high, latency.tail_high) : latency.high;
}

namespace {

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
// occur. In the queue are also the commands that load a script or renew a lease or a place.
Duration acquire_bound(const Scenario& scenario) {
  constexpr Duration kSlack = std::chrono::milliseconds(100);
  constexpr std::int64_t kCommands = 4;
  constexpr std::int64_t kQueued = 2 * kCommands;
  for (const Setup& setup : setups(scenario)) {
    if (!pause_of(setup.lock)) return {};
  }
  Duration way = slowest(scenario.network.latency);
  for (const Link& link : scenario.network.links) way = std::max(way, slowest(link.latency));
  return longest(scenario, [&](const ClientsSpec& clients, const LockSpec& spec) {
    const models::LockOptions& lock = spec.options;
    const servers::Bounds server = bounds_of_server(scenario, spec);
    const Duration queue =
        kQueued * server.service * static_cast<std::int64_t>(scenario.clients.count);
    const Duration standing = servers::longest_collection(clients.gc) + server.collection;
    const Duration wait = lock.wait_replicas > 0 ? lock.wait_timeout : Duration{};
    // A lock on several servers waits for one that does not answer, and again when it undoes the
    // attempt.
    const bool several = servers_of(scenario, clients) > 1;
    const Duration silent =
        several ? 2 * std::min(lock.command_timeout, kLongest / 16) : Duration{};
    return silent + *pause_of(spec) + 2 * (1 + kCommands) * way + queue + 2 * standing + wait +
           kSlack + server.before_attempt;
  });
}

Duration lost_answer_bound(const Scenario& scenario) {
  static constexpr Duration kMost = kLongest / 8;
  return longest(scenario, [&scenario](const ClientsSpec&, const LockSpec& spec) {
    const models::LockOptions& lock = spec.options;
    const Duration resend = std::max(lock.resend_delay, lock.resend_delay_most);
    const Duration pause = lock.resend == 0 ? Duration{} : std::min(resend, kMost);
    const Duration included = bounds_of_server(scenario, spec).before_attempt;
    return std::max(std::min(lock.command_timeout, kMost) + pause - included, Duration{});
  });
}

Duration recovery_bound(const Scenario& scenario) {
  return longest(scenario, [&scenario](const ClientsSpec& clients, const LockSpec& lock) {
    models::LockOptions options = lock_options(scenario, clients, lock);
    options.ttl = longest_lease(clients, lock);
    return find_algorithm(lock)->bound(options) + bounds_of_server(scenario, lock).after_ttl;
  });
}

namespace {

// A lease of a century must not carry the horizon beyond what an instant can say.
template <typename OfServer>
Duration three_recoveries(const Scenario& scenario, OfServer of_server) {
  const Duration more = longest(scenario, [&](const ClientsSpec&, const LockSpec& lock) {
    return of_server(bounds_of_server(scenario, lock));
  });
  return 3 * std::min(recovery_bound(scenario) + more, kLongest / 4);
}

}  // namespace

Duration patience(const Scenario& scenario) {
  return three_recoveries(scenario, [](const servers::Bounds& server) {
    return server.replacing + server.after_faults;
  });
}

Duration patience_of_clients(const Scenario& scenario) {
  return three_recoveries(scenario, [](const servers::Bounds& server) { return server.replacing; });
}

namespace {

bool goes(const Link& link, std::string_view from, std::string_view to) {
  const auto may_be = [](std::string_view name, const std::string& end) {
    return name.empty() || name == end;
  };
  return (may_be(from, link.from) && may_be(to, link.to)) ||
         (link.both && may_be(from, link.to) && may_be(to, link.from));
}

// The last one that is listed for the link counts.
const Latency& latency_of(const Network& network, std::string_view from, std::string_view to) {
  const Latency* latency = &network.latency;
  for (const Link& link : network.links) {
    if (goes(link, from, to)) latency = &link.latency;
  }
  return *latency;
}

}  // namespace

bool has_bounds(const Network& network) {
  const auto has = [](const Latency& latency) { return slowest(latency) > latency.low; };
  return has(network.latency) || std::any_of(network.links.begin(), network.links.end(),
                                             [&](const Link& link) { return has(link.latency); });
}

Duration order_slack(const Network& network, std::string_view from, std::string_view to) {
  if (network.order != Order::any) return {};
  const auto slack = [](const Latency& latency) { return slowest(latency) - latency.low; };
  if (!from.empty() && !to.empty()) return slack(latency_of(network, from, to));
  Duration least = slack(network.latency);
  for (const Link& link : network.links) {
    if (goes(link, from, to)) least = std::min(least, slack(link.latency));
  }
  return least;
}

Duration order_slack(const Scenario& scenario, const sim::Fault& fault) {
  const sim::Trigger& step = fault.trigger;
  if (step.is_message()) return order_slack(scenario.network, fault.target, step.on);
  const ProcessKind* const target = kind_named(scenario, fault.target);
  const bool of_client = target != nullptr && target->takes_steps;
  const std::string& client = step.by.empty() && of_client ? fault.target : step.by;
  const std::string& server = step.on.empty() && !of_client ? fault.target : step.on;
  return step.phase == sim::Phase::sent ? order_slack(scenario.network, client, server)
                                        : order_slack(scenario.network, server, client);
}

Duration least_latency(const Network& network, std::string_view from, std::string_view to) {
  return latency_of(network, from, to).low;
}

namespace {

bool is_of_resource(const std::string& process) { return process.starts_with("resource"); }

// The slowest way between a client and the resource, or between a client and the other servers.
Duration slowest_way(const Network& network, bool to_resource) {
  Duration way = slowest(network.latency);
  for (const Link& link : network.links) {
    const bool from_client = link.from.starts_with("client-");
    const std::string& server = from_client ? link.to : link.from;
    if ((from_client || link.to.starts_with("client-")) && is_of_resource(server) == to_resource)
      way = std::max(way, slowest(link.latency));
  }
  return way;
}

// One command of each thread may be ahead in the queue of a server.
Duration queue_of(const Scenario& scenario, const Setup& setup, Duration service) {
  constexpr std::int64_t kMostThreads = 4'000;
  return std::int64_t{scenario.clients.count} * setup.clients.threads *
         std::min(service, kLongest / (4 * kMostThreads));
}

Duration answer_within(const Scenario& scenario, const Setup& setup) {
  const models::Algorithm* const algorithm = find_algorithm(setup.lock);
  const Duration of_client = bounds_of_server(scenario, setup.lock).answer_within;
  const bool limits = algorithm != nullptr && algorithm->round_trip != nullptr;
  if (!limits || of_client == Duration::zero()) return of_client;
  return std::min(of_client, algorithm->round_trip(setup.lock.options));
}

}  // namespace

FaultClasses late_without_faults(const Scenario& scenario) {
  const Duration command = 2 * slowest_way(scenario.network, false);
  const Duration write = 2 * slowest_way(scenario.network, true);
  FaultClasses late;
  for (const Setup& setup : setups(scenario)) {
    const auto queue = [&](Duration service) { return queue_of(scenario, setup, service); };
    const Duration patience = answer_within(scenario, setup);
    const Duration service = bounds_of_server(scenario, setup.lock).service;
    if (patience != Duration::zero() && command + queue(service) >= patience)
      late.add(FaultClass::late_command);
    if (write + queue(scenario.servers.resource.service) >= setup.clients.write_timeout)
      late.add(FaultClass::late_write);
  }
  return late;
}

}  // namespace picklock::scenarios
