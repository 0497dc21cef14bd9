#include "reports/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/narrator.h"
#include "reports/transcript.h"
#include "reports/violation.h"
#include "reports/wording.h"

namespace picklock::reports {
namespace {

using Json = nlohmann::ordered_json;
using sim::Instant;
using sim::ProcessId;

// The tracks of one process, from top to bottom.
enum class Track : std::uint8_t { state, belief, acquires, entry, commands, handles };
constexpr std::string_view kTrackNames[] = {"state",      "belief",   "acquires",
                                            "lock entry", "commands", "handles"};
static_assert(std::size(kTrackNames) == static_cast<std::size_t>(Track::handles) + 1);

// Something that lasts. Slices that overlap on a track go to different lanes: viewers can only
// nest.
struct Slice {
  ProcessId process = 0;
  Track track{};
  Instant from{};
  Instant to{};
  std::string name;
  Json details = Json::object();
  std::uint32_t flow_out = 0;  // number of the arrow that begins here; 0: none
  std::uint32_t flow_in = 0;   // number of the arrow that ends here
  std::size_t lane = 0;
};

double microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }
double microseconds(Instant at) { return microseconds(sim::nanoseconds(at)); }

class TraceWriter {
 public:
  explicit TraceWriter(const Run& run)
      : run_(run), narrator_(run), transcript_(transcribe(run, narrator_)) {}

  Json write() {
    states();
    acquires();
    commands();
    assign_lanes();
    for (std::size_t i = 0; i < run_.processes.size(); ++i) name_process(static_cast<ProcessId>(i));
    for (const Slice& slice : slices_) put(slice);
    faults();
    violations();
    return {{"traceEvents", std::move(events_)},
            {"displayTimeUnit", "ms"},
            {"otherData",
             {{"scenario", run_.scenario.name},
              {"algorithm", run_.scenario.lock.algorithm},
              {"seed", run_.seed},
              {"digest", digest(run_.digest)}}}};
  }

 private:
  Slice& add(ProcessId process, Track track, Instant from, Instant to, std::string name) {
    slices_.push_back({.process = process,
                       .track = track,
                       .from = from,
                       .to = std::max(from, to),
                       .name = std::move(name)});
    return slices_.back();
  }

  // Slices that one change opens and a later change of the same process closes.
  struct Open {
    int depth = 0;
    Instant since{};
    std::string name;
  };
  void open(ProcessId process, Track track, Instant at, std::string name) {
    Open& one = open_[{process, track}];
    if (one.depth++ == 0) one = {.depth = 1, .since = at, .name = std::move(name)};
  }
  void close(ProcessId process, Track track, Instant at) {
    const auto found = open_.find({process, track});
    if (found == open_.end() || found->second.depth == 0 || --found->second.depth > 0) return;
    add(process, track, found->second.since, at, found->second.name);
  }

  // A process is in one state at a time, however often it is told to enter it.
  void enter(ProcessId process, Instant at, const std::string& state) {
    const auto found = open_.find({process, Track::state});
    if (found != open_.end() && found->second.depth > 0 && found->second.name == state) return;
    close(process, Track::state, at);
    open(process, Track::state, at, state);
  }

  void states() {
    for (const Change& change : transcript_.changes) {
      const Instant at = run_.trace.records[change.position].at;
      switch (change.shift) {
        case Shift::belief_begins:
          open(change.process, Track::belief, at, "believes that it holds the lock");
          break;
        case Shift::belief_ends:
          close(change.process, Track::belief, at);
          break;
        case Shift::pauses:
          enter(change.process, at, "paused");
          break;
        case Shift::goes_down:
          enter(change.process, at, "down");
          break;
        case Shift::resumes:
        case Shift::comes_up:
          close(change.process, Track::state, at);
          break;
        case Shift::entry_is:
          close(change.process, Track::entry, at);
          open(change.process, Track::entry, at,
               change.owner == change.process
                   ? "entry"
                   : fmt::format("entry of {}", narrator_.process(change.owner)));
          break;
        case Shift::no_entry:
          close(change.process, Track::entry, at);
          break;
      }
    }
    for (auto& [where, one] : open_) {
      if (one.depth > 0) add(where.first, where.second, one.since, run_.ended, one.name);
    }
  }

  // From an acquire to its outcome, or to the end of the thread that invoked it.
  void acquires() {
    std::map<sim::ThreadId, std::pair<ProcessId, Instant>> asking;
    const auto end = [&](sim::ThreadId thread, Instant at, std::string_view how) {
      const auto found = asking.find(thread);
      if (found == asking.end()) return;
      const auto [process, since] = found->second;
      add(process, Track::acquires, since, at, fmt::format("acquire, {}", how));
      asking.erase(found);
    };
    const auto end_all = [&](std::optional<ProcessId> of, Instant at, std::string_view how) {
      std::vector<sim::ThreadId> threads;
      for (const auto& [thread, since] : asking) {
        if (!of || since.first == *of) threads.push_back(thread);
      }
      for (const sim::ThreadId thread : threads) end(thread, at, how);
    };
    for (const history::HistoryEvent& event : run_.history) {
      switch (event.what) {
        case history::What::acquire_invoked:
          asking[event.thread] = {event.process, event.at};
          break;
        case history::What::acquire_ok:
          end(event.thread, event.at, "granted");
          break;
        case history::What::acquire_failed:
          end(event.thread, event.at, "refused");
          break;
        case history::What::acquire_unknown:
          end(event.thread, event.at, "outcome unknown");
          break;
        case history::What::thread_ended:
          end(event.thread, event.at, "the thread ended");
          break;
        case history::What::process_crashed:
          end_all(event.process, event.at, "crashed");
          break;
        default:
          break;
      }
    }
    end_all(std::nullopt, run_.ended, "waiting when the run ends");
  }

  void commands() {
    std::uint32_t flow = 0;
    for (const Exchange& exchange : transcript_.exchanges) {
      if (exchange.pushed) {
        pushed(exchange);
        continue;
      }
      const Instant over = exchange.answered    ? exchange.answered_at
                           : exchange.delivered ? exchange.delivered_at
                                                : exchange.sent_at;
      Slice& asked =
          add(exchange.client, Track::commands, exchange.sent_at, over, exchange.command());
      asked.details = details(exchange);
      if (!exchange.delivered) continue;
      asked.flow_out = ++flow;
      Slice& handled = add(exchange.server, Track::handles, exchange.delivered_at,
                           exchange.delivered_at, exchange.command());
      handled.details = {{"from", narrator_.process(exchange.client)},
                         {"command", exchange.told()}};
      handled.flow_in = flow;
    }
  }

  // For a message that the server pushes, the arrow leads from the server to the client.
  void pushed(const Exchange& push) {
    if (push.answered)
      add(push.client, Track::commands, push.answered_at, push.answered_at, "told").details = {
          {"by", narrator_.process(push.server)}, {"message", push.answer}};
  }

  Json details(const Exchange& exchange) const {
    Json out = {{"command", exchange.told()}, {"server", narrator_.process(exchange.server)}};
    if (!exchange.answer.empty()) out["answer"] = exchange.answer;
    if (exchange.role != Role::none && exchange.role != Role::upkeep)
      out["step"] = name(exchange.role);
    if (exchange.tenure != 0) out["tenure"] = exchange.tenure;
    if (exchange.lost) out["lost"] = true;
    if (exchange.timed_out) out["timed_out"] = true;
    return out;
  }

  void assign_lanes() {
    std::stable_sort(slices_.begin(), slices_.end(),
                     [](const Slice& a, const Slice& b) { return a.from < b.from; });
    for (Slice& slice : slices_) {
      std::vector<Instant>& free_at = lanes_[{slice.process, slice.track}];
      while (slice.lane < free_at.size() && free_at[slice.lane] > slice.from) ++slice.lane;
      if (slice.lane == free_at.size()) free_at.emplace_back();
      free_at[slice.lane] = slice.to;
    }
  }

  // Threads of the trace are numbered by track and lane, in the order in which they are shown.
  static std::size_t thread_number(Track track, std::size_t lane) {
    constexpr std::size_t kMostLanes = 1000;
    return (static_cast<std::size_t>(track) + 1) * kMostLanes + lane;
  }
  static std::size_t process_number(ProcessId process) { return std::size_t{process} + 1; }

  void name_process(ProcessId process) {
    const auto meta = [&](std::string_view what, std::size_t thread, Json value) {
      events_.push_back({{"name", what},
                         {"ph", "M"},
                         {"pid", process_number(process)},
                         {"tid", thread},
                         {"args", std::move(value)}});
    };
    meta("process_name", 0, {{"name", narrator_.process(process)}});
    meta("process_sort_index", 0, {{"sort_index", process}});
    for (const auto& [where, free_at] : lanes_) {
      if (where.first != process) continue;
      for (std::size_t lane = 0; lane < free_at.size(); ++lane) {
        const std::size_t thread = thread_number(where.second, lane);
        const std::string_view track = kTrackNames[static_cast<std::size_t>(where.second)];
        meta("thread_name", thread,
             {{"name", lane == 0 ? std::string(track) : fmt::format("{} {}", track, lane + 1)}});
        meta("thread_sort_index", thread, {{"sort_index", thread}});
      }
    }
  }

  void put(const Slice& slice) {
    const std::size_t thread = thread_number(slice.track, slice.lane);
    const auto event = [&](std::string_view name, std::string_view phase) -> Json& {
      events_.push_back({{"name", name},
                         {"ph", phase},
                         {"ts", microseconds(slice.from)},
                         {"pid", process_number(slice.process)},
                         {"tid", thread}});
      return events_.back();
    };
    Json& whole = event(slice.name, "X");
    whole["dur"] = microseconds((slice.to - slice.from).count());
    if (!slice.details.empty()) whole["args"] = slice.details;
    if (slice.flow_out != 0) {
      Json& flow = event("command", "s");
      flow["cat"] = "command";
      flow["id"] = slice.flow_out;
    }
    if (slice.flow_in != 0) {
      Json& flow = event("command", "f");
      flow["cat"] = "command";
      flow["id"] = slice.flow_in;
      flow["bp"] = "e";
    }
  }

  void faults() {
    for (const scenarios::FiredFault& fired : run_.fired) {
      const sim::Fault& what = run_.scenario.faults[fired.fault];
      events_.push_back({{"name", fmt::format("fault {}: {}", fired.fault + 1, fault(what))},
                         {"ph", "i"},
                         {"ts", microseconds(fired.at)},
                         {"pid", 0},
                         {"tid", 0},
                         {"s", "g"}});
    }
  }

  void violations() {
    for (const properties::Verdict& verdict : run_.verdicts) {
      for (const Witness& witness : verdict.witnesses) {
        const Violation violation(narrator_, verdict.property, witness);
        const history::HistoryEvent* at = violation.broke_at();
        const std::vector<ProcessId> concerned = violation.concerned();
        if (at == nullptr || concerned.empty()) continue;
        events_.push_back(
            {{"name", fmt::format("{} violated: {}", name(verdict.property), violation.headline())},
             {"ph", "i"},
             {"ts", microseconds(at->at)},
             {"pid", process_number(concerned.front())},
             {"tid", 0},
             {"s", "p"},
             {"args", {{"sentence", violation.sentence()}}}});
      }
    }
  }

  const Run& run_;
  const Narrator narrator_;
  const Transcript transcript_;
  std::vector<Slice> slices_;
  std::map<std::pair<ProcessId, Track>, Open> open_;
  std::map<std::pair<ProcessId, Track>, std::vector<Instant>>
      lanes_;  // the end of the last slice in each
  Json events_ = Json::array();
};

}  // namespace

std::string perfetto(const scenarios::Outcome& outcome) {
  return TraceWriter(outcome.run).write().dump(-1, ' ', true, Json::error_handler_t::replace) +
         '\n';
}

}  // namespace picklock::reports
