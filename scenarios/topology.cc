#include "scenarios/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "scenarios/process_kinds.h"

namespace picklock::scenarios {

using servers::Row;

std::vector<Row> rows_of(const Scenario& scenario) {
  const servers::Kind& server = lock_server(scenario);
  std::vector<Row> rows = {
      {.kind = &kClientKind, .prefix = "client-", .count = scenario.clients.count}};
  if (has_coordinator(scenario))
    rows.push_back({.kind = server.coordinator, .prefix = "coordinator", .numbered = false});
  std::vector<Row> of_server = server.rows(scenario.servers);
  const auto last = std::stable_partition(of_server.begin(), of_server.end(),
                                          [](const Row& row) { return !row.kind->after_resource; });
  rows.insert(rows.end(), of_server.begin(), last);
  const std::uint32_t nodes = scenario.servers.resource.nodes;
  rows.push_back({.kind = &kResourceKind,
                  .prefix = nodes > 1 ? "resource-" : "resource",
                  .count = nodes,
                  .numbered = nodes > 1});
  rows.insert(rows.end(), last, of_server.end());
  return rows;
}

std::vector<ProcessSpec> processes_of(const Scenario& scenario) {
  std::vector<ProcessSpec> all;
  for (const Row& row : rows_of(scenario)) {
    for (std::uint32_t i = 0; i < row.count; ++i) {
      all.push_back({row.numbered ? fmt::format("{}{}", row.prefix, i + 1) : row.prefix, row.kind,
                     row.apart ? i : row.group});
    }
  }
  return all;
}

std::uint32_t group_of(const Scenario& scenario, const ProcessSpec& process) {
  const bool has_entries = process.kind->standing != servers::Standing::none;
  return has_entries ? process.group : primaries(scenario);
}

std::uint32_t askers(const Scenario& scenario) {
  return scenario.clients.count + (has_coordinator(scenario) ? 1 : 0);
}

std::uint32_t number_in(const Row& row, std::string_view name) {
  if (!row.numbered) return name == row.prefix ? 1 : 0;
  if (!name.starts_with(row.prefix)) return 0;
  name.remove_prefix(row.prefix.size());
  if (name.starts_with('0')) return 0;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() ? number : 0;
}

const ProcessKind* kind_named(const Scenario& scenario, std::string_view name) {
  for (const Row& row : rows_of(scenario)) {
    if (number_in(row, name) > 0) return row.kind;
  }
  return nullptr;
}

bool is_resource(std::string_view process) {
  return process == kResourceKind.name || process.starts_with("resource-");
}

const ProcessSpec* find(const std::vector<ProcessSpec>& processes, std::string_view name) {
  const auto found = std::find_if(processes.begin(), processes.end(),
                                  [name](const ProcessSpec& one) { return one.name == name; });
  return found == processes.end() ? nullptr : &*found;
}

}  // namespace picklock::scenarios
