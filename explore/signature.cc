#include "explore/signature.h"

#include <vector>

#include "scenarios/bounds.h"
#include "scenarios/verbs/kind.h"
#include "sim/digest.h"

namespace picklock::explore {

using history::What;

bool is_notable(const history::HistoryEvent& event) {
  switch (event.what) {
    case What::fault_fired:
    case What::fault_ended:
    case What::link_cut:
    case What::link_healed:
    case What::horizon:
      return false;
    default:
      return true;
  }
}

namespace {

class Sum {
 public:
  void add(std::uint64_t word) { sum_ = sim::mixed(sum_ ^ word) + 0x9e3779b97f4a7c15; }
  std::uint64_t get() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

// A message that comes as late as its link allows leaves less time for everything after it, which
// shows in no event yet.
bool is_at_limit(const sim::Fault& fault, const scenarios::Scenario& scenario) {
  return fault.verb == sim::Verb::delay && scenario.network.order == scenarios::Order::any &&
         fault.lasts == scenarios::order_slack(scenario, fault);
}

}  // namespace

std::uint64_t signature(const scenarios::World& world) {
  const auto both = [](std::uint64_t high, std::uint64_t low) { return (high << 32) ^ low; };
  thread_local std::vector<Sum> sums;  // of each process
  sums.clear();
  for (const history::HistoryEvent& event : world.history()) {
    if (!is_notable(event)) continue;
    if (sums.size() <= event.process) sums.resize(event.process + 1);
    Sum& sum = sums[event.process];
    sum.add(static_cast<std::uint64_t>(event.what) << 32 |
            static_cast<std::uint64_t>(event.cause) << 24 |
            static_cast<std::uint64_t>(event.role) << 16 | std::uint64_t{event.holds} << 8 |
            static_cast<std::uint64_t>(event.passes));
    sum.add(both(event.peer, event.key));
    sum.add(both(event.tenure, event.owner));
    sum.add(event.thread);
    sum.add(both(event.version, event.base));
  }
  Sum whole;
  for (const Sum& one : sums) whole.add(one.get());
  for (const properties::Verdict& verdict : world.verdicts())
    whole.add(static_cast<std::uint64_t>(verdict.outcome));
  for (const sim::Nemesis::Firing& one : world.fired()) {
    const sim::Fault& fault = world.scenario().faults[one.fault];
    const verbs::Kind& verb = verbs::kind_of(fault.verb);
    const bool endless = verb.lasting == verbs::Lasting::optional && !fault.lasts;
    const bool at_limit = is_at_limit(fault, world.scenario());
    if (!(endless || verb.jumps || at_limit) || !one.in_vain.empty()) continue;
    whole.add(static_cast<std::uint64_t>(fault.verb));
    whole.add(sim::fingerprint(fault.target));
    whole.add(static_cast<std::uint64_t>(fault.step.count()));
    whole.add(static_cast<std::uint64_t>(fault.rate_ppb));
    if (!at_limit) continue;
    whole.add(static_cast<std::uint64_t>(fault.trigger.role));
    whole.add(both(static_cast<std::uint64_t>(fault.trigger.phase), fault.trigger.nth));
    whole.add(sim::fingerprint(fault.trigger.on));
  }
  return whole.get();
}

}  // namespace picklock::explore
