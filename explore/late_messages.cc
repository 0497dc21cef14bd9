#include "explore/late_messages.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "scenarios/bounds.h"
#include "scenarios/process_kinds.h"
#include "scenarios/runner.h"
#include "scenarios/topology.h"

namespace picklock::explore {
namespace {

using sim::Phase;
using sim::ProcessId;
using sim::TraceKind;

class LateReader {
 public:
  explicit LateReader(const scenarios::World& world) : world_(world), names_(world.processes()) {
    for (const sim::Network::Waited& one : world.network().waited()) waited_[one.message] = one.by;
    const std::vector<scenarios::ProcessSpec> processes = scenarios::processes_of(world.scenario());
    for (const std::string& name : names_) {
      const scenarios::ProcessSpec* process = scenarios::find(processes, name);
      takes_steps_.push_back(process != nullptr && process->kind->takes_steps);
    }
  }

  sim::Plan read() {
    scenarios::PassedSteps steps;
    for (const sim::TraceRecord& record : world_.trace().records) {
      const auto step = steps.read(record);
      if (record.kind != TraceKind::sent) continue;
      const bool of_step = step && takes_steps_[step->client];
      const sim::Trigger trigger = of_step ? counted(*step) : counted(record);
      const auto wait = waited_.find(record.message);
      if (wait == waited_.end()) continue;
      sim::Fault fault{.verb = sim::Verb::delay,
                       .target = names_[of_step ? step->client : record.process],
                       .trigger = trigger,
                       .lasts = wait->second};
      if (of_step && scenarios::order_slack(world_.scenario(), fault) < *fault.lasts) {
        fault.trigger.on = names_[step->server];
        fault.trigger.nth = times_there_[{step->client, step->role, step->phase, step->server}];
      }
      late_.push_back(std::move(fault));
    }
    return std::move(late_);
  }

 private:
  sim::Trigger counted(const scenarios::PassedStep& step) {
    ++times_there_[{step.client, step.role, step.phase, step.server}];
    return {.role = step.role,
            .phase = step.phase,
            .nth = ++times_[{step.client, step.role, step.phase}]};
  }
  sim::Trigger counted(const sim::TraceRecord& record) {
    return {.nth = ++times_sent_[{record.process, record.peer}], .on = names_[record.peer]};
  }

  const scenarios::World& world_;
  const std::vector<std::string> names_;
  std::vector<bool> takes_steps_;
  std::map<std::uint32_t, sim::Duration> waited_;  // of each message, by its number
  std::map<std::tuple<ProcessId, Role, Phase>, std::uint32_t> times_;
  std::map<std::tuple<ProcessId, Role, Phase, ProcessId>, std::uint32_t> times_there_;
  std::map<std::pair<ProcessId, ProcessId>, std::uint32_t> times_sent_;
  sim::Plan late_;
};

}  // namespace

sim::Plan late_messages(const scenarios::World& world) { return LateReader(world).read(); }

}  // namespace picklock::explore
