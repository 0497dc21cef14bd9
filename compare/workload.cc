#include "compare/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "keys/bad_input.h"
#include "keys/key_kinds.h"
#include "models/locks/catalogue.h"
#include "reports/wording.h"
#include "scenarios/document.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"

namespace picklock::compare {

using scenarios::Scenario;

namespace {

// Two sections of everybody, so that somebody comes after whatever a fault has left behind; short
// of the lease, so that nothing is lost unless something happens.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kCommon = {
    {{"clients.count", "3"},
     {"clients.cycles", "2"},
     {"clients.hold", "4s"},
     {"clients.arrive_every", "1s"},
     {"clients.think", "1s"}}};

bool has(const Changes& changes, std::string_view path) {
  return std::any_of(changes.begin(), changes.end(),
                     [path](const scenarios::Change& one) { return one.path == path; });
}

// A key without effect beside a change: there is nothing to think between, or nobody else.
bool is_idle(std::string_view path, const Changes& changes) {
  const auto is_one = [&changes](std::string_view count) {
    return std::any_of(changes.begin(), changes.end(), [count](const scenarios::Change& one) {
      return one.path == count && one.value == "1";
    });
  };
  return (path == "clients.hold" && has(changes, "clients.work")) ||
         (path == "clients.think" && is_one("clients.cycles")) ||
         (path == "clients.arrive_every" && is_one("clients.count"));
}

constexpr std::array kResourceKeys = {
    ResourceKey{.path = "servers.resource.checks", .needs_tokens = true},
    ResourceKey{.path = "servers.resource.equal_token", .needs_tokens = true},
    ResourceKey{.path = "servers.resource.service"}};

bool needs_tokens(std::string_view path) {
  const ResourceKey* const key = resource_key(path);
  return key != nullptr && key->needs_tokens;
}

std::string work_in_words(const scenarios::ClientsSpec& clients) {
  if (clients.work.empty()) return fmt::format("for {} of work", reports::duration(clients.hold));
  std::vector<std::string> steps;
  for (const scenarios::WorkStep& step : clients.work) {
    std::string words(scenarios::kDeeds[static_cast<std::size_t>(step.deed)]);
    if (step.deed == scenarios::WorkStep::Deed::think)
      words += " for " + reports::duration(step.length);
    steps.push_back(std::move(words));
  }
  return "to " + reports::list(steps);
}

scenarios::Document plain(std::string_view lock, const std::string& directory) {
  // A search by name would read the whole folder once for each lock.
  const std::string file = fmt::format("{}/plain/{}.toml", directory, lock);
  std::error_code error;
  return scenarios::Document::from_file(
      std::filesystem::is_regular_file(file, error)
          ? file
          : scenarios::find_scenario(fmt::format("plain/{}", lock), directory));
}

}  // namespace

scenarios::ResourceSpec fenced_resource(const std::string& directory, const Changes& changes) {
  scenarios::Document document = plain(models::locks::all().front()->name, directory);
  document.set({"servers.resource.fencing", "ideal"});
  for (const scenarios::Change& change : changes) {
    if (change.path.starts_with("servers.resource.")) document.set(change);
  }
  return document.scenario(scenarios::shipped_vocabulary()).servers.resource;
}

Scenario workload(std::string_view lock, const std::string& directory, const Changes& changes) {
  scenarios::Document document = plain(lock, directory);
  for (const auto& [path, value] : kCommon) {
    if (!has(changes, path) && !is_idle(path, changes))
      document.set({std::string(path), std::string(value)});
  }
  if (models::takes(*models::locks::named(lock), "ttl") && !has(changes, "lock.ttl"))
    document.set({"lock.ttl", keys::to_text(kLease)});
  for (const scenarios::Change& change : changes) {
    if (!needs_tokens(change.path)) document.set(change);
  }
  Scenario scenario = document.scenario(scenarios::shipped_vocabulary());
  scenario.control = false;
  return scenario;
}

const ResourceKey* resource_key(std::string_view path) {
  const auto found = std::find_if(kResourceKeys.begin(), kResourceKeys.end(),
                                  [path](const ResourceKey& key) { return key.path == path; });
  return found == kResourceKeys.end() ? nullptr : &*found;
}

Scenario small(const Scenario& workload) {
  Scenario scenario = workload;
  scenario.clients.count = 2;
  scenario.clients.cycles = 1;
  return scenario;
}

std::vector<Scenario> workloads(const std::string& directory, const Changes& changes,
                                const std::vector<std::string>& compared) {
  std::vector<Scenario> all;
  for (const models::Algorithm* lock : models::locks::all()) {
    const bool is_compared = compared.empty() || std::find(compared.begin(), compared.end(),
                                                           lock->name) != compared.end();
    try {
      all.push_back(workload(lock->name, directory, changes));
    } catch (const keys::BadInput&) {
      if (is_compared) throw;
      all.push_back(workload(lock->name, directory));
    }
  }
  return all;
}

std::string in_words(const scenarios::ClientsSpec& clients, std::optional<sim::Duration> lease) {
  std::string words = reports::plural(clients.count, "client");
  if (clients.count > 1)
    words += fmt::format(" arrive {} apart; each", reports::duration(clients.arrive_every));
  words += " takes the lock " + reports::times(clients.cycles);
  if (clients.cycles > 1) words += fmt::format(", {} apart,", reports::duration(clients.think));
  words += ' ' + work_in_words(clients);
  if (lease) words += fmt::format("; a lease lasts {}", reports::duration(*lease));
  return words;
}

}  // namespace picklock::compare
