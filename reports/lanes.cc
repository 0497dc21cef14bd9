#include "reports/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "reports/columns.h"
#include "reports/violation.h"

namespace picklock::reports {
namespace {

using sim::ProcessId;

constexpr int kGap = 2;  // between the last lane, with room for an owner, and the text

// Processes that a fault strikes or a witness names, and servers that took the place of another.
std::set<ProcessId> concerned(const Run& run, const Narrator& narrator, const Story& story) {
  std::set<ProcessId> out;
  for (const scenarios::FiredFault& fired : run.fired) {
    if (fired.fault >= run.scenario.faults.size()) continue;
    const sim::Fault& fault = run.scenario.faults[fired.fault];
    for (const std::string& name : {fault.target, fault.trigger.by}) {
      if (const auto process = narrator.find(name)) out.insert(*process);
    }
  }
  const bool freed =
      std::any_of(run.history.begin(), run.history.end(), [](const history::HistoryEvent& event) {
        return event.cause == history::Cause::coordinator;
      });
  if (const auto coordinator = narrator.find(kCoordinator); freed && coordinator)
    out.insert(*coordinator);
  for (const properties::Verdict& verdict : run.verdicts) {
    for (const Witness& witness : verdict.witnesses) {
      for (const ProcessId process : Violation(narrator, verdict.property, witness).concerned())
        out.insert(process);
      const history::HistoryEvent* event =
          Violation(narrator, verdict.property, witness).broke_at();
      if (event != nullptr && event->what != history::What::horizon) out.insert(event->process);
    }
  }
  if (out.empty()) return out;
  for (const Row& row : story.rows) {
    const bool serves = row.kind == RowKind::exchange && narrator.is_client(row.from);
    if (!serves || !out.contains(row.from)) continue;
    for (const ProcessId server : servers_of(row)) out.insert(server);
  }
  return out;
}

}  // namespace

Lanes::Lanes(const Run& run, const Narrator& narrator, const Story& story, const Palette& palette,
             int width, int text_width, Detail detail)
    : narrator_(narrator), palette_(palette) {
  const std::vector<ProcessId> all =
      taking_part(story, narrator, {Side::client, Side::server, Side::resource});
  std::uint8_t next = 0;
  for (const ProcessId process : all) {
    if (!narrator.is_client(process)) continue;
    inks_[process] =
        static_cast<Ink>(static_cast<std::uint8_t>(Ink::client_1) + next++ % kClientInks);
  }

  std::vector<ProcessId> few = all;
  const std::set<ProcessId> named =
      detail == Detail::everything ? std::set<ProcessId>() : concerned(run, narrator, story);
  if (!named.empty())
    std::erase_if(few, [&](ProcessId process) { return !named.contains(process); });
  const int room = width - text_width;
  if (lay_out(all, false) > room && lay_out(all, true) > room && lay_out(few, false) > room) {
    while (lay_out(few, true) > room && !few.empty()) few.pop_back();
  }
  width_ = lanes_.empty() ? 0 : lanes_.back().anchor + kGap + 2;
  for (const ProcessId process : all) {
    if (shows(process)) continue;
    const bool wanted = named.empty() || named.contains(process);
    (wanted ? left_out_ : passed_over_).push_back(process);
  }
}

// Skips rows of a client that no fault and no witness names: other rows tell what matters.
bool Lanes::passes_over(const Row& row) const {
  if (row.kind == RowKind::fault || row.kind == RowKind::gap || row.kind == RowKind::end)
    return false;
  return std::any_of(passed_over_.begin(), passed_over_.end(), [&](ProcessId process) {
    return narrator_.is_client(process) && (row.from == process || row.to == process);
  });
}

int Lanes::lay_out(const std::vector<ProcessId>& processes, bool folded_names) {
  lanes_.clear();
  int at = 0;
  for (const ProcessId process : processes) {
    Lane lane;
    lane.process = process;
    const std::string name = narrator_.process(process);
    const std::size_t dash = folded_names ? name.rfind('-') : std::string::npos;
    lane.name = {name.substr(0, dash)};
    if (dash != std::string::npos) lane.name.push_back(name.substr(dash + 1));
    int widest = 3;
    for (const std::string& line : lane.name) widest = std::max(widest, display_width(line));
    lane.at = at;
    lane.width = widest + (folded_names ? 1 : 2);
    lane.anchor = at + (widest - 1) / 2;
    at += lane.width;
    lanes_.push_back(std::move(lane));
  }
  return lanes_.empty() ? 0 : lanes_.back().anchor + kGap + 2;
}

const Lanes::Lane* Lanes::lane_of(ProcessId process) const {
  const auto lane = std::find_if(lanes_.begin(), lanes_.end(),
                                 [process](const Lane& l) { return l.process == process; });
  return lane == lanes_.end() ? nullptr : &*lane;
}

Ink Lanes::ink(ProcessId process) const {
  const auto ink = inks_.find(process);
  return ink == inks_.end() ? Ink::plain : ink->second;
}

std::vector<Line> Lanes::heading() const {
  std::size_t lines = 0;
  for (const Lane& lane : lanes_) lines = std::max(lines, lane.name.size());
  std::vector<Line> out(lines);
  for (std::size_t i = 0; i < lines; ++i) {
    for (const Lane& lane : lanes_) {
      std::string name = i < lane.name.size() ? lane.name[i] : "";
      if (i > 0) name.insert(0, static_cast<std::size_t>(lane.anchor - lane.at), ' ');
      out[i].add(pad_right(name, lane.width), ink(lane.process));
    }
  }
  return out;
}

std::vector<std::string> Lanes::legend() const {
  std::vector<std::string> out;
  const auto mark = [](std::string_view glyph, std::string_view meaning) {
    return std::string(glyph) + " " + std::string(meaning);
  };
  if (believed_) out.push_back(mark(palette_.believes, "believes that it holds the lock"));
  if (paused_believing_) out.push_back(mark(palette_.paused_believing, "the same, paused"));
  if (paused_) out.push_back(mark(palette_.paused, "paused"));
  if (owned_ && narrator_.is_of_outside()) {
    for (const sim::ProcessId owner : owners_)
      out.push_back(mark(fmt::format("{}{}", palette_.entry, narrator_.number(owner)),
                         "entry of " + narrator_.process(owner)));
  } else if (owned_) {
    out.push_back(mark(fmt::format("{}1", palette_.entry),
                       "entry of client-1: the lock's key on the server"));
  }
  if (several_owners_) out.push_back(mark(palette_.entry, "entries of several clients"));
  if (sends_) out.push_back(mark(palette_.right_of_idle, "sends"));
  if (sends_believing_ && palette_.right_of_bar != palette_.believes)
    out.push_back(mark(palette_.right_of_bar, "sends while it believes so"));
  if (dotted_)
    out.push_back(mark(palette_.reply, "a late message, an answer, or many messages in one row"));
  if (several_)
    out.push_back(
        mark(palette_.head_right,
             unlike_ ? "more than one in a row: the same request to several servers"
                     : "more than one in a row: the same to several servers, answered alike"));
  if (event_) out.push_back(mark(palette_.event, "an event at a client"));
  if (ends_) out.push_back(mark(palette_.ends, "an event at a server"));
  if (lost_) out.push_back(mark(palette_.lost, "a lost message, or a process that is down"));
  if (violation_) out.push_back(mark(palette_.violation, "a property is violated"));
  return out;
}

void Lanes::apply(const Change& change) {
  const auto lane = std::find_if(lanes_.begin(), lanes_.end(),
                                 [&](const Lane& l) { return l.process == change.process; });
  if (lane == lanes_.end()) return;
  switch (change.shift) {
    case Shift::belief_begins:
      ++lane->beliefs;
      break;
    case Shift::belief_ends:
      lane->beliefs = std::max(0, lane->beliefs - 1);
      break;
    case Shift::pauses:
      lane->paused = true;
      break;
    case Shift::resumes:
      lane->paused = false;
      break;
    case Shift::goes_down:
      lane->down = true;
      lane->paused = false;
      break;
    case Shift::comes_up:
      lane->down = false;
      break;
    case Shift::entry_is:
      lane->owner = change.owner;
      if (change.owner != change.process) owners_.insert(change.owner);
      several_owners_ =
          several_owners_ || (change.owner == change.process && !narrator_.has_one_lock());
      break;
    case Shift::no_entry:
      lane->owner.reset();
      break;
  }
  believed_ = believed_ || lane->beliefs > 0;
  paused_believing_ = paused_believing_ || (lane->paused && lane->beliefs > 0);
  paused_ = paused_ || (lane->paused && lane->beliefs == 0);
  owned_ = owned_ || lane->owner;
}

std::string Lanes::bar(const Lane& lane) const {
  if (lane.down) return " ";
  if (lane.paused)
    return std::string(lane.beliefs > 0 ? palette_.paused_believing : palette_.paused);
  if (lane.owner) return std::string(palette_.entry);
  return std::string(lane.beliefs > 0 ? palette_.believes : palette_.idle);
}

Cells Lanes::bars() const {
  Cells cells(static_cast<std::size_t>(width_));
  for (const Lane& lane : lanes_) {
    const auto at = static_cast<std::size_t>(lane.anchor);
    const bool busy = lane.beliefs > 0 || lane.paused || lane.owner;
    const Ink own = lane.owner ? ink(*lane.owner) : busy ? ink(lane.process) : Ink::dim;
    cells[at] = {bar(lane), own};
    if (!lane.owner || lane.down) continue;
    if (*lane.owner == lane.process) continue;
    const std::string number = narrator_.number(*lane.owner);
    for (std::size_t i = 0; i < number.size() && at + 1 + i < cells.size(); ++i) {
      cells[at + 1 + i] = {std::string(1, number[i]), own};
    }
  }
  return cells;
}

Line Lanes::plain() const { return Line(bars()); }

Line Lanes::row(const Row& row) {
  Cells cells = bars();
  switch (row.kind) {
    case RowKind::exchange:
    case RowKind::departure:
    case RowKind::lost:
    case RowKind::reply:
    case RowKind::fold:
      arrows(cells, row);
      break;
    case RowKind::event:
      event(cells, row.from);
      for (const ProcessId other : row.more) event(cells, other);
      break;
    case RowKind::violation:
      violation_ = true;
      for (const ProcessId process : row.processes) {
        mark(cells, process, std::string(palette_.violation), Ink::bad);
      }
      break;
    case RowKind::fault:
    case RowKind::gap:
    case RowKind::end:
      break;
  }
  return Line(cells);
}

void Lanes::mark(Cells& cells, ProcessId process, const std::string& glyph, Ink ink) const {
  if (const Lane* lane = lane_of(process))
    cells[static_cast<std::size_t>(lane->anchor)] = {glyph, ink};
}

void Lanes::event(Cells& cells, ProcessId process) {
  const Lane* lane = lane_of(process);
  const bool down = lane != nullptr && lane->down;
  const bool client = narrator_.is_client(process);
  (down ? lost_ : client ? event_ : ends_) = true;
  mark(cells, process,
       std::string(down     ? palette_.lost
                   : client ? palette_.event
                            : palette_.ends),
       down ? Ink::alarm : ink(process));
}

// One line to the farthest server, with a head at each of the others.
void Lanes::arrows(Cells& cells, const Row& row) {
  Row farthest = row;
  if (row.kind == RowKind::reply) {
    for (const ProcessId other : row.more) {
      if (shows(other)) farthest.from = other;  // in the order of their lanes
    }
    return arrow(cells, farthest);
  }
  std::vector<ProcessId> nearer;
  for (const ProcessId other : row.more) {
    if (!shows(other)) continue;
    if (!shows(farthest.to)) {
      farthest.to = other;
    } else if (lane_of(other)->anchor > lane_of(farthest.to)->anchor) {
      nearer.push_back(std::exchange(farthest.to, other));
    } else {
      nearer.push_back(other);
    }
  }
  arrow(cells, farthest);
  const bool arrives = row.kind == RowKind::exchange;
  for (const ProcessId server : nearer) {
    if (!arrives) break;
    several_ = true;
    unlike_ = unlike_ || !row.fates.empty();
    cells[static_cast<std::size_t>(lane_of(server)->anchor - 1)] = {
        std::string(palette_.head_right), ink(row.from)};
  }
}

void Lanes::arrow(Cells& cells, const Row& row) {
  const Lane* from = lane_of(row.from);
  const Lane* to = lane_of(row.to);
  if (from == nullptr || to == nullptr || from == to) {
    const Lane* seen = from != nullptr ? from : to;
    if (seen != nullptr) {
      const bool client = narrator_.is_client(seen->process);
      (client ? event_ : ends_) = true;
      mark(cells, seen->process, std::string(client ? palette_.event : palette_.ends),
           ink(seen->process));
    }
    return;
  }
  const ProcessId client = narrator_.is_client(row.from) ? row.from : row.to;
  const Ink own = row.kind == RowKind::fold ? Ink::dim : ink(client);
  const bool right = from->anchor < to->anchor;
  const int step = right ? 1 : -1;
  const int length = (to->anchor - from->anchor) * step;
  const bool late = row.kind == RowKind::exchange && !row.complete;
  const bool dotted = row.kind == RowKind::reply || row.kind == RowKind::fold || late;
  const bool half = row.kind == RowKind::lost || row.kind == RowKind::departure ||
                    (row.kind == RowKind::fold && !row.complete);
  const int end = half ? length / 2 : length - 1;
  dotted_ = dotted_ || dotted;
  lost_ = lost_ || row.kind == RowKind::lost;
  for (int i = 1; i <= end; ++i) {
    const int column = from->anchor + i * step;
    Cell& cell = cells[static_cast<std::size_t>(column)];
    const auto is = [&](std::string_view glyph) { return cell.glyph == glyph; };
    if (i == end && row.kind == RowKind::lost) {
      cell = {std::string(palette_.lost), Ink::alarm};
    } else if (i == end && !half) {
      cell = {std::string(right ? palette_.head_right : palette_.head_left), own};
    } else if (is(palette_.paused) || is(palette_.paused_believing)) {
      continue;
    } else if (is(palette_.believes)) {
      cell.glyph = palette_.cross_bar;
    } else if (is(palette_.idle)) {
      cell.glyph = palette_.cross_idle;
    } else {
      cell = {std::string(dotted ? palette_.reply : palette_.across), own};
    }
  }
  Cell& start = cells[static_cast<std::size_t>(from->anchor)];
  if (start.glyph == palette_.idle) {
    start = {std::string(right ? palette_.right_of_idle : palette_.left_of_idle), own};
    sends_ = sends_ || right;
  } else if (start.glyph == palette_.believes) {
    start.glyph = right ? palette_.right_of_bar : palette_.left_of_bar;
    sends_believing_ = sends_believing_ || right;
  }
}

}  // namespace picklock::reports
