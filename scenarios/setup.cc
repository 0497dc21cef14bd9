#include "scenarios/setup.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "scenarios/keys.h"

namespace picklock::scenarios {
namespace {

constexpr std::string_view kClientPrefix = "client-";

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Another lock, or another version of it, keeps the values that the file sets and that it knows as
// well.
LockSpec as_another_lock(const LockSpec& common, const LockSpec& own) {
  LockSpec lock = own;
  lock.key = common.key;
  lock.options = own.preset;
  const models::Algorithm* algorithm = find_algorithm(own);
  if (algorithm == nullptr) return lock;
  for (const keys::Key<models::LockOptions>& key : algorithm->keys) {
    if (key.show && key.show(common.options) != key.show(common.preset))
      key.copy(common.options, lock.options);
  }
  return lock;
}

}  // namespace

Setup common_setup(const Scenario& scenario) { return {scenario.clients, scenario.lock}; }

Setup setup_of(const Scenario& scenario, const OneClient& one) {
  Setup setup{scenario.clients, scenario.lock, one.arrives_at};
  if (has(one.lock_keys, "algorithm") || has(one.lock_keys, "version"))
    setup.lock = as_another_lock(scenario.lock, one.lock);
  keys::copy_keys(clients_keys(), one.keys, one.clients, setup.clients);
  keys::copy_keys(lock_keys(), one.lock_keys, one.lock, setup.lock);
  return setup;
}

std::vector<Setup> setups(const Scenario& scenario) {
  std::vector<Setup> all;
  if (scenario.unlike.size() < scenario.clients.count) all.push_back(common_setup(scenario));
  for (const OneClient& one : scenario.unlike) all.push_back(setup_of(scenario, one));
  return all;
}

std::uint32_t index_of(const OneClient& one) {
  std::uint32_t number = 0;
  const std::string_view digits = std::string_view(one.name).substr(kClientPrefix.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number - 1;
}

const OneClient* unlike(const Scenario& scenario, std::uint32_t index) {
  const auto found = std::find_if(scenario.unlike.begin(), scenario.unlike.end(),
                                  [index](const OneClient& one) { return index_of(one) == index; });
  return found == scenario.unlike.end() ? nullptr : &*found;
}

models::LockOptions lock_options(const Scenario& scenario, const ClientsSpec& clients,
                                 const LockSpec& lock) {
  models::LockOptions options = lock.options;
  if (scenario.servers.resource.fencing == Fencing::in_script)
    options.mint = models::Mint::in_script;
  options.holder_checks = clients.check_before_write;
  return options;
}

std::uint32_t servers_of(const Scenario& scenario, const ClientsSpec& clients) {
  return clients.servers.empty() ? primaries(scenario)
                                 : static_cast<std::uint32_t>(clients.servers.size());
}

std::uint32_t quorum_of(const Scenario& scenario, const ClientsSpec& clients,
                        const LockSpec& lock) {
  const models::Algorithm& algorithm = *find_algorithm(lock);
  return algorithm.quorum == nullptr
             ? 1
             : algorithm.quorum(servers_of(scenario, clients), lock.options);
}

std::vector<std::string> keys_of(const Setup& setup) {
  return setup.clients.keys.empty() ? std::vector{setup.lock.key} : setup.clients.keys;
}

std::vector<std::string> lock_keys(const Scenario& scenario) {
  std::map<std::uint32_t, const OneClient*> clients;  // one of those that do not differ, and others
  for (const OneClient& one : scenario.unlike) clients[index_of(one)] = &one;
  std::uint32_t first_alike = 0;
  while (clients.contains(first_alike)) ++first_alike;
  if (first_alike < scenario.clients.count) clients[first_alike] = nullptr;
  std::vector<std::string> all;
  for (const auto& [index, one] : clients) {
    for (const std::string& key :
         keys_of(one != nullptr ? setup_of(scenario, *one) : common_setup(scenario))) {
      if (!has(all, key)) all.push_back(key);
    }
  }
  return all;
}

Duration shortest_lease(const Setup& setup) {
  const std::vector<Duration>& leases = setup.clients.leases;
  return leases.empty() ? setup.lock.options.ttl : *std::min_element(leases.begin(), leases.end());
}

Duration longest_lease(const ClientsSpec& clients, const LockSpec& lock) {
  const std::vector<Duration>& leases = clients.leases;
  return leases.empty() ? lock.options.ttl : *std::max_element(leases.begin(), leases.end());
}

bool share_one_lock(const Scenario& scenario) {
  if (scenario.unlike.empty()) return true;
  const std::vector<Setup> all = setups(scenario);
  const auto servers = [](const Setup& setup) {
    std::vector<std::string> names = setup.clients.servers;
    std::sort(names.begin(), names.end());
    return names;
  };
  return std::all_of(all.begin(), all.end(), [&](const Setup& one) {
    return one.lock.algorithm == all.front().lock.algorithm &&
           quorum_of(scenario, one) == quorum_of(scenario, all.front()) &&
           servers(one) == servers(all.front());
  });
}

}  // namespace picklock::scenarios
