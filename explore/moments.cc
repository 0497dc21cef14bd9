#include "explore/moments.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "explore/signature.h"
#include "scenarios/bounds.h"
#include "scenarios/process_kinds.h"
#include "scenarios/runner.h"
#include "scenarios/topology.h"
#include "scenarios/verbs/kind.h"

namespace picklock::explore {
namespace {

using sim::Phase;
using sim::ProcessId;
using sim::Side;
using sim::TraceKind;

// A step or a mark of a client, as a number: each one is looked up several times, also where the
// client repeats it.
using Step = std::uint64_t;

// The command of a step. A lock may send several with one role, such as BEGIN and SELECT, and a
// fault at the second does something else.
using Command = std::size_t;

std::size_t index_of(std::string_view word, std::vector<std::string_view>& words) {
  const auto known = std::find(words.begin(), words.end(), word);
  const auto index = static_cast<std::size_t>(known - words.begin());
  if (known == words.end()) words.push_back(word);
  return index;
}

class Reader {
 public:
  Reader(const scenarios::World& world, bool alike)
      : world_(world),
        names_(world.processes()),
        alike_(alike),
        orders_(world.scenario().network.order == scenarios::Order::any) {
    const std::vector<scenarios::ProcessSpec> processes = scenarios::processes_of(world.scenario());
    for (const std::string& name : names_) {
      const scenarios::ProcessSpec* process = scenarios::find(processes, name);
      is_client_.push_back(process != nullptr && *process->kind == scenarios::kClientKind);
      takes_steps_.push_back(process != nullptr && process->kind->takes_steps);
      is_late_.push_back(verbs::any_slows(world.scenario().faults, name));
    }
  }

  Course read() {
    const sim::Trace& trace = world_.trace();
    for (const history::HistoryEvent& event : world_.recorded())
      firings_ += event.what == history::What::fault_fired ? 1 : 0;
    scenarios::PassedSteps steps;
    for (const sim::TraceRecord& record : trace.records) {
      course_.happenings.add(record, world_);
      now_ = record.at;
      if (record.kind == TraceKind::sent)
        course_.talks.insert(std::minmax(record.process, record.peer));
      if (orders_ && record.kind == TraceKind::sent && !is_of_step(record)) left(record);
      if (record.kind == TraceKind::delivered && !record.reply) arrived(record);
      if (record.kind == TraceKind::recorded) {
        look_at(world_.recorded()[record.message]);
      } else if (record.kind == TraceKind::mark) {
        const std::string_view mark = trace.payload(record);
        command_ = 0;
        passed({.client = record.process, .mark = mark}, number_of(record.process, mark));
      } else if (const auto step = steps.read(record)) {
        message_ = record.message;
        if (!record.reply) request(message_).command = command_of(trace, record);
        const Request& asked = request(record.reply ? record.answers : message_);
        command_ = asked.command;
        arrived_after_ = asked.arrived_after;
        at_once_ = record.reply && asked.arrived == record.at;
        passed({.client = step->client,
                .server = step->server,
                .role = step->role,
                .phase = step->phase},
               number_of(step->client, step->role, step->phase));
      }
    }
    for (ProcessId id = 0; id < names_.size(); ++id) {
      if (!world_.has_read_wall_clock(id)) course_.timeless.insert(id);
    }
    if (orders_) find_late();
    return std::move(course_);
  }

 private:
  // The request of a client, or its answer.
  bool is_of_step(const sim::TraceRecord& record) const {
    return record.role != Role::none && takes_steps_[record.reply ? record.peer : record.process];
  }

  // A message that belongs to no step has left. If equal ones follow one another, such as
  // heartbeats, only the first may be late.
  void left(const sim::TraceRecord& record) {
    const std::pair way(record.process, record.peer);
    const std::uint32_t nth = ++times_sent_[way];
    if (!lists()) return;
    const std::uint64_t words = sim::fingerprint(world_.trace().payload(record));
    if (!alike_ && !listed_messages_.emplace(way, words).second) return;
    sim::Fault late{.verb = sim::Verb::delay, .target = names_[record.process]};
    late.trigger = {.nth = nth, .on = names_[record.peer]};
    messages_.emplace(record.message, std::move(late));
  }

  struct Request {
    sim::Instant arrived = sim::kNever;
    std::size_t arrived_after = 0;  // happenings
    Command command = 0;
  };

  // Whether the last fault has fired. Steps before that are counted and not listed.
  bool lists() const { return firings_ == 0; }

  void arrived(const sim::TraceRecord& asked) {
    Request& one = request(asked.message);
    one.arrived = asked.at;
    one.arrived_after = course_.happenings.size();
  }

  Request& request(std::uint32_t message) {
    if (requests_.size() <= message) requests_.resize(message + 1);
    return requests_[message];
  }

  Command command_of(const sim::Trace& trace, const sim::TraceRecord& asked) {
    const sim::Protocol& protocol = *trace.protocols[asked.protocol];
    if (protocol.command == nullptr) return 0;
    return index_of(protocol.command(trace.payload(asked)), commands_);
  }

  void look_at(const history::HistoryEvent& event) {
    if (event.what == history::What::fault_fired) {
      --firings_;
      // A fault that strikes after a step fires when the step has been traced.
      if (lists() && after_ && strikes(world_.scenario().faults[event.key].trigger, *after_))
        list(*after_);
    } else if (is_notable(event)) {
      listed_.clear();
      listed_messages_.clear();
      fresh_ = true;
    }
  }

  // Just before or after a step of a client, or a mark.
  struct Passed {
    ProcessId client = 0;
    std::optional<ProcessId> server{};
    Role role{};
    Phase phase = Phase::sent;
    std::string_view mark{};  // in the trace
    std::uint32_t nth = 0;
    std::uint32_t nth_there = 0;  // counted at its server alone
    Side side = Side::before;
  };

  // A process that is paused or slow acts later than the trace says.
  std::optional<std::size_t> happened_before(const Passed& here) const {
    if (is_late_[here.client] || (here.server && is_late_[*here.server])) return std::nullopt;
    if (here.phase == Phase::replied) return std::nullopt;
    // The record that tells of the step is that of its message, which has not left yet.
    if (here.phase != Phase::applied || here.side == Side::after)
      return course_.happenings.size() - 1;
    return at_once_ ? std::optional(arrived_after_) : std::nullopt;
  }

  static bool strikes(const sim::Trigger& trigger, const Passed& here) {
    return trigger.side == here.side && trigger.role == here.role && trigger.phase == here.phase &&
           trigger.mark == here.mark && trigger.nth == here.nth;
  }

  static constexpr Step kFirstMark = sim::kMostRoles * sim::kPhaseNames.size();
  static constexpr Step of(ProcessId client, Step kind) { return Step{client} << 32 | kind; }
  static Step number_of(ProcessId client, Role role, Phase phase) {
    return of(client, static_cast<Step>(role) * sim::kPhaseNames.size() + static_cast<Step>(phase));
  }
  Step number_of(ProcessId client, std::string_view mark) {
    return of(client, kFirstMark + index_of(mark, marks_));
  }

  void passed(Passed here, Step step) {
    if (!takes_steps_[here.client]) return;
    here.nth = ++times_[step];
    if (orders_ && here.server) here.nth_there = ++times_there_[{step, *here.server}];
    // No fault strikes at a step of a coordinator, but its messages may be late.
    if (!is_client_[here.client]) {
      if (!lists()) return;
      if (alike_ || listed_.emplace(step, command_, here.server, here.side).second)
        let_be_late(here);
      return;
    }
    const bool leaves = here.server && here.phase == Phase::sent;
    for (const Side side : {Side::before, Side::after}) {
      here.side = side;
      after_ = here;
      if (!lists()) continue;
      if (!alike_ && leaves && side == Side::after) continue;
      if (!alike_ && !listed_.emplace(step, command_, here.server, side).second) continue;
      list(here);
    }
  }

  void list(const Passed& here) {
    Moment moment{.trigger = {.side = here.side,
                              .role = here.role,
                              .phase = here.phase,
                              .mark = std::string(here.mark),
                              .nth = here.nth,
                              .by = names_[here.client]},
                  .client = here.client,
                  .server = here.server,
                  .fresh = std::exchange(fresh_, false),
                  .at_once = at_once_,
                  .at = now_,
                  .happened_before = happened_before(here)};
    // The step of a request or of its answer, before it leaves.
    let_be_late(here);
    course_.moments.push_back(std::move(moment));
  }

  // The request of the step or its answer, before it leaves.
  void let_be_late(const Passed& here) {
    if (orders_ && here.server && here.side == Side::before && here.phase != Phase::replied)
      messages_.emplace(message_, late_message(here));
  }

  sim::Fault late_message(const Passed& here) const {
    const scenarios::Scenario& scenario = world_.scenario();
    sim::Fault late{.verb = sim::Verb::delay, .target = names_[here.client]};
    late.trigger = {.side = here.side, .role = here.role, .phase = here.phase, .nth = here.nth};
    const std::string& client = names_[here.client];
    const std::string& server = names_[*here.server];
    const bool asks = here.phase == Phase::sent;
    // With several servers the bounds are those of this one.
    if (scenarios::order_slack(scenario, late) <
        scenarios::order_slack(scenario.network, asks ? client : server, asks ? server : client)) {
      late.trigger.on = server;
      late.trigger.nth = here.nth_there;
    }
    return late;
  }

  // A second delay of the same message would add to the first and lead beyond the bounds.
  bool is_late(const sim::Fault& late) const {
    const sim::Plan& plan = world_.scenario().faults;
    return std::any_of(plan.begin(), plan.end(), [&](const sim::Fault& other) {
      return other.verb == late.verb && other.target == late.target &&
             other.trigger == late.trigger;
    });
  }

  // A message can come just after whatever happens at its receiver while it might be under way.
  void find_late() {
    const scenarios::Network& network = world_.scenario().network;
    std::map<ProcessId, std::set<sim::Instant>> times;  // at which something happens
    for (const sim::TraceRecord& record : world_.trace().records) {
      const bool arrives = record.kind == TraceKind::delivered;
      if (record.kind == TraceKind::recorded) {
        const history::HistoryEvent& event = world_.recorded()[record.message];
        if (is_notable(event)) times[event.process].insert(record.at);
      } else if (arrives || record.kind == TraceKind::sent) {
        times[arrives ? record.peer : record.process].insert(record.at);
      }
    }
    for (const sim::TraceRecord& record : world_.trace().records) {
      const auto message = messages_.find(record.message);
      if (record.kind != TraceKind::sent || message == messages_.end()) continue;
      const std::string& from = names_[record.process];
      const std::string& to = names_[record.peer];
      const sim::Instant first = record.at + scenarios::least_latency(network, from, to);
      const sim::Instant last = first + scenarios::order_slack(network, from, to);
      if (first == last) continue;
      sim::Fault& late = message->second;
      if (is_late(late)) continue;
      const std::set<sim::Instant>& here = times[record.peer];
      for (auto at = here.lower_bound(first); at != here.end() && *at < last; ++at) {
        late.lasts = *at - first + sim::Duration(1);
        course_.late.push_back(late);
      }
      if (late.lasts == last - first) continue;
      late.lasts = last - first;
      course_.late.push_back(late);
    }
  }

  const scenarios::World& world_;
  const std::vector<std::string> names_;
  const bool alike_;
  const bool orders_;
  std::vector<bool> is_client_;
  std::vector<bool> takes_steps_;
  std::vector<bool> is_late_;
  Course course_;
  std::size_t firings_ = 0;        // that are still to come
  std::optional<Passed> after_;    // the last that was passed
  std::uint32_t message_ = 0;      // of that step
  Command command_ = 0;            // of that step
  bool at_once_ = false;           // whether it answers what has just come
  std::size_t arrived_after_ = 0;  // what it answers, in happenings
  sim::Instant now_{};
  std::vector<Request> requests_;                 // by the numbers of their messages
  std::map<std::uint32_t, sim::Fault> messages_;  // that may be late, by their numbers
  bool fresh_ = true;
  std::vector<std::string_view> marks_;
  std::vector<std::string_view> commands_;
  std::map<Step, std::uint32_t> times_;
  std::map<std::pair<Step, ProcessId>, std::uint32_t> times_there_;
  std::set<std::tuple<Step, Command, std::optional<ProcessId>, Side>> listed_;
  // How often messages that belong to no step were sent.
  std::map<std::pair<ProcessId, ProcessId>, std::uint32_t> times_sent_;
  std::set<std::pair<std::pair<ProcessId, ProcessId>, std::uint64_t>> listed_messages_;
};

}  // namespace

bool Moment::is_among(const std::vector<ProcessId>& some) const {
  const auto has = [&some](ProcessId one) {
    return std::find(some.begin(), some.end(), one) != some.end();
  };
  if (some.size() == 1) return has(client) || (server && has(*server));
  return has(client) && (!server || has(*server));
}

bool Moment::is_just_after(const Moment& other) const {
  if (trigger.side != Side::after || other.trigger.side != Side::before) return false;
  sim::Trigger step = trigger;
  step.side = Side::before;
  return server && step == other.trigger && client == other.client && server == other.server;
}

Course course(const scenarios::World& world, bool alike) { return Reader(world, alike).read(); }

}  // namespace picklock::explore
