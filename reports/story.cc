#include "reports/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "reports/fold.h"
#include "reports/joined_rows.h"
#include "reports/transcript.h"
#include "reports/violation.h"

namespace picklock::reports {
namespace {

using history::HistoryEvent;
using history::TenureId;
using history::What;
using sim::Instant;
using sim::ProcessId;

constexpr std::size_t kLongestStory = 160;
constexpr std::size_t kRowsAround = 10;

class StoryTeller {
 public:
  StoryTeller(const Run& run, const Narrator& narrator, Detail detail)
      : run_(run),
        narrator_(narrator),
        detail_(detail),
        transcript_(transcribe(run, narrator, detail)) {}

  Story tell() {
    if (detail_ == Detail::what_matters) fold(run_, narrator_, transcript_);
    // Folding may have added items, and transcribing has where a message woke its client.
    std::stable_sort(transcript_.items.begin(), transcript_.items.end(),
                     [](const Item& a, const Item& b) { return a.position < b.position; });
    join();
    if (detail_ == Detail::what_matters)
      story_.rows = joined_rows(story_.rows, narrator_, transcript_.changes);
    point_at_violations();
    if (detail_ == Detail::what_matters) abridge();
    story_.changes = std::move(transcript_.changes);
    story_.upkeep.assign(transcript_.upkeep.begin(), transcript_.upkeep.end());
    return std::move(story_);
  }

 private:
  // Turns items into rows: a command and its answer become one row if nothing that matters happened
  // in between.
  void join() {
    std::vector<std::size_t> barriers(transcript_.items.size() + 1, 0);
    for (std::size_t i = 0; i < transcript_.items.size(); ++i)
      barriers[i + 1] = barriers[i] + (transcript_.items[i].is_barrier() ? 1 : 0);
    const auto clear = [&](std::size_t from, std::size_t to) {
      return barriers[to] == barriers[from + 1];
    };

    std::map<std::size_t, std::size_t> sent_item;  // exchange to item
    std::map<std::size_t, std::size_t> delivered_item;
    std::map<std::size_t, std::size_t> row_of;  // exchange to its latest row
    std::map<TenureId, std::pair<std::size_t, std::size_t>>
        latest;  // tenure to item and row of an answer

    // Rows with the gloss of their answer, used unless the history gives the answer a meaning.
    std::vector<std::pair<std::size_t, std::string_view>> glosses;

    for (std::size_t i = 0; i < transcript_.items.size(); ++i) {
      Item& item = transcript_.items[i];
      if (item.part != Part::happening) {
        const Exchange& exchange = transcript_.exchanges[*item.exchange];
        const auto row = row_of.find(*item.exchange);
        switch (item.part) {
          case Part::sent:
            sent_item[*item.exchange] = i;
            row_of[*item.exchange] =
                push(message(exchange, RowKind::departure, item.position, exchange.sent_at));
            if (exchange.lost && !exchange.delivered) lose(story_.rows.back(), exchange.text);
            break;
          case Part::delivered: {
            const Instant at = run_.trace.records[item.position].at;
            const std::size_t sent = sent_item[*item.exchange];
            delivered_item[*item.exchange] = i;
            if (clear(sent, i) && at - exchange.sent_at <= kOneBreath) {
              story_.rows[row->second].kind = RowKind::exchange;
              story_.rows[row->second].last = item.position;
            } else {
              row_of[*item.exchange] =
                  push(message(exchange, RowKind::exchange, item.position, at));
              story_.rows.back().complete = false;
            }
            break;
          }
          case Part::answered: {
            const auto delivered = delivered_item.find(*item.exchange);
            const bool near = delivered != delivered_item.end() && clear(delivered->second, i) &&
                              exchange.answered_at - story_.rows[row->second].at <= 2 * kOneBreath;
            if (near) {
              story_.rows[row->second].answer = exchange.answer;
              story_.rows[row->second].until = exchange.answered_at;
              story_.rows[row->second].last = item.position;
            } else {
              row_of[*item.exchange] = push(reply(exchange, item.position, exchange.answered_at));
            }
            latest[item.tenure] = {i, row_of[*item.exchange]};
            if (!exchange.gloss.empty())
              glosses.emplace_back(row_of[*item.exchange], exchange.gloss);
            break;
          }
          case Part::answer_lost: {
            const std::size_t lost =
                push(reply(exchange, item.position, run_.trace.records[item.position].at));
            lose(story_.rows[lost], story_.rows[lost].text);
            break;
          }
          case Part::happening:
            break;
        }
        continue;
      }
      // The answers before an operation begins say nothing of its outcome.
      if (item.joins_after) latest.erase(item.tenure);
      if (item.joins_before && item.tenure != 0) {
        const auto answer = latest.find(item.tenure);
        if (answer != latest.end() && !misleads(item, answer->second.first)) {
          const auto& [at, row] = answer->second;
          const Instant answered =
              transcript_.exchanges[*transcript_.items[at].exchange].answered_at;
          if (clear(at, i) && item.row.at - answered <= kAtOneInstant &&
              story_.rows[row].outcome.empty()) {
            const bool error = story_.rows[row].answer.starts_with("error:");
            story_.rows[row].outcome = item.fails && error ? "the release fails" : item.row.outcome;
            story_.rows[row].last = item.position;
            continue;
          }
        }
      }
      if (item.joins_after && item.tenure != 0 && command_follows(i)) continue;
      item.row.concludes = item.joins_before;
      item.row.tenure = item.tenure;
      if (item.joins_before || item.joins_after) item.row.outcome.clear();
      push(std::move(item.row));
    }
    for (const auto& [row, meaning] : glosses) {
      story_.rows[row].gloss = meaning;
      if (story_.rows[row].outcome.empty()) story_.rows[row].outcome = meaning;
    }
  }

  std::size_t push(Row row) {
    row.outcome = row.kind == RowKind::event ? "" : row.outcome;
    story_.rows.push_back(std::move(row));
    return story_.rows.size() - 1;
  }

  Row message(const Exchange& exchange, RowKind kind, std::size_t position, Instant at) const {
    return {.kind = kind,
            .at = at,
            .until = at,
            .from = exchange.client,
            .to = exchange.server,
            .text = exchange.told(),
            .processes = {exchange.client, exchange.server},
            .tenure = exchange.tenure,
            .position = position,
            .last = position};
  }

  Row reply(const Exchange& exchange, std::size_t position, Instant at) const {
    Row row = message(exchange, RowKind::reply, position, at);
    std::swap(row.from, row.to);
    row.text = exchange.pushed ? exchange.answer
                               : fmt::format("{} (answer to {})", exchange.answer, asked(exchange));
    row.answer = exchange.answer;
    if (exchange.ignored) row.outcome = "ignored: the connection was closed";
    if (exchange.woke) row.outcome = narrator_.process(exchange.client) + " wakes";
    return row;
  }

  // The command of a script (EVALSHA) says nothing, so its role is named instead.
  static std::string asked(const Exchange& exchange) {
    return exchange.command().starts_with("EVAL") ? fmt::format("its {}", name(exchange.role))
                                                  : exchange.command();
  }

  static void lose(Row& row, const std::string& what) {
    row.kind = RowKind::lost;
    row.text = what;
    row.outcome = "lost in transit";
    row.gloss = row.outcome;  // the operation goes on
  }

  // Whether the outcome beside this answer would seem to follow from it: a release that fails, or
  // an acquire that succeeds, because of what other servers have answered.
  bool misleads(const Item& outcome, std::size_t answered) const {
    const Exchange& last = transcript_.exchanges[*transcript_.items[answered].exchange];
    const bool refused = last.role == Role::acquire && !last.took;
    return (outcome.fails || refused) && answered_unlike(answered);
  }

  // Whether another server has answered the same command of this operation differently: then no
  // single answer says what became of it.
  bool answered_unlike(std::size_t answered) const {
    const Exchange& last = transcript_.exchanges[*transcript_.items[answered].exchange];
    for (std::size_t i = answered; i-- > 0;) {
      const Item& item = transcript_.items[i];
      if (item.tenure == last.tenure && item.joins_after) break;
      if (item.part != Part::answered || item.tenure != last.tenure) continue;
      const Exchange& other = transcript_.exchanges[*item.exchange];
      if (other.server != last.server && other.form() == last.form() && other.answer != last.answer)
        return true;
    }
    return false;
  }

  bool command_follows(std::size_t from) const {
    for (std::size_t i = from + 1; i < transcript_.items.size(); ++i) {
      const Item& item = transcript_.items[i];
      if (item.is_barrier()) return false;
      if (item.part == Part::sent && item.tenure == transcript_.items[from].tenure) {
        return transcript_.exchanges[*item.exchange].sent_at - transcript_.items[from].row.at <=
               kAtOneInstant;
      }
      const Instant at =
          item.part == Part::happening ? item.row.at : run_.trace.records[item.position].at;
      if (at - transcript_.items[from].row.at > kAtOneInstant) return false;
    }
    return false;
  }

  // Each kind of violation between the same processes gets one row, which counts the others.
  void point_at_violations() {
    struct Pointer {
      std::size_t row = 0;
      Row text;
      std::size_t alike = 0;  // later ones between the same processes
    };
    std::vector<Pointer> pointers;
    for (const properties::Verdict& verdict : run_.verdicts) {
      const std::size_t first = pointers.size();
      for (const Witness& witness : verdict.witnesses) {
        const Violation violation(narrator_, verdict.property, witness);
        const HistoryEvent* event = violation.broke_at();
        std::vector<ProcessId> concerned = violation.concerned();
        if (event == nullptr || story_.rows.empty()) continue;
        const auto shown = std::find_if(
            pointers.begin() + static_cast<std::ptrdiff_t>(first), pointers.end(),
            [&concerned](const Pointer& one) { return one.text.processes == concerned; });
        if (shown != pointers.end()) {
          ++shown->alike;
          continue;
        }
        const std::size_t row = row_telling(*event);
        Row text;
        text.kind = RowKind::violation;
        text.at = event->at;
        text.until = event->at;
        text.position = story_.rows[row].position;
        text.last = story_.rows[row].last;
        text.from = concerned.empty() ? event->process : concerned.front();
        text.to = text.from;
        text.text = fmt::format("{}: {}", name(verdict.property), violation.headline());
        text.processes = std::move(concerned);
        pointers.push_back({row, std::move(text)});
      }
      for (std::size_t i = first; i < pointers.size(); ++i) {
        if (pointers[i].alike > 0)
          pointers[i].text.text += fmt::format(" (and {} more such)", pointers[i].alike);
      }
      if (pointers.size() > first && verdict.count > verdict.witnesses.size())
        pointers.back().text.text +=
            fmt::format(" ({} more are not shown)", verdict.count - verdict.witnesses.size());
    }
    std::stable_sort(pointers.begin(), pointers.end(), [](const Pointer& a, const Pointer& b) {
      return std::tie(a.row, a.text.at) < std::tie(b.row, b.text.at);
    });
    std::vector<Row> rows;
    std::size_t next = 0;
    for (std::size_t i = 0; i < story_.rows.size(); ++i) {
      const bool end = story_.rows[i].kind == RowKind::end;
      if (!end) rows.push_back(std::move(story_.rows[i]));
      for (; next < pointers.size() && pointers[next].row == i; ++next)
        rows.push_back(std::move(pointers[next].text));
      if (end) rows.push_back(std::move(story_.rows[i]));
    }
    story_.rows = std::move(rows);
  }

  // The row of an event: that of the command that caused it, or the last row that begins before it.
  std::size_t row_telling(const HistoryEvent& event) const {
    const auto index = static_cast<std::size_t>(&event - run_.history.data());
    const std::size_t position =
        index < transcript_.positions.size() ? transcript_.positions[index] : 0;
    std::size_t found = 0;
    for (std::size_t i = 0; i < story_.rows.size() && story_.rows[i].position <= position; ++i)
      found = i;
    // A belief that ends with a release is told after the command that releases.
    if (event.what == What::release_invoked) {
      for (std::size_t i = found; i < story_.rows.size(); ++i) {
        const Row& row = story_.rows[i];
        if (row.at > event.at && instant(row.at) != instant(event.at)) break;
        const bool command = row.kind == RowKind::exchange || row.kind == RowKind::departure;
        if (command && row.from == event.process && row.position >= position) return i;
      }
    }
    const bool at_server =
        (event.what >= What::entry_created && event.what <= What::entry_removed) ||
        is_at_resource(event.what);
    const auto actor =
        at_server ? narrator_.actor_of(event) : std::optional<ProcessId>(event.process);
    for (std::size_t i = found + 1; actor && i-- > 0;) {
      const Row& row = story_.rows[i];
      if (row.last < position && event.at - row.at > kOneBreath) break;
      const bool message = row.kind == RowKind::exchange || row.kind == RowKind::reply;
      if (!message || row.last < position) continue;
      if (at_server ? row.from == *actor && tells_of(row, event.process)
                    : row.from == *actor || row.to == *actor) {
        // Times must not decrease from row to row.
        std::size_t last = found;
        while (last > i && instant(story_.rows[last].at) >= instant(event.at)) --last;
        return last;
      }
    }
    return found;
  }

  static bool tells_of(const Row& row, ProcessId process) {
    return std::find(row.processes.begin(), row.processes.end(), process) != row.processes.end();
  }

  // Keeps, of a long run, the rows around its beginning, faults, violations and end.
  void abridge() {
    std::vector<Row>& rows = story_.rows;
    if (rows.size() <= kLongestStory) return;
    std::vector<bool> kept(rows.size(), false);
    const auto keep = [&](std::size_t i) {
      const std::size_t end = std::min(rows.size(), i + kRowsAround);
      for (std::size_t k = i > kRowsAround ? i - kRowsAround : 0; k < end; ++k) kept[k] = true;
    };
    keep(0);
    keep(rows.size() - 1);
    std::size_t budget = kLongestStory / kRowsAround;
    for (std::size_t i = 0; i < rows.size() && budget > 0; ++i) {
      if (rows[i].kind != RowKind::fault && rows[i].kind != RowKind::violation) continue;
      keep(i);
      --budget;
    }
    std::vector<Row> out;
    for (std::size_t i = 0; i < rows.size();) {
      std::size_t end = i;
      while (end < rows.size() && !kept[end]) ++end;
      if (end > i) {
        Row gap = rows[i];
        gap.kind = RowKind::gap;
        gap.until = rows[end - 1].at;
        gap.last = rows[end - 1].last;
        gap.answer.clear();
        gap.outcome.clear();
        gap.more.clear();
        gap.fates.clear();
        gap.text = fmt::format("{} rows left out (until {})", end - i, instant(gap.until));
        out.push_back(std::move(gap));
        i = end;
        continue;
      }
      out.push_back(std::move(rows[i++]));
    }
    rows = std::move(out);
  }

  const Run& run_;
  const Narrator& narrator_;
  const Detail detail_;
  Transcript transcript_;
  Story story_;
};

}  // namespace

std::string consequence(const Row& row) {
  if (row.outcome.empty()) return "";
  // What follows from several answers, or from none, stands by itself.
  const bool of_answer = row.fates.empty() && row.kind != RowKind::event;
  return (of_answer ? ", " : "; ") + row.outcome;
}

std::vector<ProcessId> servers_of(const Row& row) {
  std::vector<ProcessId> all = {row.kind == RowKind::reply ? row.from : row.to};
  all.insert(all.end(), row.more.begin(), row.more.end());
  return all;
}

std::vector<ProcessId> taking_part(const Story& story, const Narrator& narrator,
                                   const std::array<Side, 3>& order) {
  std::set<ProcessId> seen;
  for (const Row& row : story.rows) {
    if (row.kind != RowKind::end && row.kind != RowKind::gap)
      seen.insert(row.processes.begin(), row.processes.end());
  }
  std::vector<ProcessId> all;
  for (const Side side : order) {
    std::copy_if(seen.begin(), seen.end(), std::back_inserter(all),
                 [&](ProcessId process) { return narrator.side(process) == side; });
  }
  return all;
}

Story tell(const Run& run, const Narrator& narrator, Detail detail) {
  return StoryTeller(run, narrator, detail).tell();
}

}  // namespace picklock::reports
