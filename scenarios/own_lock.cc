#include "scenarios/own_lock.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "models/locks/catalogue.h"

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;

void remove_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
}

std::vector<Promise> of_a_careful_lease(const models::LockOptions& options) {
  using namespace models::locks;
  return leased(options, GivesBack::its_own, while_leases_end(options));
}

}  // namespace

namespace own_lock {

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

models::Algorithm algorithm(std::string_view name) {
  if (models::locks::named(name) != nullptr)
    throw std::invalid_argument("a shipped lock has this name: " + std::string(name));
  return {.name = name,
          .summary = "a user's own lock",
          .source = "a test",
          .roles = {Role::acquire, Role::renew, Role::check, Role::release, Role::subscribe,
                    Role::watch},
          .marks = {},
          .uses = {.renew = true,
                   .paces = true,
                   .steals = true,
                   .own = true,
                   .wait = true,
                   .look = true,
                   .mint = true,
                   .servers = true,
                   .force = true},
          .promises = of_a_careful_lease,
          .bound = models::locks::lease_and_one_attempt};
}

}  // namespace own_lock

Scenario contention(const models::Algorithm& own, const Contention& contention) {
  Scenario scenario;
  scenario.name = own.name;
  scenario.lock.algorithm = own.name;
  scenario.lock.own = &own;
  scenario.lock.options = scenario.lock.preset = models::as_it_comes(own);
  scenario.lock.options.ttl = contention.ttl;
  scenario.clients.count = contention.clients;
  scenario.clients.hold = contention.hold;
  scenario.clients.cycles = contention.cycles;
  scenario.clients.think = 1s;
  if (own.uses.server != LockServer::redis) return scenario;
  // With this latency, a client knows of its grant before the replica has it.
  scenario.servers.redis.replicas = 1;
  scenario.network.links.push_back(
      {.from = "redis-1", .to = "redis-1-replica-1", .latency = {.low = 2ms, .high = 2ms}});
  return scenario;
}

}  // namespace picklock::scenarios
