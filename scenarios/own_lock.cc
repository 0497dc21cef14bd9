#include "scenarios/own_lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "keys/bad_input.h"
#include "models/locks/catalogue.h"
#include "models/locks/configured_lock.h"
#include "models/locks/promises.h"
#include "models/servers/kind.h"

namespace picklock {
namespace {

void remove_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
}

}  // namespace

namespace detail {

LockSettings settings(const models::LockOptions& options) { return models::settings_of(options); }

// The signature is "... [with LockType = {anonymous}::MyLock; ...]" (g++) or "... [LockType =
// (anonymous namespace)::MyLock]" (clang++).
std::string type_in(std::string_view signature) {
  constexpr std::string_view kLead = "LockType = ";
  const std::size_t begin = signature.find(kLead) + kLead.size();
  const std::size_t end = std::min(signature.find_first_of(";]", begin), signature.size());
  std::string name(signature.substr(begin, end - begin));
  remove_all(name, "{anonymous}::");
  remove_all(name, "(anonymous namespace)::");
  return name;
}

}  // namespace detail

}  // namespace picklock

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;

// As for the lock with which an own lock on several servers is compared.
std::uint32_t most(std::uint32_t servers, const models::LockOptions&) { return servers / 2 + 1; }

template <bool kLossless>
std::vector<Promise> of_a_careful_lease(const models::LockOptions& options) {
  return models::locks::within_leases(options, kLossless);
}

// Those of LockSettings and of the client layer, and those that say what the lock is like.
models::locks::OptionKeys keys_of_own(const servers::Kind& server) {
  using namespace models::locks;
  const OptionKeys keys = joined({client_keys(), lease_keys(), polling_keys(), token_keys()});
  return server.library_keys == nullptr ? keys : joined({keys, server.library_keys()});
}

}  // namespace

const models::Algorithm& algorithm_of(const OwnLock& own) {
  static std::map<const OwnLock*, models::Algorithm> algorithms;
  const auto known = algorithms.find(&own);
  if (known != algorithms.end()) return known->second;
  if (models::locks::named(own.name) != nullptr)
    throw BadInput(fmt::format("{}: a shipped lock has this name; rename the class", own.name));
  const servers::Kind& server = servers::kind_of(own.server);
  return algorithms[&own] = {
             .name = own.name,
             .summary = "a user's own lock",
             .source = "a test",
             .roles = {Role::acquire, Role::renew, Role::check, Role::release, Role::subscribe,
                       Role::watch},
             .marks = {},
             .uses = {.check = own.holder_check,
                      .mint = true,
                      .shared = own.shared,
                      .servers = true,
                      .database = own.database_write,
                      .force = own.forced_release,
                      .server = own.server},
             .keys = keys_of_own(server),
             .promises = own.promises != nullptr   ? own.promises
                         : server.lossless.empty() ? of_a_careful_lease<false>
                                                   : of_a_careful_lease<true>,
             .says_promises = own.promises != nullptr,
             .bound = own.bound != nullptr ? own.bound : models::locks::lease_and_one_attempt,
             .pause = own.pause,
             .quorum = own.quorum != nullptr ? own.quorum : most,
             .make = own.make};
}

std::string_view best_of_kind(const Scenario& scenario, bool renews) {
  const servers::Kind& server = lock_server(scenario);
  if (primaries(scenario) > 1) return server.best_quorum_lock;
  return renews && !server.best_renewing_lock.empty() ? server.best_renewing_lock
                                                      : server.best_lock;
}

Scenario contended(const OwnLock& lock, const Contention& contention) {
  const models::Algorithm& own = algorithm_of(lock);
  Scenario scenario;
  scenario.name = own.name;
  scenario.lock.algorithm = own.name;
  scenario.lock.own = &own;
  scenario.lock.options = scenario.lock.preset = models::as_it_comes(own);
  scenario.lock.options.ttl = contention.ttl;
  scenario.clients.count = contention.clients;
  scenario.clients.hold = contention.hold;
  scenario.clients.cycles = contention.cycles;
  scenario.clients.threads = contention.threads;
  scenario.clients.keys = contention.keys;
  scenario.lock.options.connections = contention.connections;
  scenario.clients.think = 1s;
  const servers::Kind& server = lock_server(scenario);
  if (server.add_replicas == nullptr || contention.servers > 1) return scenario;
  // With this latency, a client knows of its grant before the replica has it.
  for (const auto& [primary, replica] : server.add_replicas(scenario.servers))
    scenario.network.links.push_back(
        {.from = primary, .to = replica, .latency = {.low = 2ms, .high = 2ms}});
  return scenario;
}

std::vector<Change> further_keys(const OwnLock& lock, const Contention& contention) {
  std::vector<Change> all;
  if (!lock.value.empty()) all.push_back({.path = "lock.value", .value = std::string(lock.value)});
  if (contention.servers == 1) return all;
  const servers::Kind& server = servers::kind_of(lock.server);
  if (server.primaries_key.empty()) {
    throw BadInput(fmt::format("Contention::servers: must be 1 for {}: its entries on {} are one",
                               lock.name, server.title));
  }
  all.push_back({.path = fmt::format("servers.{}.{}", server.server.key, server.primaries_key),
                 .value = std::to_string(contention.servers)});
  return all;
}

}  // namespace picklock::scenarios
