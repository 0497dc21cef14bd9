// The figures that the table and the page in Markdown share, as a reader takes them in.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/comparison.h"
#include "compare/document.h"

namespace picklock::compare {

// "38", "<1", "0": of a hundred runs; empty: there were none.
std::string percent(std::uint64_t hits, std::uint64_t runs);

// Runs that violate a property of the resource although it was promised.
std::uint64_t broken_at_resource(const Comparison& comparison, const CellName& cell);

// The least share of acquires that a lock grants in any column, in percent: "81%"; "-": unknown.
std::string granted_at_worst(const Comparison& comparison, std::size_t lock);

// The highest rate, in percent, that the runs of a cell without a find do not exclude, for the cell
// with the fewest runs: "6"; empty: there is no such cell.
std::string highest_unseen(const Comparison& comparison);

// Violations that have no story, because there was no time to make it.
std::size_t untold(const Comparison& comparison);

// The story that needs the fewest faults to harm the resource; nullptr: none does.
const Story* shortest_harm(const Comparison& comparison, const CellName& cell);

// A promise that was broken on a premise that was kept, or a property that was asked for.
struct Broken {
  CellName cell;
  Property property{};
};
std::vector<Broken> broken(const Comparison& comparison);

// The cells in which a resource with ideal fencing was harmed all the same.
std::vector<CellName> harmed_when_fenced(const Comparison& comparison);

// "ideal fencing of writes": the tokens of the fenced cells follow the order of the grants.
std::string fencing_in_words(const Comparison& comparison);

// The index of a column; nullopt: it was not requested.
std::optional<std::size_t> column_of(const Comparison& comparison, std::string_view name);

// The runs and the workload, in two sentences.
std::string what_was_made(const Comparison& comparison, const Made& made);

// The meaning of the signs before a share: "✓ every plan of one fault was tried, 43,112 in all, …,
// and none does it; 1: one fault is enough". `good`: the first sign. Empty: no search is complete.
std::string what_is_complete(const Comparison& comparison, std::string_view good);

// "4.2s", "0.52ms"; "-": unknown.
std::string in_short(std::optional<sim::Duration> length);
std::string in_short(std::optional<double> number);

// Those of the resource, which has a table of its own.
inline constexpr std::array kPropertiesOfTheResource = {
    Property::resource_exclusion, Property::no_stale_write, Property::no_lost_update,
    Property::no_holder_refused};

inline constexpr auto kOtherProperties = [] {
  std::array<Property, kPropertyCount - kPropertiesOfTheResource.size()> others{};
  std::size_t next = 0;
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    const auto property = static_cast<Property>(i);
    const auto end = kPropertiesOfTheResource.end();
    if (std::find(kPropertiesOfTheResource.begin(), end, property) == end)
      others[next++] = property;
  }
  return others;
}();

}  // namespace picklock::compare
