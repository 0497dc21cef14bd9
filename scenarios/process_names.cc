#include "scenarios/process_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "keys/bad_input.h"
#include "keys/nearest.h"
#include "scenarios/topology.h"

namespace picklock::scenarios {

using keys::printable;
using keys::Value;
using keys::Words;

namespace {

std::string range_of(std::string_view prefix, std::uint32_t count) {
  return count == 1 ? fmt::format("{}1", prefix) : fmt::format("{0}1 to {0}{1}", prefix, count);
}

}  // namespace

const ProcessKind& process_named(const Value& where, const std::string& name,
                                 const Scenario& scenario) {
  const std::vector<servers::Row> rows = rows_of(scenario);
  for (const servers::Row& row : rows) {
    const std::uint32_t number = number_in(row, name);
    if (number == 0) continue;
    if (number <= row.count) return *row.kind;
    const std::string_view singular = row.kind->singular;
    if (row.count == 0) where.fail(fmt::format("there is no {}: there are no {}s", name, singular));
    where.fail(fmt::format(
        "there is no {}; the {} {}", name,
        row.count == 1 ? fmt::format("only {} is", singular) : fmt::format("{}s are", singular),
        range_of(row.prefix, row.count)));
  }
  std::vector<std::string> names;
  std::vector<std::string> numbered;
  std::vector<std::string> single;
  for (const servers::Row& row : rows) {
    if (!row.numbered) {
      names.push_back(row.prefix);
      single.push_back(row.prefix);
      continue;
    }
    for (std::uint32_t i = 1; i <= std::min(row.count, 99U); ++i)
      names.push_back(fmt::format("{}{}", row.prefix, i));
    if (row.count > 0) numbered.push_back(range_of(row.prefix, row.count));
  }
  std::rotate(single.begin(), single.begin() + (has_coordinator(scenario) ? 1 : 0), single.end());
  numbered.insert(numbered.end(), single.begin(), single.end());
  where.fail(fmt::format("there is no process \"{}\"", printable(name)), name,
             Words(names.begin(), names.end()),
             fmt::format("the processes are {}", fmt::join(numbered, ", ")));
}

}  // namespace picklock::scenarios
