#include "scenarios/scenario.h"

#include <algorithm>

#include "keys/bad_input.h"
#include "models/locks/catalogue.h"
#include "models/servers/kind.h"
#include "picklock/redis.h"
#include "scenarios/program_locks.h"
#include "scenarios/setup.h"

namespace picklock::scenarios {

const models::Algorithm* find_algorithm(const LockSpec& lock) {
  if (lock.own != nullptr) return lock.own;
  if (const models::Algorithm* shipped = models::locks::named(lock.algorithm)) return shipped;
  return program_lock(lock.algorithm);
}

const models::Algorithm* find_algorithm(const Scenario& scenario) {
  return find_algorithm(scenario.lock);
}

const servers::Kind& lock_server(const Scenario& scenario) {
  const models::Algorithm* algorithm = find_algorithm(scenario);
  return servers::kind_of(algorithm != nullptr ? algorithm->uses.server : redis::kServer);
}

std::uint32_t primaries(const Scenario& scenario) {
  const servers::Kind& server = lock_server(scenario);
  return server.primaries == nullptr ? 1 : server.primaries(scenario.servers);
}

std::uint32_t replicas(const Scenario& scenario) {
  const servers::Kind& server = lock_server(scenario);
  return server.replicas == nullptr ? 0 : server.replicas(scenario.servers);
}

bool has_coordinator(const Scenario& scenario) {
  const models::Algorithm* algorithm = find_algorithm(scenario);
  const servers::Kind& server = lock_server(scenario);
  return algorithm != nullptr && server.coordinated != nullptr &&
         server.coordinated(*algorithm, scenario.lock.options);
}

bool has_tokens(const ResourceSpec& resource) {
  return resource.fencing != Fencing::none && resource.fencing != Fencing::revoke &&
         resource.fencing != Fencing::revoke_late;
}

Duration length_of_section(const ClientsSpec& clients) {
  Duration length = clients.nested ? clients.nested_for : Duration{};
  if (clients.work.empty()) return length + clients.hold;
  for (const WorkStep& step : clients.work) length += step.length;
  return length;
}

std::size_t first_unread(const std::vector<WorkStep>& work) {
  bool has_read = false;
  const auto found = std::find_if(work.begin(), work.end(), [&has_read](const WorkStep& step) {
    has_read = has_read || step.deed == WorkStep::Deed::read;
    return !has_read && step.mode != models::WriteMode::unconditional;
  });
  return static_cast<std::size_t>(found - work.begin());
}

bool has_step(const std::vector<WorkStep>& work, WorkStep::Deed deed) {
  return std::any_of(work.begin(), work.end(),
                     [deed](const WorkStep& step) { return step.deed == deed; });
}

models::LockOptions lock_options(const Scenario& scenario) {
  return lock_options(scenario, scenario.clients, scenario.lock);
}

namespace {

// A script becomes its first line that says something.
std::string in_one_line(const std::string& value) {
  constexpr std::string_view kBreak = "\\u000a";  // as TOML
  if (!value.starts_with('"') || value.find(kBreak) == std::string::npos)
    return keys::printable(value, 100);
  std::string_view rest(value);
  rest.remove_prefix(1);
  while (rest.starts_with(kBreak)) rest.remove_prefix(kBreak.size());
  const std::string_view line = rest.substr(0, rest.find(kBreak));
  return line.empty() || line == "\"" ? "another script"
                                      : fmt::format("\"{} ...\"", keys::printable(line, 60));
}

}  // namespace

std::string in_words(const std::vector<Change>& changes) {
  std::string words;
  for (const Change& change : changes)
    words += (words.empty() ? "" : ", ") + change.path + " = " + in_one_line(change.value);
  return words;
}

}  // namespace picklock::scenarios
