// The safety table (docs/facts/failures.md section 5; architecture "Class") as data, of the rows
// whose locks are built: what faults of one class make of a lock in one configuration, without
// fencing and with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "explore/fault_plan.h"
#include "models/locks/lock_options.h"
#include "picklock/lock.h"
#include "scenarios/scenario.h"

namespace picklock::compare::safety_table {

using explore::Strikes;
using sim::Duration;

// Whether a stale write, or an interleaving at the resource, is within reach.
enum class Reach : std::uint8_t { safe, unsafe };  // S, U
// Whether waiters are kept out although no healthy client holds.
enum class Stuck : std::uint8_t { no, bounded, for_ever };  // K, and K for ever

// A bounded outage: the longest wait that single faults of the class come to lies in here.
struct Wait {
  Duration low{};
  Duration high{};
};

struct Cell {
  FaultClass faults{};
  Strikes strikes = Strikes::anywhere;
  Reach reach = Reach::safe;
  Reach fenced = Reach::safe;  // every write with a token, checked and stored at once
  Stuck stuck = Stuck::no;
  Wait wait{};                       // K
  std::vector<FaultClass> beside{};  // K: what must strike as well
  std::uint32_t most = 3;            // faults in one run
  std::uint32_t shortest = 1;        // U: faults that the story of the catalogue needs
  std::string_view premise{};        // S: on which it is safe
};

// Premises of cells that are safe. These are of the work rather than of the lock: with another hold
// and another lease they may not be kept.
inline constexpr std::string_view kShortWork = "the work ends before the first lease expires";
inline constexpr std::string_view kNobodyElseAndShortWork =
    "a crashed client sends no further writes, and a client that waits for a crashed resource "
    "finishes before its lease expires";

// A row under one of its conditions.
struct Configuration {
  std::string_view name;                    // of its own
  std::string_view row;                     // as the table has it
  std::string_view condition;               // empty: as the row says
  std::string_view scenario;                // a plain one
  std::vector<std::string_view> changes{};  // KEY=VALUE, as `--set` takes them
  std::vector<Cell> cells{};
};

const std::vector<Configuration>& configurations();

// The claim of a cell, in words that no other claim has: "check, pause at locks, fenced".
std::string claim_of(const Configuration& configuration, const Cell& cell, bool fenced);

// Writes inside the lock's own transaction reach no resource that could check a token.
bool can_be_fenced(const Configuration& configuration);

// The scenario in which its cells are searched; `fenced`: by tokens that are the order of grants
// itself. `directory`: where the shipped scenarios are.
scenarios::Scenario scenario_of(const Configuration& configuration, bool fenced,
                                const std::string& directory);

}  // namespace picklock::compare::safety_table
