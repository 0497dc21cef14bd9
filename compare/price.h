// The cost of a lock and its promises, in the figures that every report of a comparison has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/comparison.h"

namespace picklock::compare {

// nullopt: there was nothing to measure, as where the undisturbed column was not asked for.
struct PriceList {
  std::uint64_t acquires = 0;
  std::optional<sim::Duration> latency_p50{}, latency_p99{};
  std::optional<sim::Duration> free_p50{}, free_p99{};
  std::optional<sim::Duration> handover_p50{}, handover_p99{};
  std::optional<double> messages_per_acquire{};
  std::optional<double> commands_per_acquire{};
  std::optional<double> wakeups_per_release{};
  std::uint64_t longest_overtaking = 0;
  std::vector<std::pair<std::string, std::optional<double>>> availability{};  // by column
  std::uint64_t crashes = 0;  // of a holder, with somebody waiting
  std::uint64_t never_recovered = 0;
  std::optional<sim::Duration> recovery_p50{}, recovery_longest{};
  sim::Duration recovery_bound{};  // with what its servers need to see that a holder is gone
};

PriceList price_list(const Comparison& comparison, std::size_t lock);

// Whether the lock promises the property under all that the column may bring.
bool is_promised(const Comparison& comparison, const CellName& cell, Property property);

// How many runs every cell has; nullopt: not all the same.
std::optional<std::uint64_t> runs_of_each(const Comparison& comparison);

inline std::optional<double> share(std::uint64_t some, std::uint64_t all) {
  if (all == 0) return std::nullopt;
  return static_cast<double>(some) / static_cast<double>(all);
}

}  // namespace picklock::compare
