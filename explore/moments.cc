#include "explore/moments.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "explore/signature.h"
#include "scenarios/process_kinds.h"
#include "scenarios/runner.h"
#include "scenarios/topology.h"

namespace picklock::explore {
namespace {

using sim::Phase;
using sim::ProcessId;
using sim::Side;
using sim::TraceKind;

// A role of one client with its phase, or a mark.
using Step = std::tuple<ProcessId, unsigned, std::string>;

class Reader {
 public:
  Reader(const scenarios::World& world, bool alike)
      : world_(world), names_(world.processes()), alike_(alike) {
    const std::vector<scenarios::ProcessSpec> processes = scenarios::processes_of(world.scenario());
    for (const std::string& name : names_) {
      const scenarios::ProcessSpec* process = scenarios::find(processes, name);
      is_client_.push_back(process != nullptr && *process->kind == scenarios::kClientKind);
    }
  }

  Course read() {
    const sim::Trace& trace = world_.trace();
    scenarios::PassedSteps steps;
    for (const sim::TraceRecord& record : trace.records) {
      if (record.kind == TraceKind::sent)
        course_.talks.insert(std::minmax(record.process, record.peer));
      if (record.kind == TraceKind::recorded) {
        look_at(world_.history()[record.message]);
      } else if (record.kind == TraceKind::mark) {
        passed({.mark = std::string(trace.payload(record))}, record.process, std::nullopt);
      } else if (const auto step = steps.read(record)) {
        passed({.role = step->role, .phase = step->phase}, step->client, step->server);
      }
    }
    return std::move(course_);
  }

 private:
  void look_at(const history::HistoryEvent& event) {
    if (event.what == history::What::fault_fired) {
      course_.moments.clear();
      listed_.clear();
      fresh_ = true;
      // A fault that strikes after a step fires when the step has been traced.
      if (after_ && strikes(world_.scenario().faults[event.key].trigger, *after_)) list(*after_);
    } else if (is_notable(event)) {
      listed_.clear();
      fresh_ = true;
    }
  }

  static bool strikes(const sim::Trigger& trigger, const Moment& moment) {
    const sim::Trigger& here = moment.trigger;
    return trigger.side == here.side && trigger.role == here.role && trigger.phase == here.phase &&
           trigger.mark == here.mark && trigger.nth == here.nth;
  }

  void passed(sim::Trigger trigger, ProcessId client, std::optional<ProcessId> server) {
    if (!is_client_[client]) return;
    const Step step{client,
                    static_cast<unsigned>(trigger.role) * 3 + static_cast<unsigned>(trigger.phase),
                    trigger.mark};
    trigger.nth = ++times_[step];
    trigger.by = names_[client];
    const bool leaves = server && trigger.phase == Phase::sent;
    for (const Side side : {Side::before, Side::after}) {
      trigger.side = side;
      after_ = {.trigger = trigger, .client = client, .server = server};
      if (!alike_ && leaves && side == Side::after) continue;
      if (!alike_ && !listed_.emplace(step, server, side).second) continue;
      list(*after_);
    }
  }

  void list(Moment moment) {
    moment.fresh = std::exchange(fresh_, false);
    course_.moments.push_back(std::move(moment));
  }

  const scenarios::World& world_;
  const std::vector<std::string> names_;
  const bool alike_;
  std::vector<bool> is_client_;
  Course course_;
  std::optional<Moment> after_;  // the last step that was passed
  bool fresh_ = true;
  std::map<Step, std::uint32_t> times_;
  std::set<std::tuple<Step, std::optional<ProcessId>, Side>> listed_;
};

}  // namespace

bool Moment::is_among(const std::vector<ProcessId>& some) const {
  const auto has = [&some](ProcessId one) {
    return std::find(some.begin(), some.end(), one) != some.end();
  };
  if (some.size() == 1) return has(client) || (server && has(*server));
  return has(client) && (!server || has(*server));
}

Course course(const scenarios::World& world, bool alike) { return Reader(world, alike).read(); }

}  // namespace picklock::explore
