#include "scenarios/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "keys/bad_input.h"
#include "keys/duration_text.h"
#include "keys/key_kinds.h"
#include "models/locks/quorum_lock.h"
#include "models/servers/kind.h"
#include "scenarios/keys.h"
#include "scenarios/process_names.h"
#include "scenarios/topology.h"

namespace picklock::scenarios {

using keys::in_seconds;
using keys::printable;
using keys::to_text;
using keys::Value;
using keys::Words;
using models::locks::QuorumOptions;

namespace {

void check_latency(const Value& table, const Latency& latency) {
  if (latency.tail_one_in == 0) return;
  if (latency.tail_high < latency.high) {
    table.fail_key("tail_high",
                   fmt::format("is {}, less than the ordinary latency, which is up to {}",
                               in_seconds(latency.tail_high), in_seconds(latency.high)));
  }
}

void check_network(const Value& table, const Scenario& scenario) {
  check_latency(table, scenario.network.latency);
  const auto links = table.find("link");
  if (!links) return;
  const std::vector<Value> tables = links->tables();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const Link& link = scenario.network.links[i];
    for (const std::string_view key : {"from", "to", "latency"}) {
      if (!tables[i].find(key)) tables[i].fail_missing(key, "must be given");
    }
    process_named(tables[i].at("from"), link.from, scenario);
    process_named(tables[i].at("to"), link.to, scenario);
    if (link.from == link.to) tables[i].at("to").fail("is the same process as `from`");
    check_latency(tables[i], link.latency);
  }
}

const AlgorithmWords& algorithm_of(const Value& root, const Scenario& scenario,
                                   const Vocabulary& vocabulary) {
  const std::string& name = scenario.lock.algorithm;
  const Value lock = root.at("lock");
  if (name.empty()) {
    const auto table = root.find("lock");
    const std::string_view problem = "must be given; `picklock list algorithms` lists them all";
    table ? table->fail_missing("algorithm", problem)
          : root.fail_missing("lock.algorithm", problem);
  }
  if (const AlgorithmWords* words = vocabulary.find(name)) return *words;
  Words names;
  for (const AlgorithmWords& words : vocabulary.algorithms) names.push_back(words.name);
  lock.at("algorithm")
      .fail(fmt::format("there is no algorithm \"{}\"", printable(name)), name, names,
            "`picklock list algorithms` lists them all");
}

// Servers that no client uses would seem to influence the result.
void check_servers(const Value& root, const Scenario& scenario, const AlgorithmWords& words) {
  const servers::Kind& home = lock_server(scenario);
  if (const auto servers = root.find("servers")) {
    for (const servers::Kind* other : servers::kinds()) {
      if (other == &home) continue;
      if (const auto idle = servers->find(other->server.key))
        idle->fail(fmt::format("{} runs on {}: see [servers.{}]", words.name, home.title,
                               home.server.key));
    }
  }
  if (words.uses.servers || primaries(scenario) == 1) return;
  root.at("servers")
      .at(home.server.key)
      .at(home.primaries_key)
      .fail(fmt::format("must be 1: {} uses one server", words.name));
}

// Refuses keys that have no effect without another, unless a change turns the other one off.
void check_needs(const Value& lock, const models::LockOptions& options,
                 const AlgorithmWords& words) {
  for (const Value& given : lock.entries()) {
    const auto* key = find(words.keys, given.name());
    if (key == nullptr || !key->needs || key->needs->met(options)) continue;
    const auto other = lock.find(key->needs->other);
    if (given.line() != 0 && other && other->line() == 0) continue;
    given.fail(fmt::format("has no effect {}", key->needs->else_what));
  }
}

// A key that the lock does not have would seem to have no effect.
void check_options(const Value& root, const Scenario& scenario, const AlgorithmWords& words) {
  const models::LockOptions& options = scenario.lock.options;
  const auto lock = root.find("lock");
  if (!lock) return;
  for (const Value& given : lock->entries()) {
    if (find(option_keys(), given.name()) != nullptr && find(words.keys, given.name()) == nullptr)
      given.fail(fmt::format("{} does not use this key", words.name));
  }
  check_needs(*lock, options, words);
  if (options.ttl == Duration::zero() && !words.uses.endless)
    lock->at("ttl").fail("must be more than 0s, not \"0s\"");
  if (options.wait_replicas > replicas(scenario)) {
    lock->at("wait_replicas")
        .fail(fmt::format(
            "must be at most {}, the number of replicas: otherwise no acquire could succeed",
            replicas(scenario)));
  }
  if (options.check_at == models::CheckAt::replica) {
    const std::vector<Role> roles =
        models::roles_under(words.roles, words.uses, lock_options(scenario));
    if (std::find(roles.begin(), roles.end(), Role::check) == roles.end())
      lock->at("check_at")
          .fail(fmt::format("{} never checks whether it still holds the lock", words.name));
    if (replicas(scenario) == 0)
      lock->at("check_at").fail("there is no replica; set `servers.redis.replicas`");
  }
  if (options.of<QuorumOptions>().quorum > primaries(scenario)) {
    lock->at("quorum").fail(
        fmt::format("must be at most {}, the number of servers: otherwise no acquire could succeed",
                    primaries(scenario)));
  }
  if (options.ttl % words.uses.lease_unit != Duration::zero()) {
    lock->at("ttl").fail(fmt::format("must be a multiple of {}, the unit of a lease of {}, not {}",
                                     to_text(words.uses.lease_unit), words.name,
                                     to_text(options.ttl)));
  }
}

}  // namespace

void check(const Value& root, Scenario& scenario, const Vocabulary& vocabulary) {
  const AlgorithmWords& words = algorithm_of(root, scenario, vocabulary);
  check_options(root, scenario, words);
  check_servers(root, scenario, words);
  check_fencing(root, scenario, words);
  if (const auto network = root.find("network")) check_network(*network, scenario);
  if (const auto clients = root.find("clients")) check_clients(*clients, scenario, words);
  if (const auto servers = root.find("servers")) {
    const servers::Kind& server = lock_server(scenario);
    const auto table = servers->find(server.server.key);
    if (table && server.check != nullptr) {
      server.check(*table, scenario.servers,
                   [&scenario](const Value& where, const std::string& name) -> const ProcessKind& {
                     return process_named(where, name, scenario);
                   });
    }
  }
  check_faults(root, scenario, words);
}

}  // namespace picklock::scenarios
