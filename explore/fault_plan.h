// Random plans of faults for one scenario: classes, verbs and targets of scenarios/fault_classes.h,
// triggers at steps that its profile has reached, lengths around those that matter to a lock. Most
// plans draw only from some of the kinds of faults, because many kinds together hide violations
// (Groce, Zhang, Eide, Chen, Regehr: Swarm testing, 2012). Plan number i depends only on the seed
// and i, and every plan can be written in a file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "explore/profile.h"
#include "models/servers/kind.h"
#include "picklock/lock.h"
#include "scenarios/scenario.h"
#include "sim/fault.h"
#include "sim/random.h"

namespace picklock::explore {

using picklock::FaultClass;
using picklock::FaultClasses;

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

struct FaultLimits {
  FaultClasses classes{};  // to draw from
  bool none = false;       // plans without any fault as well
  std::uint32_t most = 3;  // faults in one plan
  Strikes strikes = Strikes::anywhere;
};

class FaultPlans {
 public:
  FaultPlans(const scenarios::Scenario& scenario, Profile profile);

  // Classes that can act: some verb of theirs has a target and, where it needs one, a message.
  FaultClasses possible() const { return possible_; }
  // Why a class cannot act.
  std::string why_impossible(FaultClass one) const;

  // Requires: every class of the limits is possible.
  void draw(std::uint64_t seed, std::uint64_t run, const FaultLimits& limits, sim::Plan& plan);

 private:
  using ProcessKind = servers::ProcessKind;

  // One way in which a class acts: a verb, the kind of process it hits and, for a verb on messages,
  // the kind of server they go to.
  struct Way {
    sim::Verb verb{};
    const ProcessKind* target = nullptr;
    const ProcessKind* server = nullptr;
  };
  struct Range {
    Duration low{};
    Duration high{};
  };
  // A step that a trigger may name, and how often it was seen.
  struct Candidate {
    const ReachedRole* role = nullptr;  // nullptr: a mark
    const ReachedMark* mark = nullptr;
    sim::Phase phase{};
  };

  void find_ways();
  void find_lengths();
  bool has_messages_to(const ProcessKind& kind) const;
  bool is_replaceable(sim::ProcessId process) const;
  bool is_impossible(const sim::Fault& fault, const sim::Plan& earlier) const;
  bool can_fail_over(const sim::Plan& plan) const;
  void choose_kinds(sim::Random& of_plan, const FaultLimits& limits);
  bool draw_fault(FaultClass wanted, const std::vector<Way>& ways, const FaultLimits& limits,
                  const sim::Plan& plan, sim::Fault& fault);
  bool strikes(Strikes where, const sim::Fault& fault, const ProcessKind& target) const;
  void draw_details(sim::Fault& fault, const ProcessKind& target);
  void draw_partition(sim::Fault& fault);
  void draw_successor(sim::Fault& fault);
  bool draw_trigger(const Way& way, sim::ProcessId target, sim::Fault& fault);
  void draw_nth(std::uint32_t seen, sim::Trigger& trigger);
  std::uint32_t narrow(const Candidate& step, sim::Trigger& trigger);

  bool one_in(std::uint64_t n) { return chance_.below(n) == 0; }
  template <typename Element>
  const Element& some(const std::vector<Element>& all) {
    return all[chance_.below(all.size())];
  }
  Duration some_length(const std::vector<Range>& ranges);
  const std::vector<sim::ProcessId>& processes(const ProcessKind& kind) const {
    return processes_.at(&kind);
  }
  const std::string& name(sim::ProcessId process) const { return profile_.processes[process]; }
  const ProcessKind& kind(sim::ProcessId process) const { return *kinds_[process]; }

  scenarios::Scenario scenario_;
  Profile profile_;
  const servers::Kind& server_;
  std::vector<const ProcessKind*> kinds_;                                // by ProcessId
  std::map<const ProcessKind*, std::vector<sim::ProcessId>> processes_;  // found, never iterated
  std::array<std::vector<Way>, kFaultClassCount> ways_;
  FaultClasses possible_;
  std::vector<Range> lengths_;  // of faults; a range that is listed twice is drawn twice as often
  std::vector<Range> pauses_;   // the same, of paused clients
  std::vector<Range> jumps_;    // of clocks
  std::vector<Range> brief_;    // the shortest of those
  std::vector<Range> delays_;   // short of the lease: of messages, and of machines that come back

  // State of the plan that is being drawn.
  std::vector<FaultClass> chosen_;
  std::array<std::vector<Way>, kFaultClassCount> chosen_ways_;
  sim::Random chance_;  // of the fault being drawn
  std::vector<Candidate> candidates_;
};

// The seed and the ties of run number `run` of a search; a file can hold them. Ties are
// permuted in every second one.
std::uint64_t run_seed(std::uint64_t seed, std::uint64_t run);
scenarios::Ties run_ties(std::uint64_t seed, std::uint64_t run);

}  // namespace picklock::explore
