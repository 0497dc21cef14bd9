#include "reports/joined_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "reports/wording.h"

namespace picklock::reports {
namespace {

using sim::ProcessId;

bool is_request(const Row& row) {
  return row.kind == RowKind::exchange || row.kind == RowKind::departure ||
         row.kind == RowKind::lost;
}

bool is_message(const Row& row) { return is_request(row) || row.kind == RowKind::reply; }

bool ends_operation(const Row& row) { return row.outcome != row.gloss; }

bool is_joined(const Row& row) {
  return !row.more.empty() || !row.fates.empty() ||
         (row.kind == RowKind::event && !row.outcome.empty());
}

bool is_timeout(const Row& row) { return row.kind == RowKind::event && row.from != row.to; }

// ---------------------------------------------------------------- texts

// Shorter words are numbers or names.
constexpr std::size_t kFewestDigits = 12;

// Whether it tells a request from the same one to another server. A token that was met before has
// its dots already. Digits alone are a time.
bool is_token(std::string_view word) {
  constexpr std::string_view kOfNumbers = "0123456789-";
  return word == ".." || (word.size() >= kFewestDigits &&
                          word.find_first_not_of(kOfNumbers) != std::string_view::npos &&
                          word.find_first_not_of("0123456789abcdef-") == std::string_view::npos);
}

// Two words that may differ in one token between colons: "ab:1" and "cd:1" are "..:1".
std::optional<std::string> common_word(std::string_view one, std::string_view other) {
  if (one == other) return std::string(one);
  std::size_t head = 0;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()) && one[i] == other[i]; ++i)
    if (one[i] == ':') head = i + 1;
  const std::size_t end = std::min(one.find(':', head), one.size());
  const std::size_t other_end = std::min(other.find(':', head), other.size());
  if (one.substr(end) != other.substr(other_end) || !is_token(one.substr(head, end - head)) ||
      !is_token(other.substr(head, other_end - head)))
    return std::nullopt;
  return fmt::format("{}..{}", one.substr(0, head), one.substr(end));
}

// The request that both texts are, if they differ in nothing but tokens.
std::optional<std::string> common_text(std::string_view one, std::string_view other) {
  std::string text;
  while (!one.empty() || !other.empty()) {
    const std::size_t end = std::min(one.find(' '), one.size());
    const std::size_t other_end = std::min(other.find(' '), other.size());
    const auto word = common_word(one.substr(0, end), other.substr(0, other_end));
    const bool last = end == one.size();
    if (!word || last != (other_end == other.size())) return std::nullopt;
    text += *word;
    if (last) break;
    text += ' ';
    one.remove_prefix(end + 1);
    other.remove_prefix(other_end + 1);
  }
  return text;
}

// ---------------------------------------------------------------- owners

// Which client's entry each server has, by position.
class Owners {
 public:
  explicit Owners(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      if (change.shift != Shift::entry_is && change.shift != Shift::no_entry) continue;
      const bool entry = change.shift == Shift::entry_is;
      all_[change.process].push_back(
          {change.position, entry ? std::optional(change.owner) : std::nullopt});
    }
  }

  // The client that lost its entry to the request of this row.
  std::optional<ProcessId> taken_from(const Row& row) const {
    const std::optional<ProcessId> before = at(row.to, row.position);
    return before == at(row.to, row.last + 1) ? std::nullopt : before;
  }

 private:
  struct Owned {
    std::size_t since = 0;
    std::optional<ProcessId> owner;
  };

  std::optional<ProcessId> at(ProcessId server, std::size_t position) const {
    const auto found = all_.find(server);
    if (found == all_.end()) return std::nullopt;
    const std::vector<Owned>& owned = found->second;
    const auto next = std::partition_point(
        owned.begin(), owned.end(), [position](const Owned& one) { return one.since < position; });
    return next == owned.begin() ? std::nullopt : std::prev(next)->owner;
  }

  std::map<ProcessId, std::vector<Owned>> all_;
};

// ---------------------------------------------------------------- steps

// One step so far: rows that become one.
struct Step {
  std::vector<Row> rows;
  std::string text;       // the request of all of them
  std::string outcome{};  // of the operation that ends with them
  std::size_t last = 0;   // the last position up to which nothing else has a row
};

class Joiner {
 public:
  Joiner(const Narrator& narrator, const std::vector<Change>& changes)
      : narrator_(narrator), owners_(changes) {}

  std::vector<Row> join(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      if (!joins(row)) steps_.push_back({.rows = {row}, .text = row.text, .last = row.last});
    }
    std::vector<Row> out;
    out.reserve(steps_.size());
    for (const Step& step : steps_) out.push_back(whole(step));
    return out;
  }

 private:
  // A step goes on across messages between other processes: they do not depend on each other.
  bool joins(const Row& row) {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      if (row.at - step->rows.back().at > kOneBreath) return false;
      if (concludes(*step, row)) {
        step->outcome = row.text;
        step->last = std::max(step->last, row.last);
        return true;
      }
      if (std::optional<std::string> text = text_with(*step, row)) {
        step->rows.push_back(row);
        step->text = std::move(*text);
        if (step == steps_.rbegin()) step->last = std::max(step->last, row.last);
        return true;
      }
      if (!is_apart(*step, row)) return false;
    }
    return false;
  }

  // Whether a row says what became of the operation: it follows from what the servers answered, or
  // did not. After a single answer it has a row of its own unless story.cc puts it beside that.
  static bool concludes(const Step& step, const Row& row) {
    const Row& last = step.rows.back();
    if (!row.concludes || !step.outcome.empty() || is_joined(last) || row.tenure != last.tenure)
      return false;
    if (is_timeout(last)) return instant(row.at) == instant(last.at);
    const bool several = std::any_of(step.rows.begin(), step.rows.end(),
                                     [&last](const Row& one) { return one.to != last.to; });
    const bool at_once = std::any_of(step.rows.begin(), step.rows.end(), [&row](const Row& one) {
      return row.at - one.until <= kAtOneInstant;
    });
    return is_request(last) && several && at_once &&
           std::none_of(step.rows.begin(), step.rows.end(), ends_operation);
  }

  static bool is_apart(const Step& step, const Row& row) {
    return is_message(row) && std::all_of(step.rows.begin(), step.rows.end(), [&](const Row& one) {
             return is_message(one) &&
                    std::find_first_of(one.processes.begin(), one.processes.end(),
                                       row.processes.begin(),
                                       row.processes.end()) == one.processes.end();
           });
  }

  // The text of the step with this row, if it belongs to the step.
  std::optional<std::string> text_with(const Step& step, const Row& row) const {
    const Row& first = step.rows.front();
    // The timeline joins once more what it has left out rows from.
    if (is_joined(first) || is_joined(row) || !step.outcome.empty()) return std::nullopt;
    if (row.kind == RowKind::event)
      return joins_event(step, row) ? std::optional(step.text) : std::nullopt;
    if (row.kind == RowKind::reply)
      return joins_reply(step, row) ? std::optional(step.text) : std::nullopt;
    const bool ended = std::any_of(step.rows.begin(), step.rows.end(), [&](const Row& one) {
      return ends_operation(one) && one.last < row.position;
    });
    const bool same = is_request(row) && is_request(first) && row.from == first.from &&
                      row.tenure == first.tenure && row.complete == first.complete &&
                      (row.kind == RowKind::lost) == (first.kind == RowKind::lost);
    return same && !ended ? request_with(step, row) : std::nullopt;
  }

  static bool joins_event(const Step& step, const Row& row) {
    const Row& first = step.rows.front();
    if (first.kind != row.kind || first.text != row.text || is_timeout(row) != is_timeout(first))
      return false;
    const auto same_process = [&](const Row& other) { return other.from == row.from; };
    return row.from == first.from
               ? instant(row.at) == instant(first.at) &&
                     std::all_of(step.rows.begin(), step.rows.end(), same_process)
               : std::none_of(step.rows.begin(), step.rows.end(), same_process);
  }

  // Answers that come late have rows of their own, and are alike as often as those in time.
  static bool joins_reply(const Step& step, const Row& row) {
    const Row& first = step.rows.front();
    return first.kind == row.kind && first.to == row.to && row.tenure != 0 &&
           first.tenure == row.tenure && first.text == row.text && first.gloss == row.gloss &&
           std::none_of(step.rows.begin(), step.rows.end(), [&row](const Row& other) {
             return other.from == row.from || ends_operation(other);
           });
  }

  std::optional<std::string> request_with(const Step& step, const Row& row) const {
    const auto asked = std::find_if(step.rows.rbegin(), step.rows.rend(),
                                    [&](const Row& other) { return other.to == row.to; });
    if (asked != step.rows.rend()) {
      const bool again = wants_script(*asked) && asked->text == row.text;
      return again ? std::optional(step.text) : std::nullopt;
    }
    const std::optional<ProcessId> owner = owners_.taken_from(row);
    const bool unlike = std::any_of(step.rows.begin(), step.rows.end(), [&](const Row& other) {
      const std::optional<ProcessId> others = owners_.taken_from(other);
      return owner && others && owner != others;
    });
    if (unlike || form(row) != form(step.rows.front())) return std::nullopt;
    return common_text(step.text, row.text);
  }

  static bool wants_script(const Row& row) { return row.answer.starts_with("error: NOSCRIPT"); }

  // The command; of a script, which one.
  static std::string_view form(const Row& row) {
    const std::string_view text = row.text;
    const std::size_t space = text.find(' ');
    return text.substr(0, text.starts_with("EVAL") ? text.find(' ', space + 1) : space);
  }

  Row whole(const Step& step) const {
    Row row = step.rows.front();
    if (step.rows.size() < 2 && step.outcome.empty()) return row;
    row.last = step.last;
    row.until = row.at;
    for (const Row& other : step.rows) {
      row.until = std::max(row.until, other.at);
      for (const ProcessId process : other.processes) {
        if (std::find(row.processes.begin(), row.processes.end(), process) == row.processes.end())
          row.processes.push_back(process);
      }
    }
    if (is_request(row)) {
      tell_requests(row, step);
    } else if (row.kind == RowKind::reply) {
      tell_replies(row, step.rows);
    } else {
      tell_events(row, step);
    }
    return row;
  }

  void tell_events(Row& row, const Step& step) const {
    const std::vector<Row>& events = step.rows;
    row.outcome = step.outcome;
    std::set<ProcessId> places;
    std::set<ProcessId> servers;  // whose answers came too late
    for (const Row& one : events) {
      if (one.from != row.from) row.more.push_back(one.from);
      places.insert(one.from);
      if (is_timeout(one)) servers.insert(one.to);
    }
    if (places.size() > 1) {
      row.text += " on " + names(places);
    } else if (servers.size() > 1 && servers.size() == events.size()) {
      row.text += " from " + names(servers);
    } else if (events.size() > 1) {
      row.text += ", " + times(events.size());
    }
    if (instant(row.until) != instant(row.at))
      row.text += fmt::format(", the last at {}", instant(row.until));
  }

  static void tell_replies(Row& row, const std::vector<Row>& replies) {
    std::set<ProcessId> servers;
    for (const Row& one : replies) servers.insert(one.from);
    row.from = *servers.begin();
    row.more.assign(std::next(servers.begin()), servers.end());
    row.outcome = replies.back().outcome;
    if (instant(row.until) != instant(row.at))
      row.text += fmt::format(" (until {})", instant(row.until));
  }

  void tell_requests(Row& row, const Step& step) const {
    std::map<ProcessId, Row> latest;  // by server
    std::set<ProcessId> again;
    for (const Row& one : step.rows) {
      if (!latest.insert_or_assign(one.to, one).second) again.insert(one.to);
    }
    row.text = step.text + asides(row, again, latest.size());
    const bool arrives = std::any_of(latest.begin(), latest.end(), [](const auto& one) {
      return one.second.kind == RowKind::exchange;
    });
    row.kind = arrives ? RowKind::exchange : latest.begin()->second.kind;
    std::vector<ProcessId> reached;
    for (const auto& [server, one] : latest) {
      if (one.kind == row.kind) reached.push_back(server);
    }
    row.to = reached.front();
    row.more.assign(reached.begin() + 1, reached.end());
    const auto end = std::find_if(step.rows.begin(), step.rows.end(), ends_operation);
    row.outcome = end == step.rows.end() ? step.outcome : end->outcome;
    row.fates = fates(latest);
    row.answer.clear();
    if (row.fates.size() == 1) {
      row.answer = step.rows.back().answer;
      if (row.outcome.empty()) row.outcome = step.rows.back().gloss;
      row.fates.clear();
    }
    for (const Fate& fate : row.fates) {
      if (!row.answer.empty()) row.answer += "; ";
      row.answer += told(fate, narrator_);
    }
  }

  std::string asides(const Row& row, const std::set<ProcessId>& again, std::size_t servers) const {
    std::string text;
    if (!again.empty()) {
      text = fmt::format("sent again {}after NOSCRIPT",
                         again.size() == servers ? "" : fmt::format("to {} ", names(again)));
    }
    if (instant(row.until) != instant(row.at))
      text += fmt::format("{}until {}", text.empty() ? "" : ", ", instant(row.until));
    return text.empty() ? "" : fmt::format(" ({})", text);
  }

  static std::vector<Fate> fates(const std::map<ProcessId, Row>& rows) {
    std::vector<Fate> all;
    for (const auto& [server, row] : rows) {
      const Fate fate{.servers = {server},
                      .answer = row.answer + (row.gloss.empty() ? "" : ", " + row.gloss),
                      .arrived = row.kind != RowKind::departure};
      const auto alike = std::find_if(all.begin(), all.end(), [&](const Fate& other) {
        return other.arrived == fate.arrived && other.answer == fate.answer;
      });
      if (alike == all.end()) {
        all.push_back(fate);
      } else {
        alike->servers.push_back(server);
      }
    }
    return all;
  }

  std::string names(const std::set<ProcessId>& processes) const {
    return narrator_.processes({processes.begin(), processes.end()});
  }

  const Narrator& narrator_;
  const Owners owners_;
  std::vector<Step> steps_;
};

// ---------------------------------------------------------------- rows of one instant

bool says_the_same(const Row& one, const Row& next) {
  return one.kind == next.kind && instant(one.at) == instant(next.at) && one.text == next.text &&
         one.answer == next.answer && one.complete == next.complete &&
         (one.outcome.empty() || one.outcome == next.outcome);
}

// The same event of the same process.
bool is_again(const Row& one, const Row& next) {
  return next.kind == RowKind::event && one.from == next.from && one.more.empty();
}

// The same at another process.
bool is_beside(const Row& one, const Row& next, const std::function<bool(ProcessId)>& shows) {
  if (next.kind == RowKind::event)
    return one.from != next.from && shows(one.from) && shows(next.from);
  return is_request(next) && next.kind != RowKind::lost && one.from == next.from &&
         one.to != next.to && shows(one.from) && shows(one.to) && shows(next.to);
}

}  // namespace

std::string told(const Fate& fate, const Narrator& narrator) {
  const std::string servers = narrator.processes(fate.servers);
  if (!fate.arrived) return "still on its way to " + servers;
  return fmt::format("{}: {}", servers, fate.answer.empty() ? "no answer yet" : fate.answer);
}

std::string addressed(const Row& row, const Narrator& narrator) {
  if (row.more.empty()) return row.text;
  return fmt::format("{}, {} {}", row.text, row.kind == RowKind::reply ? "from" : "to",
                     narrator.processes(servers_of(row)));
}

std::vector<Row> joined_rows(const std::vector<Row>& rows, const Narrator& narrator,
                             const std::vector<Change>& changes) {
  return Joiner(narrator, changes).join(rows);
}

std::vector<Row> rows_of_one_instant(const std::vector<Row>& rows,
                                     const std::function<bool(ProcessId)>& shows) {
  std::vector<Row> all;
  std::uint32_t times = 1;  // that the last row happened to the same process
  const auto finish = [&] {
    if (times > 1) all.back().text += ", " + reports::times(times);
    times = 1;
  };
  for (const Row& row : rows) {
    const bool joins =
        !all.empty() && says_the_same(all.back(), row) &&
        (is_again(all.back(), row) || (times == 1 && is_beside(all.back(), row, shows)));
    if (!joins) {
      finish();
      all.push_back(row);
      continue;
    }
    Row& joined = all.back();
    if (is_again(joined, row)) {
      ++times;
    } else {
      joined.more.push_back(is_request(row) ? row.to : row.from);
    }
    joined.outcome = row.outcome;
    joined.last = std::max(joined.last, row.last);
  }
  if (!all.empty()) finish();
  return all;
}

}  // namespace picklock::reports
