#include "reports/story_json.h"

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "reports/narrator.h"
#include "reports/story.h"
#include "reports/violation.h"
#include "reports/wording.h"

namespace picklock::reports {
namespace {

using Json = nlohmann::ordered_json;
using sim::ProcessId;

constexpr std::size_t kWitnessesTold = 2;

// To the microsecond, as fine as anything that the page shows.
double rounded_seconds(sim::Instant at) {
  const std::int64_t microseconds = sim::nanoseconds(at) / 1000;
  return static_cast<double>(microseconds) / 1e6;
}

std::string_view name(RowKind kind) {
  switch (kind) {
    case RowKind::exchange:
      return "exchange";
    case RowKind::departure:
      return "departure";
    case RowKind::lost:
      return "lost";
    case RowKind::reply:
      return "reply";
    case RowKind::event:
      return "event";
    case RowKind::fault:
      return "fault";
    case RowKind::fold:
      return "fold";
    case RowKind::violation:
      return "violation";
    case RowKind::gap:
      return "gap";
    case RowKind::end:
      return "end";
  }
  return "";
}

std::string_view name(Shift shift) {
  switch (shift) {
    case Shift::belief_begins:
      return "believes";
    case Shift::belief_ends:
      return "disbelieves";
    case Shift::pauses:
      return "pauses";
    case Shift::resumes:
      return "resumes";
    case Shift::goes_down:
      return "down";
    case Shift::comes_up:
      return "up";
    case Shift::entry_is:
      return "entry";
    case Shift::no_entry:
      return "no entry";
  }
  return "";
}

// Writes the story of one run. Fields with their usual value are left out: most rows have few.
class Teller {
 public:
  explicit Teller(const Run& run)
      : run_(run), narrator_(run), story_(tell(run, narrator_)), column_(run.processes.size()) {}

  Json write() {
    Json processes = columns();
    return {{"title", run_.scenario.title},
            {"algorithm", run_.scenario.lock.algorithm},
            {"seed", run_.seed},
            {"faults", faults()},
            {"broken", broken()},
            {"processes", std::move(processes)},
            {"rows", rows()}};
  }

 private:
  // Those that no row tells of have no column.
  Json columns() {
    constexpr std::array<std::string_view, 3> kNames = {"client", "server", "resource"};
    Json out = Json::array();
    for (const ProcessId process :
         taking_part(story_, narrator_, {Side::client, Side::server, Side::resource})) {
      column_[process] = out.size();
      shown_.insert(process);
      const std::string_view kind = kNames[static_cast<std::size_t>(narrator_.side(process))];
      out.push_back({{"name", narrator_.process(process)}, {"kind", kind}});
    }
    return out;
  }

  Json faults() const {
    Json out = Json::array();
    for (std::uint32_t i = 0; i < run_.scenario.faults.size(); ++i) {
      out.push_back({{"text", fault(run_.scenario.faults[i])}});
      if (const auto* fired = fired_fault(run_, i)) out.back()["at"] = rounded_seconds(fired->at);
    }
    return out;
  }

  Json broken() const {
    Json out = Json::array();
    for (const properties::Verdict& verdict : run_.verdicts) {
      if (verdict.outcome != properties::Outcome::violated) continue;
      Json sentences = Json::array();
      for (const Witness& witness : verdict.witnesses) {
        if (sentences.size() == kWitnessesTold) break;
        sentences.push_back(Violation(narrator_, verdict.property, witness).sentence());
      }
      out.push_back({{"property", picklock::name(verdict.property)},
                     {"count", verdict.count},
                     {"sentences", std::move(sentences)}});
    }
    return out;
  }

  Json rows() {
    Json out = Json::array();
    for (const Row& row : story_.rows) {
      Json one = {{"kind", name(row.kind)}, {"at", rounded_seconds(row.at)}, {"text", row.text}};
      if (row.kind != RowKind::gap && row.kind != RowKind::end) ends(row, one);
      for (const ProcessId process : row.more) one["more"].push_back(column_[process]);
      if (!row.answer.empty()) one["answer"] = row.answer;
      if (!row.outcome.empty()) one["outcome"] = row.outcome;
      if (!row.complete) one["complete"] = false;
      if (Json changes = changes_before(row.position); !changes.empty())
        one["before"] = std::move(changes);
      if (Json changes = changes_before(row.last + 1); !changes.empty())
        one["within"] = std::move(changes);
      out.push_back(std::move(one));
    }
    return out;
  }

  void ends(const Row& row, Json& one) const {
    if (shown_.contains(row.from)) one["from"] = column_[row.from];
    const bool between =
        row.kind != RowKind::event && row.kind != RowKind::fault && row.kind != RowKind::violation;
    if (between && shown_.contains(row.to)) one["to"] = column_[row.to];
    if (row.kind != RowKind::violation) return;
    Json concerned = Json::array();
    for (const ProcessId process : row.processes) concerned.push_back(column_[process]);
    one["concerned"] = std::move(concerned);
  }

  Json changes_before(std::size_t position) {
    Json out = Json::array();
    for (; next_ < story_.changes.size() && story_.changes[next_].position < position; ++next_) {
      const Change& change = story_.changes[next_];
      if (!shown_.contains(change.process)) continue;
      out.push_back({column_[change.process], name(change.shift)});
      if (change.shift == Shift::entry_is) out.back().push_back(narrator_.process(change.owner));
    }
    return out;
  }

  const Run& run_;
  const Narrator narrator_;
  const Story story_;
  std::vector<std::size_t> column_;  // by process
  std::set<ProcessId> shown_;
  std::size_t next_ = 0;  // of the changes
};

}  // namespace

nlohmann::ordered_json story_json(const scenarios::Run& run) { return Teller(run).write(); }

}  // namespace picklock::reports
