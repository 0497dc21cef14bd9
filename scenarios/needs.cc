#include "scenarios/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "models/servers/kind.h"
#include "scenarios/keys.h"
#include "scenarios/setup.h"

namespace picklock::scenarios {

using keys::Key;
using keys::Value;

namespace {

// A key of [clients] that needs other tables.
struct FarNeeds {
  std::string_view key;
  std::string (*other)(const Scenario& scenario);  // the path of what it needs
  bool (*met)(const Scenario& scenario, const Setup& setup);
  std::string_view else_what;
};

std::string of_servers(const Scenario& scenario, std::string_view key) {
  return fmt::format("servers.{}.{}", lock_server(scenario).server.key, key);
}

constexpr std::array<FarNeeds, 3> kFar = {{
    {.key = "server_order",
     .other =
         [](const Scenario& scenario) {
           return of_servers(scenario, lock_server(scenario).primaries_key);
         },
     .met = [](const Scenario& scenario,
               const Setup& setup) { return servers_of(scenario, setup.clients) > 1; },
     .else_what = "on a single server"},
    {.key = "servers",
     .other =
         [](const Scenario& scenario) {
           return of_servers(scenario, lock_server(scenario).primaries_key);
         },
     .met = [](const Scenario& scenario, const Setup&) { return primaries(scenario) > 1; },
     .else_what = "where there is a single primary"},
    {.key = "scan_every",
     .other = [](const Scenario& scenario) { return of_servers(scenario, "replicas"); },
     .met = [](const Scenario& scenario, const Setup&) { return replicas(scenario) > 0; },
     .else_what = "without a replica that could become the primary"},
}};

const FarNeeds* far_needs(std::string_view key) {
  const auto* found =
      std::find_if(kFar.begin(), kFar.end(), [key](const FarNeeds& one) { return one.key == key; });
  return found == kFar.end() ? nullptr : found;
}

// The clients that have the value of [clients].
std::vector<Setup> common_setups(const Scenario& scenario, std::string_view key) {
  std::vector<Setup> all;
  if (scenario.unlike.size() < scenario.clients.count) all.push_back(common_setup(scenario));
  for (const OneClient& one : scenario.unlike) {
    if (std::find(one.keys.begin(), one.keys.end(), key) == one.keys.end())
      all.push_back(setup_of(scenario, one));
  }
  return all;
}

bool meets(const Key<ClientsSpec>& key, const std::vector<Setup>& setups) {
  return !key.needs || std::any_of(setups.begin(), setups.end(), [&key](const Setup& setup) {
    return key.needs->met(setup.clients);
  });
}

bool meets(const FarNeeds* needs, const Scenario& scenario, const std::vector<Setup>& setups) {
  return needs == nullptr || std::any_of(setups.begin(), setups.end(), [&](const Setup& setup) {
           return needs->met(scenario, setup);
         });
}

// Whether a change has replaced the lock for which the file was written.
bool is_replaced(const Value& root) {
  const auto algorithm = keys::lookup(root, root, "lock.algorithm");
  return algorithm && algorithm->line() == 0;
}

// Requires that `setups` are those of the clients that have the values of the table.
void check_client_key(const Value& root, const Value& table, const Value& given,
                      const Scenario& scenario, const std::vector<Setup>& setups) {
  const Key<ClientsSpec>* key = find(clients_keys(), given.name());
  if (key == nullptr || setups.empty()) return;
  if (!meets(*key, setups))
    fail_without_effect(root, table, given, key->needs->other, key->needs->else_what);
  const FarNeeds* far = far_needs(given.name());
  if (!meets(far, scenario, setups) && (given.line() == 0 || !is_replaced(root)))
    fail_without_effect(root, table, given, far->other(scenario), far->else_what);
  if (key->check_needs) key->check_needs(root, given, setups.front().clients);
}

// Keys of a server that mean nothing to the locks of all clients.
void check_servers_keys(const Value& root, const Value& table, const Scenario& scenario) {
  const servers::Kind& server = lock_server(scenario);
  const auto own = table.find(server.server.key);
  if (!own) return;
  const std::vector<Setup> all = setups(scenario);
  for (const Value& given : own->entries()) {
    std::string_view why;
    const bool used = std::any_of(all.begin(), all.end(), [&](const Setup& setup) {
      const models::Algorithm* algorithm = find_algorithm(setup.lock);
      if (algorithm != nullptr) why = why_unused(*algorithm, given.name());
      return why.empty();
    });
    if (!used && (given.line() == 0 || !is_replaced(root)))
      given.fail(fmt::format("has no effect {}", why));
  }
}

}  // namespace

void check_needs(const Value& root, const Scenario& scenario) {
  if (const auto clients = root.find("clients")) {
    for (const Value& given : clients->entries())
      check_client_key(root, *clients, given, scenario, common_setups(scenario, given.name()));
  }
  if (const auto unlike = root.find("client")) {
    const std::vector<Value> tables = unlike->tables();
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const std::vector<Setup> own = {setup_of(scenario, scenario.unlike[i])};
      for (const Value& given : tables[i].entries())
        check_client_key(root, tables[i], given, scenario, own);
    }
  }
  if (const auto network = root.find("network"))
    keys::check_needs(root, *network, network_keys(), scenario.network);
  if (const auto servers = root.find("servers")) {
    keys::check_needs(root, *servers, servers_keys(), scenario.servers);
    check_servers_keys(root, *servers, scenario);
  }
}

void drop_idle(Scenario& scenario) {
  for (const Key<ClientsSpec>& key : clients_keys()) {
    const std::vector<Setup> setups = common_setups(scenario, key.name);
    if (!meets(key, setups) || !meets(far_needs(key.name), scenario, setups))
      key.copy(ClientsSpec{}, scenario.clients);
  }
}

bool has_effect(const Scenario& scenario, const OneClient& one, std::string_view name) {
  const Key<ClientsSpec>* key = find(clients_keys(), name);
  const std::vector<Setup> own = {setup_of(scenario, one)};
  return key == nullptr || (meets(*key, own) && meets(far_needs(name), scenario, own));
}

}  // namespace picklock::scenarios
