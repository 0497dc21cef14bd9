#include "compare/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "compare/price.h"
#include "compare/workload.h"
#include "reports/wording.h"

namespace picklock::compare {

std::string percent(std::uint64_t hits, std::uint64_t runs) {
  if (runs == 0) return {};
  const std::uint64_t rounded = (200 * hits + runs) / (2 * runs);
  if (hits > 0 && rounded == 0) return "<1";
  return std::to_string(rounded);
}

std::uint64_t broken_at_resource(const Comparison& comparison, const CellName& cell) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    if (const auto property = static_cast<Property>(i); harms_resource(property))
      sum += comparison.broken(cell, property);
  }
  return sum;
}

std::string granted_at_worst(const Comparison& comparison, std::size_t lock) {
  std::optional<double> worst;
  for (std::size_t column = 0; column < comparison.columns().size(); ++column) {
    const Measures& measures = comparison.known({lock, column, false}).measures;
    const std::optional<double> rate = share(measures.granted, measures.asked);
    if (rate && (!worst || *rate < *worst)) worst = rate;
  }
  return worst ? fmt::format("{:.0f}%", 100 * *worst) : "-";
}

std::string highest_unseen(const Comparison& comparison) {
  std::optional<std::uint64_t> least;
  for (const CellName& cell : comparison.cells()) {
    const Measures& measures = comparison.known(cell).measures;
    if (cell.fenced || measures.unsafe > 0 || measures.counted() == 0) continue;
    least = std::min(least.value_or(UINT64_MAX), measures.counted());
  }
  return least ? fmt::format("{:.2g}", 100 * wilson_95(0, *least).high) : "";
}

std::size_t untold(const Comparison& comparison) {
  std::size_t count = 0;
  for (const CellName& cell : comparison.cells()) {
    for (std::size_t i = 0; i < kPropertyCount; ++i) {
      const auto property = static_cast<Property>(i);
      const bool violated = comparison.known(cell).measures.properties[i].smallest.has_value();
      if (violated && comparison.told(cell, property).story == nullptr) ++count;
    }
  }
  return count;
}

const Story* shortest_harm(const Comparison& comparison, const CellName& cell) {
  const Story* shortest = nullptr;
  for (const Property property : kPropertiesOfTheResource) {
    if (!harms_resource(property)) continue;
    const Story* story = comparison.told(cell, property).story;
    if (story != nullptr && (shortest == nullptr || story->faults < shortest->faults))
      shortest = story;
  }
  return shortest;
}

std::vector<Broken> broken(const Comparison& comparison) {
  std::vector<Broken> all;
  for (const CellName& cell : comparison.all_cells()) {
    for (std::size_t i = 0; i < kPropertyCount; ++i) {
      const auto property = static_cast<Property>(i);
      if (comparison.held_against(cell, property) > 0) all.push_back({cell, property});
    }
  }
  return all;
}

std::vector<CellName> harmed_when_fenced(const Comparison& comparison) {
  std::vector<CellName> all = comparison.cells();
  std::erase_if(all, [&](const CellName& cell) {
    return !cell.fenced || comparison.known(cell).measures.unsafe == 0;
  });
  return all;
}

std::string fencing_in_words(const Comparison& comparison) {
  switch (comparison.options().fenced.checks) {
    case models::Checks::writes:
      return "ideal fencing of writes";
    case models::Checks::accesses:
      return "ideal fencing of reads and writes";
    case models::Checks::announced:
      return "ideal fencing of reads and writes after an announcement";
  }
  return "ideal fencing";
}

std::optional<std::size_t> column_of(const Comparison& comparison, std::string_view name) {
  const std::vector<Column>& all = comparison.columns();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Column& one) { return one.name == name; });
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

std::string what_was_made(const Comparison& comparison, const Made& made) {
  const std::optional<std::uint64_t> each = runs_of_each(comparison);
  std::uint64_t all = 0;
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  for (const CellName& cell : comparison.cells()) {
    const std::uint64_t runs = comparison.known(cell).runs;
    all += runs;
    least = std::min(least, runs);
    most = std::max(most, runs);
  }
  return fmt::format(
      "{} under {}, without fencing and with it: {} in all, {} in each cell, up to {} in a run, "
      "seed {}{}. {}.",
      reports::plural(comparison.locks().size(), "lock"),
      reports::plural(comparison.columns().size(), "column") + " of faults",
      reports::plural(all, "run"),
      each ? std::to_string(*each) : fmt::format("{} to {}", least, most),
      reports::plural(kMostFaults, "fault"), comparison.options().seed,
      made.interrupted ? "; interrupted, so there may be more to find" : "",
      in_words(comparison.locks().front().workload.clients, comparison.lease()));
}

std::string what_is_complete(const Comparison& comparison, std::string_view good) {
  std::array<std::uint64_t, kMostComplete + 1> plans{};
  for (const CellName& cell : comparison.complete_cells()) {
    const Known& known = comparison.known(cell);
    if (known.all && known.runs == *known.all) plans.at(cell.every) += known.runs;
  }
  if (plans[1] == 0) return {};
  std::string words = fmt::format(
      "{} every plan of one fault was tried, {} in all, with two clients that take the lock once, "
      "and none does it; ",
      good, reports::grouped(plans[1]));
  if (plans[2] == 0) return words + "1: one fault is enough";
  return words +
         fmt::format(
             "{}{} nor does any of two faults, where they have at most {} plans, {} in all; "
             "1: one fault is enough; 2: two are",
             good, good, reports::grouped(EveryPlan::kMostOfTwo), reports::grouped(plans[2]));
}

std::string in_short(std::optional<sim::Duration> length) {
  if (!length) return "-";
  const double seconds = static_cast<double>(length->count()) / 1e9;
  if (seconds >= 100) return fmt::format("{:.0f}s", seconds);
  if (seconds >= 1) return fmt::format("{:.1f}s", seconds);
  if (seconds >= 0.01) return fmt::format("{:.0f}ms", seconds * 1e3);
  return fmt::format("{:.1f}ms", seconds * 1e3);
}

std::string in_short(std::optional<double> number) {
  return number ? fmt::format("{:.1f}", *number) : "-";
}

}  // namespace picklock::compare
