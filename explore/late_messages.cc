#include "explore/late_messages.h"

#include <cstdint>
#include <map>
#include <tuple>

#include "scenarios/bounds.h"
#include "scenarios/runner.h"

namespace picklock::explore {

using sim::Phase;
using sim::ProcessId;
using sim::TraceKind;

sim::Plan late_messages(const scenarios::World& world) {
  std::map<std::uint32_t, sim::Duration> waited;
  for (const sim::Network::Waited& one : world.network().waited()) waited[one.message] = one.by;
  const std::vector<std::string> names = world.processes();
  std::map<std::tuple<ProcessId, Role, Phase>, std::uint32_t> times;
  std::map<std::tuple<ProcessId, Role, Phase, ProcessId>, std::uint32_t> times_there;
  scenarios::PassedSteps steps;
  sim::Plan late;
  for (const sim::TraceRecord& record : world.trace().records) {
    const auto step = steps.read(record);
    if (!step || step->phase == Phase::replied) continue;
    const std::uint32_t nth = ++times[{step->client, step->role, step->phase}];
    const std::uint32_t nth_there =
        ++times_there[{step->client, step->role, step->phase, step->server}];
    const auto wait = waited.find(record.message);
    if (wait == waited.end()) continue;
    sim::Fault fault{.verb = sim::Verb::delay, .target = names[step->client]};
    fault.trigger = {.role = step->role, .phase = step->phase, .nth = nth};
    fault.lasts = wait->second;
    if (scenarios::order_slack(world.scenario(), fault) < *fault.lasts) {
      fault.trigger.on = names[step->server];
      fault.trigger.nth = nth_there;
    }
    late.push_back(std::move(fault));
  }
  return late;
}

}  // namespace picklock::explore
