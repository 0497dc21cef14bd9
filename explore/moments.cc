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

namespace picklock::explore {
namespace {

using sim::Phase;
using sim::ProcessId;
using sim::Side;
using sim::TraceKind;

// A step or a mark of a client, as a number: each one is looked up several times, also where the
// client repeats it.
using Step = std::uint64_t;

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
    }
  }

  Course read() {
    const sim::Trace& trace = world_.trace();
    scenarios::PassedSteps steps;
    for (const sim::TraceRecord& record : trace.records) {
      if (record.kind == TraceKind::sent)
        course_.talks.insert(std::minmax(record.process, record.peer));
      if (orders_ && record.kind == TraceKind::sent && !is_of_step(record)) left(record);
      if (record.kind == TraceKind::delivered && !record.reply) arrived(record.message) = record.at;
      if (record.kind == TraceKind::recorded) {
        look_at(world_.recorded()[record.message]);
      } else if (record.kind == TraceKind::mark) {
        const std::string_view mark = trace.payload(record);
        passed({.client = record.process, .mark = mark}, number_of(record.process, mark));
      } else if (const auto step = steps.read(record)) {
        message_ = record.message;
        at_once_ = arrived(record.answers) == record.at;
        passed({.client = step->client,
                .server = step->server,
                .role = step->role,
                .phase = step->phase},
               number_of(step->client, step->role, step->phase));
      }
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
    const std::uint64_t words = sim::fingerprint(world_.trace().payload(record));
    if (!alike_ && !listed_messages_.emplace(way, words).second) return;
    sim::Fault late{.verb = sim::Verb::delay, .target = names_[record.process]};
    late.trigger = {.nth = nth, .on = names_[record.peer]};
    messages_.emplace(record.message, std::move(late));
  }

  sim::Instant& arrived(std::uint32_t message) {
    if (arrivals_.size() <= message) arrivals_.resize(message + 1, sim::kNever);
    return arrivals_[message];
  }

  void look_at(const history::HistoryEvent& event) {
    if (event.what == history::What::fault_fired) {
      course_.moments.clear();
      messages_.clear();
      listed_.clear();
      listed_messages_.clear();
      fresh_ = true;
      // A fault that strikes after a step fires when the step has been traced.
      if (after_ && strikes(world_.scenario().faults[event.key].trigger, *after_)) list(*after_);
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
    const auto known = std::find(marks_.begin(), marks_.end(), mark);
    const auto index = static_cast<Step>(known - marks_.begin());
    if (known == marks_.end()) marks_.push_back(mark);
    return of(client, kFirstMark + index);
  }

  void passed(Passed here, Step step) {
    if (!takes_steps_[here.client]) return;
    here.nth = ++times_[step];
    if (here.server) here.nth_there = ++times_there_[{step, *here.server}];
    // No fault strikes at a step of a coordinator, but its messages may be late.
    if (!is_client_[here.client]) {
      if (alike_ || listed_.emplace(step, here.server, here.side).second) let_be_late(here);
      return;
    }
    const bool leaves = here.server && here.phase == Phase::sent;
    for (const Side side : {Side::before, Side::after}) {
      here.side = side;
      after_ = here;
      if (!alike_ && leaves && side == Side::after) continue;
      if (!alike_ && !listed_.emplace(step, here.server, side).second) continue;
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
                  .at_once = at_once_};
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
  Course course_;
  std::optional<Passed> after_;                   // the last that was passed
  std::uint32_t message_ = 0;                     // of that step
  bool at_once_ = false;                          // whether it answers what has just come
  std::vector<sim::Instant> arrivals_;            // of the messages, by their numbers
  std::map<std::uint32_t, sim::Fault> messages_;  // that may be late, by their numbers
  bool fresh_ = true;
  std::vector<std::string_view> marks_;
  std::map<Step, std::uint32_t> times_;
  std::map<std::pair<Step, ProcessId>, std::uint32_t> times_there_;
  std::set<std::tuple<Step, std::optional<ProcessId>, Side>> listed_;
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
