#include "compare/safety_table/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "compare/safety_table/rows.h"
#include "scenarios/document.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"

namespace picklock::compare::safety_table {

const std::vector<Configuration>& configurations() {
  static const std::vector<Configuration> table = [] {
    std::vector<Configuration> all;
    for (const auto rows : kRows) add(all, rows());
    return all;
  }();
  return table;
}

std::string claim_of(const Configuration& configuration, const Cell& cell, bool fenced) {
  constexpr std::string_view kStrikes[] = {
      "", " at locks", " while asking", " by steps", " at processes", " at threads", " by outages"};
  return fmt::format("{}, {}{}{}", configuration.name, name(cell.faults),
                     kStrikes[static_cast<std::size_t>(cell.strikes)], fenced ? ", fenced" : "");
}

bool can_be_fenced(const Configuration& configuration) {
  const auto& changes = configuration.changes;
  return std::find(changes.begin(), changes.end(), "clients.effect=database") == changes.end();
}

scenarios::Scenario scenario_of(const Configuration& configuration, bool fenced,
                                const std::string& directory) {
  scenarios::Document document = scenarios::Document::from_file(
      scenarios::find_scenario(std::string(configuration.scenario), directory));
  const auto change = [&document](std::string_view assignment) {
    document.set(scenarios::change_from(assignment));
    document.forget_neighbours();
  };
  for (const std::string_view one : configuration.changes) change(one);
  if (fenced) change("servers.resource.fencing=ideal");
  return document.scenario(scenarios::shipped_vocabulary());
}

}  // namespace picklock::compare::safety_table
