#include "compare/workload.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "models/locks/catalogue.h"
#include "reports/wording.h"
#include "scenarios/document.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"

namespace picklock::compare {

using namespace std::chrono_literals;
using scenarios::Scenario;

// Two sections of everybody, so that somebody comes after whatever a fault has left behind; short
// of the lease, so that nothing is lost unless something happens.
Scenario workload(std::string_view lock, const std::string& directory) {
  // A search by name would read the whole folder once for each lock.
  std::string file = fmt::format("{}/plain/{}.toml", directory, lock);
  if (std::error_code error; !std::filesystem::is_regular_file(file, error))
    file = scenarios::find_scenario(fmt::format("plain/{}", lock), directory);
  Scenario scenario =
      scenarios::Document::from_file(file).scenario(scenarios::shipped_vocabulary());
  if (models::takes(*models::locks::named(lock), "ttl")) scenario.lock.options.ttl = kLease;
  scenario.clients.count = 3;
  scenario.clients.cycles = 2;
  scenario.clients.hold = 4s;
  scenario.clients.arrive_every = 1s;
  scenario.clients.think = 1s;
  scenario.control = false;
  return scenario;
}

Scenario small(const Scenario& workload) {
  Scenario scenario = workload;
  scenario.clients.count = 2;
  scenario.clients.cycles = 1;
  return scenario;
}

std::vector<Scenario> workloads(const std::string& directory) {
  std::vector<Scenario> all;
  for (const models::Algorithm* lock : models::locks::all())
    all.push_back(workload(lock->name, directory));
  return all;
}

std::string in_words(const scenarios::ClientsSpec& clients, sim::Duration lease) {
  return fmt::format(
      "{} clients arrive {} apart; each takes the lock {}, {} apart, for {} of work; a lease "
      "lasts {}",
      clients.count, reports::duration(clients.arrive_every), reports::times(clients.cycles),
      reports::duration(clients.think), reports::duration(clients.hold), reports::duration(lease));
}

}  // namespace picklock::compare
