// The trace of a run, with the history in it, as items: commands joined to their answers, and all
// other events that may be worth a row. It leaves nothing out; fold.h and story.h do. A run that
// was not traced has no items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "history/history.h"
#include "picklock/client.h"
#include "reports/story.h"

namespace picklock::reports {

// A command with its answer, or a message that the server pushed.
struct Exchange {
  sim::ProcessId client = 0;
  sim::ProcessId server = 0;
  Role role = Role::none;
  history::TenureId tenure = 0;
  std::string text;
  std::string answer;
  std::string gloss;  // the meaning of the answer, where its words do not say it
  std::size_t sent = 0;
  sim::Instant sent_at{};
  std::optional<std::size_t> delivered;
  sim::Instant delivered_at{};
  std::optional<std::size_t> answered;
  sim::Instant answered_at{};
  std::optional<std::size_t> answer_lost;
  bool replied = false;  // the server has sent its answer
  bool lost = false;     // the command, or its answer
  bool timed_out = false;
  bool pushed = false;  // by the server, without a command
  bool took = false;    // made or changed an entry of the lock's key
  bool woke = false;    // a push: its client had slept until it came
  bool folded = false;
  bool ignored = false;  // a push: it came to a connection that its receiver had closed
  bool copied = false;   // by a fault: its client has sent it once
  bool upkeep = false;   // of the connection: kept only to match its answer, never shown

  std::string command() const { return text.substr(0, text.find(' ')); }
  std::string told() const { return (copied ? "copy of " : "") + text; }
  // The part that a retry repeats: the command, and for a script its digest.
  std::string_view form() const;
  // The script has to be loaded first: the command that is sent after that belongs to the same try.
  bool wants_script() const { return answer.starts_with("error: NOSCRIPT"); }
};

enum class Part : std::uint8_t { sent, delivered, answered, answer_lost, happening };

// One thing that may become a row.
struct Item {
  std::size_t position = 0;
  Part part = Part::happening;
  std::optional<std::size_t> exchange;  // the one that it is a part of, or tells of
  Row row;
  bool joins_before = false;  // joins the row of its command, if that is near
  bool joins_after = false;
  bool fails = false;  // a release that failed
  history::TenureId tenure = 0;
  bool dropped = false;

  // Nothing is joined across it.
  bool is_barrier() const {
    return part == Part::happening && !joins_before && !joins_after && row.kind != RowKind::fold;
  }
};

struct Transcript {
  std::vector<Item> items;  // not always in order of position
  std::vector<Exchange> exchanges;
  std::vector<Change> changes;
  std::vector<std::size_t> positions;  // of the events of the history
  std::set<std::string> upkeep;        // the commands that no row tells of

  Item& add(std::size_t position, sim::Instant at, RowKind kind, sim::ProcessId from,
            std::string text);
};

Transcript transcribe(const Run& run, const Narrator& narrator,
                      Detail detail = Detail::what_matters);

}  // namespace picklock::reports
