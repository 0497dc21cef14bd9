// The story of a run: its trace as rows for a reader, with commands joined to their answers and
// quiet repetition folded. It leaves out events without meaning but never reorders: every row tells
// of something that began before what the row below it tells. Unless it has every detail, a step of
// a client at several servers is one row.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "history/history.h"
#include "reports/narrator.h"
#include "scenarios/run.h"

namespace picklock::reports {

enum class RowKind : std::uint8_t {
  exchange,   // a command reached its server; with its answer, if nothing happened in between
  departure,  // a command left, and something happened before it arrived
  lost,       // a command or an answer that never arrives
  reply,      // an answer that came after something else happened
  event,      // something that happened at `from`
  fault,      // a fault fired, or ended
  fold,       // repetition of `from` at `to`, left out until `until`
  violation,  // `text` names and describes the violation; `processes` are concerned
  gap,        // rows left out because the run is long
  end,
};

// A command and its answer become one row if they are no further apart than this.
constexpr sim::Duration kOneBreath = std::chrono::milliseconds(50);
// A client understands an answer within this time, unless it is paused.
constexpr sim::Duration kAtOneInstant = std::chrono::milliseconds(1);

// The fate of a request at some of the servers to which it was sent.
struct Fate {
  std::vector<sim::ProcessId> servers;
  std::string answer;   // with its meaning; empty: none in this row
  bool arrived = true;  // in this row
};

struct Row {
  RowKind kind{};
  sim::Instant at{};
  sim::Instant until{};  // exchange: when its answer came, if that is told in this row
  sim::ProcessId from = 0;
  sim::ProcessId to = 0;
  std::string text{};
  std::string answer{};   // exchange: the server's answer
  std::string outcome{};  // its meaning to the client, e.g. "holds the lock"
  std::string gloss{};    // what the answer alone means; the outcome, unless that ends an operation
  // exchange: the command left in this row, not in one above; fold: all of it arrived
  bool complete = true;
  std::vector<sim::ProcessId> processes{};
  // Further processes of which the row tells the same: servers that `from` has reached as well,
  // that have sent `to` the same answer, or to which the event happened too.
  std::vector<sim::ProcessId> more{};
  std::vector<Fate> fates{};     // of a request to several servers, if they differ
  history::TenureId tenure = 0;  // 0: none
  bool concludes = false;        // event: it ends an operation of the client
  std::size_t position = 0;      // in the trace, or in the history where there is no trace
  std::size_t last = 0;          // the last position that the row covers
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

// A change in the state of a process, also where the row itself is left out.
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

// How much a story leaves out: what a reader can do without, or nothing that a client did.
enum class Detail : std::uint8_t { what_matters, everything };

// The outcome as it follows the text or the answer: ", refused".
std::string consequence(const Row& row);

// The servers of a message: those that it has reached, or that have sent it.
std::vector<sim::ProcessId> servers_of(const Row& row);

// The processes that its rows tell of: side by side in this order, otherwise as declared.
std::vector<sim::ProcessId> taking_part(const Story& story, const Narrator& narrator,
                                        const std::array<Side, 3>& order);

Story tell(const Run& run, const Narrator& narrator, Detail detail = Detail::what_matters);

}  // namespace picklock::reports
