// Helpers for the rows of the safety table. Internal to it.
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/safety_table/table.h"

namespace picklock::compare::safety_table {

// On which a cell is safe, whatever the server; what is fenced is safe on the tokens' own.
inline constexpr std::string_view kNoClock = "the client measures nothing by a clock that steps";
inline constexpr std::string_view kNobodyElse = "a crashed client sends no further writes";

inline Cell safe(FaultClass faults, std::string_view premise) {
  return {.faults = faults, .premise = premise};
}
inline Cell unsafe(FaultClass faults, std::uint32_t shortest = 1) {
  return {.faults = faults, .reach = Reach::unsafe, .shortest = shortest};
}
inline Cell with_at_most(std::uint32_t most, Cell cell) {
  cell.most = most;
  return cell;
}
inline Cell striking(Strikes where, Cell cell) {
  cell.strikes = where;
  return cell;
}
inline Cell at_locks(Cell cell) { return striking(Strikes::at_locks, std::move(cell)); }
inline Cell while_asking(Cell cell) { return striking(Strikes::while_asking, std::move(cell)); }
inline Cell by_steps(Cell cell) { return striking(Strikes::by_steps, std::move(cell)); }
inline Cell at_processes(Cell cell) { return striking(Strikes::at_processes, std::move(cell)); }
inline Cell at_threads(Cell cell) { return striking(Strikes::at_threads, std::move(cell)); }
inline Cell by_outages(Cell cell) { return striking(Strikes::by_outages, std::move(cell)); }
inline Cell outage(Wait wait, Cell cell, std::vector<FaultClass> beside = {}) {
  cell.stuck = Stuck::bounded;
  cell.wait = wait;
  cell.beside = std::move(beside);
  return cell;
}
inline Cell for_ever(Cell cell) {
  cell.stuck = Stuck::for_ever;
  return cell;
}

using Changes = std::vector<std::string_view>;

template <typename Some>
void add(std::vector<Configuration>& all, Some some) {
  all.insert(all.end(), some.begin(), some.end());
}

std::vector<Configuration> redis_rows();
std::vector<Configuration> zookeeper_rows();
std::vector<Configuration> mysql_rows();

// In the order of the table.
inline constexpr std::array kRows{redis_rows, zookeeper_rows, mysql_rows};

}  // namespace picklock::compare::safety_table
