#include "reports/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "models/servers/kind.h"
#include "reports/columns.h"
#include "reports/ink.h"
#include "reports/joined_rows.h"
#include "reports/lanes.h"
#include "reports/narrator.h"
#include "reports/promise.h"
#include "reports/story.h"
#include "reports/violation.h"
#include "scenarios/bounds.h"
#include "scenarios/program_locks.h"
#include "scenarios/promises.h"

namespace picklock::reports {
namespace {

using scenarios::Outcome;

constexpr int kNarrowest = 40;
constexpr int kShortestTime = 9;  // as wide as "9999.999s"
constexpr int kTextWidth = 34;    // columns that the lanes leave to the text
constexpr std::size_t kWitnessesShown = 2;
constexpr sim::Duration kQuiet = std::chrono::seconds(1);

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += "; ";
    text += part;
  }
  return text;
}

class TimelineWriter {
 public:
  TimelineWriter(const Outcome& outcome, const TextOptions& options)
      : outcome_(outcome),
        run_(outcome.run),
        narrator_(outcome.run),
        options_(options),
        width_(std::max(kNarrowest, options.width)),
        time_width_(std::max(kShortestTime, display_width(instant(outcome.run.ended))) + 2),
        glyphs_(palette(options.unicode)) {}

  std::string lanes() {
    if (!run_.trace.records.empty()) story();
    return std::move(out_);
  }

  std::string write() {
    header();
    if (!run_.trace.records.empty()) story();
    properties();
    faults();
    twins();
    conclusion();
    return std::move(out_);
  }

 private:
  void put(const Line& line) { out_ += line.text(options_.color); }
  void blank() { out_ += '\n'; }
  std::string shown(std::string_view text) const {
    return options_.unicode ? std::string(text) : ascii(text);
  }
  Line glyph(std::string_view mark, Ink ink) const { return Line().add(mark, ink); }

  // `text` behind `lead`, continued under itself.
  void paragraph(const Line& lead, int lead_width, std::string_view text, Ink ink = Ink::plain) {
    const std::string indent(static_cast<std::size_t>(lead_width), ' ');
    bool first = true;
    for (const std::string& line : wrap(shown(text), width_ - lead_width)) {
      put((first ? Line(lead) : Line().add(indent)).add(line, ink));
      first = false;
    }
  }

  void field(std::string_view name, std::string_view text, Ink ink = Ink::plain) {
    if (!text.empty())
      paragraph(Line().add(pad_right(name, 11), Ink::dim), 11, printable(text), ink);
  }

  void section(std::string_view title) {
    blank();
    put(Line().add(title, Ink::strong));
  }

  void header() {
    const scenarios::Scenario& scenario = run_.scenario;
    const std::string& title = scenario.title.empty() ? scenario.name : scenario.title;
    paragraph(Line(), 0, printable(title), Ink::strong);
    blank();
    if (!scenario.title.empty()) field("scenario", scenario.name);
    field("algorithm", scenario.lock.algorithm);
    field("seed", std::to_string(run_.seed));
    field("source", scenario.source);
    field("operator", operators());
  }

  std::string operators() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < run_.processes.size(); ++i) {
      const auto process = static_cast<sim::ProcessId>(i);
      if (narrator_.is_operator(process)) names.push_back(narrator_.process(process));
    }
    return list(names) + (names.empty() ? "" : ", to force open a lock that another client holds");
  }

  void story() {
    const Story story = tell(run_, narrator_, options_.detail);
    Lanes lanes(run_, narrator_, story, glyphs_, width_ - time_width_,
                std::min(kTextWidth, width_ / 2), options_.detail);
    blank();
    for (const Line& line : lanes.heading()) put(margin("").add(line));
    std::size_t next = 0;
    const Row* above = nullptr;
    sim::Instant timed = sim::kStart;  // of the last row with a time beside it
    std::vector<Row> visible;
    std::copy_if(story.rows.begin(), story.rows.end(), std::back_inserter(visible),
                 [&lanes](const Row& row) { return !lanes.passes_over(row); });
    const auto shows = [&lanes](sim::ProcessId process) { return lanes.shows(process); };
    const bool everything = options_.detail == Detail::everything;
    for (const Row& row : everything ? rows_of_one_instant(visible, shows)
                                     : joined_rows(visible, narrator_, story.changes)) {
      const auto apply_up_to = [&](std::size_t end) {
        while (next < story.changes.size() && story.changes[next].position < end) {
          lanes.apply(story.changes[next++]);
        }
      };
      apply_up_to(row.position);
      if (above != nullptr && row.at - above->at >= kQuiet && row.kind != RowKind::end) {
        put(margin("").add(lanes.plain()));
      }
      apply_up_to(row.last + 1);
      const bool same_time = above != nullptr && instant(row.at) == instant(timed);
      if (!same_time) timed = row.at;
      put_row(lanes, row, same_time ? "" : instant(row.at));
      above = &row;
    }
    explain(lanes, story);
  }

  Line margin(std::string_view time) const {
    return Line().add(pad_left(time, time_width_ - 2) + "  ", Ink::dim);
  }

  void put_row(Lanes& lanes, const Row& row, std::string_view time) {
    if (row.kind == RowKind::fault) return band(time, glyphs_.fault, row.text, Ink::alarm);
    if (row.kind == RowKind::end) return band(time, glyphs_.rule, row.text, Ink::dim);
    if (row.kind == RowKind::gap) return band(time, glyphs_.ellipsis, row.text, Ink::dim);
    const Ink ink = row.kind == RowKind::violation ? Ink::bad
                    : row.kind == RowKind::fold    ? Ink::dim
                                                   : Ink::plain;
    const int room = width_ - time_width_ - lanes.width();
    bool first = true;
    for (const std::string& line : wrap(shown(words(lanes, row)), room, 2)) {
      put(first ? margin(time).add(lanes.row(row)).add(line, ink)
                : margin("").add(lanes.plain()).add(line, ink));
      first = false;
    }
  }

  std::string words(const Lanes& lanes, const Row& row) const {
    switch (row.kind) {
      case RowKind::violation:
        return fmt::format("{} {}", glyphs_.violation, row.text);
      case RowKind::fold:
        return fmt::format("{} {}", glyphs_.ellipsis, row.text);
      case RowKind::event:
        return row.text + consequence(row);
      default:
        break;
    }
    std::string text;
    using Processes = std::vector<sim::ProcessId>;
    const Processes servers = servers_of(row);
    const bool reply = row.kind == RowKind::reply;
    const Processes senders = reply ? servers : Processes{row.from};
    const Processes receivers = reply ? Processes{row.to} : servers;
    // Only an arrow that arrives has a head at each server.
    const bool heads = row.kind == RowKind::exchange || options_.detail == Detail::everything;
    const auto unseen = [&](const Processes& processes) {
      return (processes.size() > 1 && !heads) ||
             !std::all_of(processes.begin(), processes.end(),
                          [&lanes](sim::ProcessId process) { return lanes.shows(process); });
    };
    if (unseen(senders)) text += "from " + narrator_.processes(senders);
    if (unseen(receivers) && row.fates.empty())
      text += (text.empty() ? "to " : " to ") + narrator_.processes(receivers);
    if (!text.empty()) text += ": ";
    text += row.text;
    if (row.kind == RowKind::departure) text += " leaves";
    if (!row.complete) text += " arrives";
    if (row.kind == RowKind::exchange && !row.answer.empty()) {
      text += fmt::format(" {} {}", glyphs_.to, row.answer);
    }
    return text + consequence(row);
  }

  // A row across every lane.
  void band(std::string_view time, std::string_view mark, std::string_view text, Ink ink) {
    const int lead = time_width_ + display_width(mark) + 1;
    const std::vector<std::string> lines = wrap(shown(text), width_ - lead);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      Line line = i == 0 ? margin(time).add(mark, ink).add(" ", ink)
                         : Line().add(std::string(static_cast<std::size_t>(lead), ' '));
      line.add(lines[i], ink);
      int left = i + 1 == lines.size() ? width_ - lead - display_width(lines[i]) - 1 : 0;
      if (left > 0) line.add(" ", ink);
      for (; left > 0; --left) line.add(glyphs_.rule, Ink::dim);
      put(line);
    }
  }

  void explain(const Lanes& lanes, const Story& story) {
    const std::vector<std::string> legend = lanes.legend();
    const bool complete =
        lanes.left_out().empty() && lanes.passed_over().empty() && story.upkeep.empty();
    if (legend.empty() && complete) return;
    blank();
    std::string marks;
    for (const std::string& mark : legend) {
      if (!marks.empty() && time_width_ + display_width(marks) + 3 + display_width(mark) > width_) {
        paragraph(margin(""), time_width_, marks, Ink::dim);
        marks.clear();
      }
      if (!marks.empty()) marks += "   ";
      marks += mark;
    }
    if (!marks.empty()) paragraph(margin(""), time_width_, marks, Ink::dim);
    name_missing("without a column, for lack of room: ", lanes.left_out());
    name_missing("left out, because no fault or witness names them: ", lanes.passed_over());
    if (story.upkeep.empty()) return;
    // Nobody knows what a client outside sends a command for.
    const bool outside = narrator_.is_of_outside() || scenarios::has_programs(run_.scenario);
    paragraph(margin(""), time_width_,
              fmt::format("left out, commands {}: {}",
                          outside ? "that concern no lock" : "of upkeep", list(story.upkeep)),
              Ink::dim);
  }

  void name_missing(const std::string& why, const std::vector<sim::ProcessId>& processes) {
    if (processes.empty()) return;
    paragraph(margin(""), time_width_, why + narrator_.processes(processes), Ink::dim);
  }

  void properties() {
    section("Properties");
    using properties::Outcome;
    for (const Outcome outcome : {Outcome::violated, Outcome::unknown, Outcome::holds}) {
      for (const properties::Verdict& verdict : run_.verdicts) {
        if (verdict.outcome == outcome && (outcome != Outcome::holds || promised(verdict)) &&
            !is_unseen(verdict.property))
          property(verdict);
      }
    }
    unpromised();
    not_judged();
    premises();
  }

  bool is_unseen(Property one) const {
    return std::find(run_.unseen.begin(), run_.unseen.end(), one) != run_.unseen.end();
  }

  // Only the program could tell of these.
  void not_judged() {
    if (run_.unseen.empty()) return;
    std::vector<std::string> names;
    for (const Property one : run_.unseen) names.emplace_back(name(one));
    paragraph(Line().add("  ").add(glyphs_.open, Ink::dim).add(" "), 4,
              "not judged, because nobody outside the program can see it: " + list(names),
              Ink::dim);
    if (run_.data.empty()) return;
    constexpr std::size_t kMost = 10;
    std::vector<std::string> data(
        run_.data.begin(),
        run_.data.begin() + static_cast<std::ptrdiff_t>(std::min(run_.data.size(), kMost)));
    if (run_.data.size() > kMost) data.push_back(plural(run_.data.size() - kMost, "other"));
    paragraph(
        Line().add("  ").add(glyphs_.open, Ink::dim).add(" "), 4,
        "not judged as locks, because no command takes them only if they are free: " + list(data),
        Ink::dim);
  }

  bool promised(const properties::Verdict& verdict) const {
    return promised_here(run_.promised[static_cast<std::size_t>(verdict.property)]);
  }

  void property(const properties::Verdict& verdict) {
    const bool good = verdict.outcome == properties::Outcome::holds;
    const bool bad = verdict.outcome == properties::Outcome::violated;
    const Ink ink = good ? Ink::good : bad ? Ink::bad : Ink::alarm;
    std::string outcome = properties::name(verdict.outcome);
    if (verdict.count > 1) outcome.append(" ").append(times(verdict.count));
    Line line = Line()
                    .add("  ")
                    .add(good  ? glyphs_.good
                         : bad ? glyphs_.bad
                               : glyphs_.open,
                         ink)
                    .add(" ")
                    .add(pad_right(name(verdict.property), 20))
                    .add(outcome, ink);
    promise_of(verdict, std::move(line), 24 + display_width(outcome));
    const std::size_t shown = std::min(verdict.witnesses.size(), kWitnessesShown);
    const std::size_t more = shown > 0 && verdict.count > shown ? verdict.count - shown : 0;
    for (std::size_t i = 0; i < shown; ++i)
      paragraph(Line().add("      "), 6,
                Violation(narrator_, verdict.property, verdict.witnesses[i]).sentence());
    if (more > 0) put(Line().add(fmt::format("      and {} more", more), Ink::dim));
  }

  // A simple lock promises little, and most properties hold by luck: one line for all of them, with
  // their names where there is room.
  void unpromised() {
    std::vector<std::string> held;
    for (const properties::Verdict& verdict : run_.verdicts) {
      if (verdict.outcome == properties::Outcome::holds && !promised(verdict))
        held.emplace_back(name(verdict.property));
    }
    if (held.empty()) return;
    const bool all = held.size() == run_.verdicts.size();
    const std::string count =
        fmt::format("{}{} {}, which this lock does not promise here", held.size(),
                    all ? "" : " further", held.size() == 1 ? "property holds" : "properties hold");
    const std::string named = count + ": " + list(held);
    const bool fits = 4 + display_width(named) <= width_;
    paragraph(Line().add("  ").add(glyphs_.good, Ink::dim).add(" "), 4, fits ? named : count,
              Ink::dim);
  }

  void premises() {
    std::size_t fired = 0;
    std::size_t late = 0;  // messages that the network delivers late without a fault
    for (const scenarios::FiredFault& one : run_.fired) {
      if (!one.in_vain.empty()) continue;
      const bool is_order = !scenarios::class_of(run_.scenario.faults[one.fault], run_.scenario);
      ++(is_order ? late : fired);
    }
    std::string faults = plural(fired, "fault");
    if (late > 0) faults += " and " + plural(late, "late message");
    const std::vector<std::string> of_faults = names(classes_of_faults());
    if (fired > 0 && !of_faults.empty()) faults += fmt::format(" ({})", list(of_faults));
    std::vector<std::string> of_settings = names(run_.met);
    std::erase_if(of_settings, [&](const std::string& one) {
      return std::find(of_faults.begin(), of_faults.end(), one) != of_faults.end();
    });
    if (!of_settings.empty())
      faults += fmt::format("; {} by the scenario's settings", list(of_settings));
    std::vector<std::string> premise = {plural(clients(), "client")};
    if (run_.unseen.empty()) {
      premise.push_back(run_.grants == 0 ? "no client learned that it had the lock"
                                         : "the lock was granted " + times(run_.grants));
    } else if (run_.grants > 0) {
      premise.push_back(fmt::format("clients said {} that they had the lock", times(run_.grants)));
    }
    premise.insert(premise.end(),
                   {faults, measured(run_.ended - sim::kStart) + " of virtual time"});
    paragraph(Line().add("  "), 2, "judged: " + joined(premise), Ink::dim);
    if (!run_.unseen.empty()) return;  // nobody knows who waits
    if (run_.patience > sim::Duration::zero()) {
      paragraph(
          Line().add("  "), 2,
          fmt::format("counts as stuck: still waiting {} after the last {}, with no live holder",
                      rounded(run_.patience),
                      run_.scenario.faults.empty() ? "client has arrived" : "fault has ended"),
          Ink::dim);
    }
    if (run_.longest_wait.length > sim::Duration::zero()) {
      paragraph(Line().add("  "), 2,
                fmt::format("longest wait {}, by {}", measured(run_.longest_wait.length),
                            narrator_.process(run_.longest_wait.process)),
                Ink::dim);
    }
    if (run_.longest_idle.length > scenarios::acquire_bound(run_.scenario)) {
      paragraph(Line().add("  "), 2,
                fmt::format(
                    "nobody had the lock for {}, until {}, although clients waited, {} to the end",
                    measured(run_.longest_idle.length), instant(run_.longest_idle.until),
                    narrator_.process(run_.longest_idle.process)),
                Ink::dim);
    }
    if (run_.wakeups.all > 0) paragraph(Line().add("  "), 2, woken(run_.wakeups), Ink::dim);
  }

  static std::string woken(const scenarios::Wakeups& wakeups) {
    return fmt::format("{} by {}, at most {} by one", plural(wakeups.all, "wake-up"),
                       plural(wakeups.by, "release"), grouped(wakeups.most));
  }

  // The other classes that a run meets come from clocks, pauses and latencies that its file sets.
  FaultClasses classes_of_faults() const {
    scenarios::Scenario bare = run_.scenario;
    const servers::Kind& server = scenarios::lock_server(bare);
    if (server.make_alike != nullptr) server.make_alike(bare.servers);
    if (server.clock_rate) server.clock_rate->in(bare.servers) = 0;
    if (server.gc) server.gc->in(bare.servers).every = sim::Duration::zero();
    bare.clients.gc.every = sim::Duration::zero();
    return scenarios::classes_met(bare);
  }

  // The promise stands beside the verdict where there is room, its condition below.
  void promise_of(const properties::Verdict& verdict, Line line, int width) {
    const scenarios::Promised& promised = run_.promised[static_cast<std::size_t>(verdict.property)];
    const bool bad = verdict.outcome == properties::Outcome::violated;
    const bool broken = bad && promised_here(promised);
    const bool of_program = scenarios::has_programs(run_.scenario);
    const std::string text = of_program                ? ""
                             : broken                  ? "although promised"
                             : promised_here(promised) ? ""
                                                       : promise(promised);
    const bool fits = text.empty() || width + 2 + display_width(text) <= width_;
    if (!text.empty() && fits) line.add(", " + text, broken ? Ink::bad : Ink::dim);
    put(line);
    const Line indent = Line().add("      ");
    if (!fits) paragraph(indent, 6, text, broken ? Ink::bad : Ink::dim);
    if (!promised.premise.empty()) {
      paragraph(indent, 6,
                promised.premise_kept
                    ? fmt::format("promised on condition: {}", promised.premise)
                    : fmt::format("promised on a condition that this run did not keep: {}",
                                  promised.part_not_kept),
                Ink::dim);
    }
  }

  std::size_t clients() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < run_.processes.size(); ++i) {
      if (narrator_.is_client(static_cast<sim::ProcessId>(i)) && run_.processes[i] != kCoordinator)
        ++count;
    }
    return count;
  }

  void faults() {
    if (run_.scenario.faults.empty()) return;
    section("Faults");
    bool all_fired = true;
    for (std::size_t i = 0; i < run_.scenario.faults.size(); ++i) {
      const scenarios::FiredFault* const fired = fired_fault(run_, i);
      const bool did = fired != nullptr && fired->in_vain.empty();
      all_fired = all_fired && fired != nullptr;
      const std::string text = printable(fault(run_.scenario.faults[i]));
      paragraph(Line()
                    .add("  ")
                    .add(did ? glyphs_.good : glyphs_.bad, did ? Ink::good : Ink::bad)
                    .add(fmt::format(" {}  ", i + 1)),
                6 + display_width(fmt::format("{}", i + 1)),
                text + (fired == nullptr ? "; did not fire"
                        : did            ? "; fired at " + instant(fired->at)
                              : fmt::format("; changed nothing at {}: {}", instant(fired->at),
                                            fired->in_vain)));
      if (fired == nullptr) near_miss(run_.scenario.faults[i]);
    }
    if (all_fired || run_.steps_reached.empty()) return;
    paragraph(Line().add("  "), 2, "all steps reached: " + list(run_.steps_reached));
  }

  // Says how often the step of the fault's trigger was reached.
  void near_miss(const sim::Fault& fault) {
    const sim::Trigger& trigger = fault.trigger;
    if (trigger.at || !trigger.mark.empty()) return;
    if (trigger.is_message())
      return paragraph(Line().add("       "), 7, "fewer such messages were sent");
    const std::string step = fmt::format(" {}.{} x", name(trigger.role), name(trigger.phase));
    const std::string& whose = trigger.by.empty() ? fault.target : trigger.by;
    std::vector<std::string> reached;
    for (const std::string& one : run_.steps_reached) {
      const bool same_client = !whose.starts_with("client-") || one.starts_with(whose + " ");
      if (same_client && one.find(step) != std::string::npos) reached.push_back(one);
    }
    paragraph(Line().add("       "), 7,
              reached.empty()
                  ? fmt::format("its step was never reached:{}", step.substr(0, step.size() - 2))
                  : "its step was reached: " + list(reached));
  }

  void surprises(const Run& run, int indent) {
    const Line lead = Line().add(std::string(static_cast<std::size_t>(indent), ' '));
    for (const std::string& surprise : run.surprises)
      paragraph(lead, indent, printable(surprise), Ink::bad);
  }

  void twins() {
    if (outcome_.twins.empty()) return;
    section("Twins");
    for (const Run& twin : outcome_.twins) {
      const bool good = twin.as_expected();
      paragraph(Line()
                    .add("  ")
                    .add(good ? glyphs_.good : glyphs_.bad, good ? Ink::good : Ink::bad)
                    .add(" "),
                4, printable(twin.twin.value_or(twin.scenario.name)), Ink::strong);
      paragraph(Line().add("    "), 4,
                fmt::format("{}, {}{}", good ? "as expected" : "not as expected",
                            violated(twin.verdicts, twin.unseen),
                            twin.wakeups.all > 0 ? "; " + woken(twin.wakeups) : ""));
      surprises(twin, 6);
    }
  }

  void conclusion() {
    blank();
    const bool good = outcome_.as_expected();
    if (options_.held_against_file) {
      put(Line()
              .add(good ? glyphs_.good : glyphs_.bad, good ? Ink::good : Ink::bad)
              .add(good ? " as expected" : " not as expected", good ? Ink::good : Ink::bad));
    }
    surprises(run_, 2);
    field("digest", digest(run_.digest) + ", " + plural(run_.events, "event"));
    field("repeat", options_.repeat_command, Ink::strong);
  }

  const Outcome& outcome_;
  const Run& run_;
  const Narrator narrator_;
  const TextOptions& options_;
  const int width_;
  const int time_width_;  // of the margin that holds the time
  const Palette& glyphs_;
  std::string out_;
};

}  // namespace

std::string timeline(const Outcome& outcome, const TextOptions& options) {
  return TimelineWriter(outcome, options).write();
}

std::string lanes(const scenarios::Outcome& outcome, const TextOptions& options) {
  return TimelineWriter(outcome, options).lanes();
}

}  // namespace picklock::reports
