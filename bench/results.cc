#include "bench/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace picklock::bench {
namespace {

std::string text(std::optional<double> value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}
std::string text(std::optional<double> value, int decimals) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

std::string_view judgement(const Goal& goal) {
  if (!goal.product) return "";
  auto reached = [&](double bound) {
    return goal.at_most ? *goal.product <= bound : *goal.product >= bound;
  };
  return reached(goal.stretch) ? "stretch" : reached(goal.must) ? "must" : "MISSED";
}

}  // namespace

void Results::add(const Goal& goal) {
  // In the order of their numbers, not of the measurements; goals without a number come last.
  auto number = [](const Goal& g) {
    return g.id[0] == 'P' ? std::strtol(g.id.data() + 1, nullptr, 10) : LONG_MAX;
  };
  goals_.insert(
      std::upper_bound(goals_.begin(), goals_.end(), goal,
                       [&](const Goal& a, const Goal& b) { return number(a) < number(b); }),
      goal);
}

void Results::print_json() const {
  nlohmann::ordered_json document;
  for (const Goal& goal : goals_) {
    if (!goal.reported) continue;
    auto& entry = document[std::string(goal.id)];
    entry["ratio"] = goal.product ? nlohmann::ordered_json(*goal.product) : nullptr;
    entry["must"] = goal.must;
    entry["stretch"] = goal.stretch;
    entry["at_most"] = goal.at_most;
  }
  for (const Beside& one : beside_) {
    for (const auto& [workload, times] : one.times)
      document["locks"][one.lock][workload] = times ? nlohmann::ordered_json(*times) : nullptr;
  }
  fmt::print("{}\n", document.dump(1));
}

void Results::print_table() const {
  fmt::print("{:6} {:62} {:>11} {:>11} {:>10} {:>10}\n", "", "goal", "must", "stretch", "picklock",
             "prototype");
  for (const Goal& goal : goals_) {
    const std::string_view sign = goal.at_most ? "<=" : ">=";
    fmt::print("{:6} {:62} {} {:>8.4g} {} {:>8.4g} {:>10} {:>10}  {}\n", goal.id, goal.what, sign,
               goal.must, sign, goal.stretch, text(goal.product), text(goal.prototype),
               judgement(goal));
  }
  for (const Beside& one : beside_) {
    fmt::print("{}{}:", &one == beside_.data() ? "\n" : "", one.lock);
    for (const auto& [workload, times] : one.times) fmt::print(" {} {}", workload, text(times));
    fmt::print(" times the wall time of lua-check-delete\n");
  }
  fmt::print("\n{:58} {:>11} {:>9} {:>12} {:>9}\n", "program (medians)", "us/run", "ns/event",
             "cycles/s", "peak MB");
  for (const Series& series : all_) {
    std::string name = std::filesystem::path(series.command[0]).filename();
    for (std::size_t i = 1; i < series.command.size() && series.command[i][0] != '-'; ++i) {
      name += " " + series.command[i];
    }
    std::optional<double> peak = median(series, "peak_kb");
    if (peak) *peak *= 1.024e-3;
    fmt::print("{:58} {:>11} {:>9} {:>12} {:>9}\n", name, text(median(series, "us/run"), 2),
               text(median(series, "ns/event"), 1), text(median(series, "cycles/s"), 0),
               text(peak, 1));
  }
}

}  // namespace picklock::bench
