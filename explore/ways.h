// The ways in which each class of faults can act in one scenario, on the processes that it has and
// the steps that its profile has reached. Every strategy takes its faults from here.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "explore/profile.h"
#include "models/servers/kind.h"
#include "picklock/lock.h"
#include "scenarios/scenario.h"
#include "sim/fault.h"

namespace picklock::explore {

using picklock::FaultClass;
using picklock::FaultClasses;
using servers::ProcessKind;

// One way in which a class acts: a verb, the kind of process it hits and, for a verb on messages,
// the kind of server they go to.
struct Way {
  sim::Verb verb{};
  const ProcessKind* target = nullptr;
  const ProcessKind* server = nullptr;
};

// The faults of its class that a plan may have, in the order of the values: any; any except those
// between a client and the resource. Then pauses of clients that request the lock and have not read
// their clocks; steps of clocks; deaths of whole clients; deaths of threads whose process stays
// alive; outages of servers that outlast a lease.
enum class Strikes : std::uint8_t {
  anywhere,
  at_locks,
  while_asking,
  by_steps,
  at_processes,
  at_threads,
  by_outages
};

class Ways {
 public:
  Ways(const scenarios::Scenario& scenario, Profile profile);

  // Classes that can act: some verb of theirs has a target and, where it needs one, a message.
  FaultClasses possible() const { return possible_; }
  // Why a class cannot act.
  std::string why_impossible(FaultClass one) const;
  const std::vector<Way>& of(FaultClass one) const { return ways_[static_cast<std::size_t>(one)]; }

  // Whether the fault could hit its target after the faults before it. The step of a fault on a
  // message decides that of itself.
  bool can_hit(const sim::Fault& fault, const sim::Plan& earlier) const;
  // Whether a fault of its class is one of these.
  bool strikes(Strikes where, const sim::Fault& fault) const;
  // Some primary is not replaced by the plan yet: each can be once. A leader can be lost
  // repeatedly.
  bool can_fail_over(const sim::Plan& plan) const;
  // The replicas that could take over from this primary.
  std::vector<sim::ProcessId> successors(const std::string& primary) const;

  const std::vector<sim::ProcessId>& processes(const ProcessKind& kind) const {
    return processes_.at(&kind);
  }
  const std::string& name(sim::ProcessId process) const { return profile_.processes[process]; }
  const ProcessKind& kind(sim::ProcessId process) const { return *kinds_[process]; }
  // Requires: there is one of that name.
  sim::ProcessId number_of(std::string_view name) const;

  const scenarios::Scenario& scenario() const { return scenario_; }
  const servers::Kind& server() const { return server_; }
  const Profile& profile() const { return profile_; }

 private:
  void find_ways();
  bool has_messages_to(const ProcessKind& kind) const;
  bool is_replaceable(sim::ProcessId process) const;
  bool is_impossible(const sim::Fault& fault, const sim::Plan& earlier) const;

  scenarios::Scenario scenario_;
  Profile profile_;
  const servers::Kind& server_;
  std::vector<const ProcessKind*> kinds_;                                // by ProcessId
  std::map<const ProcessKind*, std::vector<sim::ProcessId>> processes_;  // found, never iterated
  std::array<std::vector<Way>, kFaultClassCount> ways_;
  FaultClasses possible_;
};

}  // namespace picklock::explore
