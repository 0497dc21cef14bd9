#include "reports/story_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "reports/joined_rows.h"
#include "reports/narrator.h"
#include "reports/story.h"
#include "reports/wording.h"

namespace picklock::reports {
namespace {

using Json = nlohmann::ordered_json;
using sim::ProcessId;

constexpr std::size_t kWitnessesTold = 2;

// To the microsecond, as fine as anything that the page shows.
double rounded_seconds(sim::Instant at) {
  return static_cast<double>(sim::nanoseconds(at) / 1000) / 1e6;
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
  // Clients, then servers, then the resource; those that no row tells of have no column.
  Json columns() {
    std::set<ProcessId> seen;
    for (const Row& row : story_.rows) {
      if (row.kind == RowKind::end || row.kind == RowKind::gap) continue;
      seen.insert(row.processes.begin(), row.processes.end());
    }
    Json out = Json::array();
    for (const std::string_view kind : {"client", "server", "resource"}) {
      for (const ProcessId process : seen) {
        if (kind_of(process) != kind) continue;
        column_[process] = out.size();
        out.push_back({{"name", narrator_.process(process)}, {"kind", kind}});
      }
    }
    shown_ = std::move(seen);
    return out;
  }

  std::string_view kind_of(ProcessId process) const {
    return narrator_.is_client(process)     ? "client"
           : narrator_.is_resource(process) ? "resource"
                                            : "server";
  }

  Json faults() const {
    Json out = Json::array();
    for (std::uint32_t i = 0; i < run_.scenario.faults.size(); ++i) {
      out.push_back({{"text", fault(run_.scenario.faults[i])}});
      const auto fired = std::find_if(run_.fired.begin(), run_.fired.end(),
                                      [i](const auto& one) { return one.fault == i; });
      if (fired != run_.fired.end()) out.back()["at"] = rounded_seconds(fired->at);
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
        sentences.push_back(narrator_.sentence(verdict.property, witness));
      }
      out.push_back({{"property", picklock::name(verdict.property)},
                     {"count", verdict.count},
                     {"sentences", std::move(sentences)}});
    }
    return out;
  }

  Json rows() {
    Json out = Json::array();
    const auto shows = [this](ProcessId process) { return shown_.contains(process); };
    for (const JoinedRow& joined : joined_rows(story_.rows, shows)) {
      const Row& row = joined.row;
      Json one = {{"kind", name(row.kind)}, {"at", rounded_seconds(row.at)}, {"text", row.text}};
      if (row.kind != RowKind::gap && row.kind != RowKind::end) ends(row, one);
      for (const ProcessId process : joined.more) one["more"].push_back(column_[process]);
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
