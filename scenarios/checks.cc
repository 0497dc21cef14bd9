#include "scenarios/checks.h"

#include <fmt/format.h>

#include "keys/bad_input.h"
#include "keys/duration_text.h"
#include "models/servers/kind.h"
#include "scenarios/client_checks.h"
#include "scenarios/needs.h"
#include "scenarios/process_names.h"

namespace picklock::scenarios {

using keys::in_seconds;
using keys::Value;

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
  if (scenario.lock.algorithm.empty()) {
    const auto table = root.find("lock");
    const std::string_view problem = "must be given; `picklock list algorithms` lists them all";
    table ? table->fail_missing("algorithm", problem)
          : root.fail_missing("lock.algorithm", problem);
  }
  return algorithm_in(root.at("lock"), scenario.lock, vocabulary);
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
}

}  // namespace

void check(const Value& root, Scenario& scenario, const Vocabulary& vocabulary) {
  const AlgorithmWords& words = algorithm_of(root, scenario, vocabulary);
  check_servers(root, scenario, words);
  const servers::FindProcess find =
      [&scenario](const Value& where, const std::string& name) -> const servers::ProcessKind& {
    return process_named(where, name, scenario);
  };
  check_setups(root, scenario, vocabulary, find);
  check_needs(root, scenario);
  check_fencing(root, scenario, words);
  if (const auto network = root.find("network")) check_network(*network, scenario);
  if (const auto servers = root.find("servers")) {
    const servers::Kind& server = lock_server(scenario);
    const auto table = servers->find(server.server.key);
    if (table && server.check != nullptr) server.check(*table, scenario.servers, find);
  }
  check_faults(root, scenario, vocabulary);
  const auto complete = root.find("complete");
  if (complete && !complete->find("faults")) complete->fail_missing("faults", "must be given");
}

}  // namespace picklock::scenarios
