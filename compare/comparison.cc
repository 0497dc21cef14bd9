#include "compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "compare/workload.h"
#include "models/locks/catalogue.h"

namespace picklock::compare {
namespace {

constexpr std::string_view kNone = "none";
constexpr std::string_view kAll = "all";

std::size_t number_of(FaultClasses classes) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < kFaultClassCount; ++i)
    number += classes.has(static_cast<FaultClass>(i)) ? 1U : 0U;
  return number;
}

Options with_defaults(Options options) {
  if (options.locks.empty()) {
    for (const models::Algorithm* lock : models::locks::all())
      options.locks.emplace_back(lock->name);
  }
  if (options.columns.empty()) options.columns = every_column();
  return options;
}

// A column can be made as long as one of its classes can act.
std::string why_impossible(const Column& column, const explore::Ways& ways) {
  std::string why;
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (!column.classes.has(one)) continue;
    if (ways.possible().has(one)) return {};
    why = ways.why_impossible(one);
  }
  return why;
}

}  // namespace

std::vector<Column> every_column() {
  std::vector<Column> all = {{std::string(kNone), {}}};
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    all.push_back({std::string(picklock::name(one)), {one}});
  }
  all.push_back({std::string(kAll), FaultClasses::all()});
  return all;
}

std::optional<Column> column_named(std::string_view name, std::string& unknown) {
  if (name == kNone) return Column{std::string(name), {}};
  if (name == kAll) return Column{std::string(name), FaultClasses::all()};
  Column column{std::string(name), {}};
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('+', at), name.size());
    const std::string_view word = name.substr(at, end - at);
    const auto found = std::find(kFaultClassNames.begin(), kFaultClassNames.end(), word);
    if (found == kFaultClassNames.end()) {
      unknown = word;
      return std::nullopt;
    }
    column.classes.add(static_cast<FaultClass>(found - kFaultClassNames.begin()));
    at = end + 1;
  }
  return column;
}

// The plans are those of all locks, whichever are asked for: a cell is the same in every table.
Comparison::Comparison(Options options, std::vector<scenarios::Scenario> workloads)
    : options_(with_defaults(std::move(options))),
      workloads_(std::move(workloads)),
      profiles_(explore::profiles(workloads_, 1)),
      plans_(workloads_, profiles_) {
  for (const std::string& name : options_.locks) {
    const auto all = models::locks::all();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto* one) { return one->name == name; });
    const auto number = static_cast<std::size_t>(found - all.begin());
    locks_.push_back({.algorithm = *found, .workload = workloads_[number], .number = number});
    const explore::Ways own(workloads_[number], profiles_[number]);
    possible_.push_back(own.possible());
    for (const Column& column : options_.columns)
      impossible_.push_back(compare::why_impossible(column, own));
  }
}

std::vector<CellName> Comparison::cells() const {
  std::vector<CellName> all;
  for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
    for (std::size_t column = 0; column < columns().size(); ++column) {
      if (!why_impossible(lock, column).empty()) continue;
      all.push_back({lock, column, false});
      all.push_back({lock, column, true});
    }
  }
  return all;
}

std::vector<CellName> Comparison::complete_cells() const {
  const auto is_asked = [this](FaultClass one) {
    return std::any_of(columns().begin(), columns().end(),
                       [one](const Column& column) { return column.classes.has(one); });
  };
  std::vector<CellName> all;
  for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
    for (std::size_t i = 0; i < kFaultClassCount; ++i) {
      const auto one = static_cast<FaultClass>(i);
      if (!is_asked(one) || !possible_[lock].has(one)) continue;
      for (std::uint32_t faults = 1; faults <= options_.complete; ++faults)
        all.push_back({.lock = lock, .column = i, .every = faults});
    }
  }
  return all;
}

std::vector<CellName> Comparison::all_cells() const {
  std::vector<CellName> all = cells();
  const std::vector<CellName> complete = complete_cells();
  all.insert(all.end(), complete.begin(), complete.end());
  return all;
}

const Known& Comparison::known(const CellName& cell) const {
  static const Known nothing;
  const auto found = known_.find(cell);
  return found == known_.end() ? nothing : found->second;
}

CellName Comparison::teller(const CellName& cell, Property property) const {
  if (cell.every > 0) return cell;
  const auto smallest = [&](std::size_t column) -> const std::optional<Sighting>& {
    const CellName one{.lock = cell.lock, .column = column, .fenced = cell.fenced};
    return known(one).measures.properties[static_cast<std::size_t>(property)].smallest;
  };
  const FaultClasses classes = columns()[cell.column].classes;
  const bool broken = smallest(cell.column)->broken;
  const auto rank = [&](std::size_t column) {
    return std::tuple(smallest(column)->faults, number_of(columns()[column].classes), column);
  };
  CellName teller = cell;
  for (std::size_t i = 0; i < columns().size(); ++i) {
    const std::optional<Sighting>& seen = smallest(i);
    const bool tells = seen && (seen->broken || !broken) && classes.covers(columns()[i].classes);
    if (tells && rank(i) < rank(teller.column)) teller.column = i;
  }
  return teller;
}

Comparison::Told Comparison::told(const CellName& cell, Property property) const {
  if (known(cell).measures.properties[static_cast<std::size_t>(property)].violations == 0)
    return {};
  for (const CellName& one : {teller(cell, property), cell}) {
    const auto& stories = known(one).stories;
    const auto story = stories.find(property);
    if (story != stories.end()) return {one, &story->second};
  }
  return {};
}

std::unique_ptr<Cell> Comparison::cell(const CellName& name) {
  const Lock& lock = locks_[name.lock];
  const scenarios::ResourceSpec* fenced = name.fenced ? &options_.fenced : nullptr;
  if (name.every > 0) {
    const auto one = static_cast<FaultClass>(name.column);
    const scenarios::Scenario workload = small(lock.workload);
    return std::make_unique<Cell>(
        workload, std::make_unique<EveryPlan>(workload, one, name.every, options_.seed),
        Column{std::string(picklock::name(one)), {one}}, fenced, options_.seed);
  }
  const Column& column = columns()[name.column];
  return std::make_unique<Cell>(
      lock.workload,
      std::make_unique<DrawnPlans>(
          plans_, lock.number, explore::FaultLimits{.classes = column.classes, .most = kMostFaults},
          options_.seed),
      column, fenced, options_.seed);
}

std::string Comparison::label(const CellName& cell) const {
  return fmt::format("{}.{}.{}{}", locks_[cell.lock].algorithm->name,
                     cell.every > 0 ? kFaultClassNames[cell.column] : columns()[cell.column].name,
                     fencing_name(cell.fenced),
                     cell.every == 0   ? ""
                     : cell.every == 1 ? ".every"
                                       : fmt::format(".every-{}", cell.every));
}

std::uint64_t Comparison::held_against(const CellName& cell, Property property) const {
  const PropertyCount& count = known(cell).measures.properties[static_cast<std::size_t>(property)];
  const std::vector<Property>& asked = options_.properties;
  if (asked.empty()) return count.broken;
  return std::find(asked.begin(), asked.end(), property) != asked.end() ? count.violations : 0;
}

std::optional<Measures> Comparison::complete_with(std::uint32_t faults, std::size_t lock,
                                                  std::size_t column) const {
  if (options_.complete < faults) return std::nullopt;
  Measures sum;
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (!columns()[column].classes.has(one) || !possible_[lock].has(one)) continue;
    const Known& cell = known({.lock = lock, .column = i, .every = faults});
    const bool judged = cell.measures.crashed == 0 && cell.measures.cut_short == 0;
    const bool too_many = faults > 1 && cell.all == 0U;
    if (!cell.all || cell.runs != *cell.all || !judged || too_many) return std::nullopt;
    sum.add(cell.measures);
  }
  return sum;
}

std::optional<Complete> Comparison::complete(std::size_t lock, std::size_t column) const {
  const FaultClasses classes = columns()[column].classes;
  if (classes.empty()) return std::nullopt;
  Complete complete;
  const std::uint32_t most = number_of(classes) == 1 ? kMostComplete : 1;
  for (std::uint32_t faults = 1; faults <= most; ++faults) {
    std::optional<Measures> measures = complete_with(faults, lock, column);
    if (!measures) break;
    complete.with.push_back(std::move(*measures));
  }
  return complete.with.empty() ? std::nullopt : std::optional(std::move(complete));
}

std::optional<sim::Duration> Comparison::lease() const {
  for (const Lock& lock : locks_) {
    if (models::takes(*lock.algorithm, "ttl")) return lock.workload.lock.options.ttl;
  }
  return std::nullopt;
}

bool Comparison::reads() const {
  return std::any_of(locks_.begin(), locks_.end(), [](const Lock& lock) {
    return scenarios::has_step(lock.workload.clients.work, scenarios::WorkStep::Deed::read);
  });
}

bool Comparison::clean() const {
  for (const CellName& cell : all_cells()) {
    if (known(cell).measures.crashed > 0) return false;
    for (std::size_t i = 0; i < kPropertyCount; ++i) {
      if (held_against(cell, static_cast<Property>(i)) > 0) return false;
    }
  }
  return true;
}

std::string command(const Comparison& comparison, const CellName& cell) {
  return fmt::format(
      "picklock compare --algorithms {} --faults {}{} --seed {} --runs {}{}",
      comparison.locks()[cell.lock].algorithm->name,
      cell.every > 0 ? kFaultClassNames[cell.column] : comparison.columns()[cell.column].name,
      comparison.options().settings, comparison.options().seed,
      cell.every > 0 ? 1 : comparison.known(cell).runs,
      cell.every > 0 ? fmt::format(" --complete {}", cell.every) : "");
}

}  // namespace picklock::compare
