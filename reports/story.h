// The story of a run: its trace as rows a person can follow, with commands joined to their answers
// and quiet repetition folded. It drops what carries no meaning and never reorders: whatever a row
// says happened, did, and before the row below it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reports/narrator.h"
#include "scenarios/run.h"

namespace picklock::reports {

enum class RowKind : std::uint8_t {
  exchange,  // a command reached its server; with its answer, if that came without anything between
  departure,  // a command left, and something happened before it arrived
  lost,       // a command or an answer that never arrives
  reply,      // an answer that came after something else had happened
  event,      // something that happened at `from`
  fault,      // a fault fired, or is over
  fold,       // repetition of `from` at `to`, left out until `until`
  violation,  // `text` names the property and says what went wrong; `processes` are concerned
  gap,        // rows left out because the run is long
  end,
};

struct Row {
  RowKind kind{};
  sim::Instant at{};
  sim::Instant until{};
  sim::ProcessId from = 0;
  sim::ProcessId to = 0;
  std::string text;
  std::string answer;   // exchange: what the server said
  std::string outcome;  // what it meant to the client, e.g. "holds the lock"
  // exchange: the command left in this row, not in one above; fold: all of it arrived
  bool complete = true;
  std::vector<sim::ProcessId> processes;
  std::size_t position = 0;  // in the trace, or in the history where there is no trace
  std::size_t last = 0;      // the last position that it tells of
};

enum class Shift : std::uint8_t {
  belief_begins,
  belief_ends,
  pauses,
  resumes,
  goes_down,
  comes_up,
  entry_is,  // the server holds an entry of `owner`
  no_entry,
};

// How the state of a process changes along the way, hidden rows included.
struct Change {
  std::size_t position = 0;
  sim::ProcessId process = 0;
  Shift shift{};
  sim::ProcessId owner = 0;
};

struct Story {
  std::vector<Row> rows;
  std::vector<Change> changes;
  std::vector<std::string> upkeep;  // the commands of clients that no row tells of
};

Story tell(const Run& run, const Narrator& narrator);

}  // namespace picklock::reports
