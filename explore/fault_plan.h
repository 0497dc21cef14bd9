// Random plans of faults for one scenario: classes, verbs and targets of scenarios/fault_classes.h,
// triggers at steps that its profile has reached, lengths around those that matter to a lock. Most
// plans draw only from some of the kinds of faults, because many kinds together hide violations
// (Groce, Zhang, Eide, Chen, Regehr: Swarm testing, 2012). Plan number i depends only on the seed
// and i, and every plan can be written in a file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explore/profile.h"
#include "explore/ways.h"
#include "picklock/lock.h"
#include "scenarios/scenario.h"
#include "sim/fault.h"
#include "sim/random.h"

namespace picklock::explore {

struct FaultLimits {
  FaultClasses classes{};  // to draw from
  bool none = false;       // plans without any fault as well
  std::uint32_t most = 3;  // faults in one plan
  Strikes strikes = Strikes::anywhere;
};

class FaultPlans {
 public:
  FaultPlans(const scenarios::Scenario& scenario, Profile profile);

  explicit FaultPlans(Ways ways);

  const Ways& ways() const { return ways_; }

  FaultClasses possible() const { return ways_.possible(); }
  std::string why_impossible(FaultClass one) const { return ways_.why_impossible(one); }

  // Requires: every class of the limits is possible.
  void draw(std::uint64_t seed, std::uint64_t run, const FaultLimits& limits, sim::Plan& plan);

  // A fault that can be added to the plan; nullopt: none has come up. Requires: the limits have a
  // class, and every class of them is possible.
  std::optional<sim::Fault> another(sim::Random& chance, const FaultLimits& limits,
                                    const sim::Plan& plan);
  // A fault of the class, the verb and the target of this one; nullopt: none has come up.
  std::optional<sim::Fault> another_like(const sim::Fault& fault, sim::Random& chance,
                                         const FaultLimits& limits, const sim::Plan& plan);

 private:
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

  void find_lengths();
  void choose_kinds(sim::Random& of_plan, const FaultLimits& limits);
  bool draw_fault(FaultClass wanted, const std::vector<Way>& ways, const FaultLimits& limits,
                  const sim::Plan& plan, sim::Fault& fault);
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
    return ways_.processes(kind);
  }
  const std::string& name(sim::ProcessId process) const { return ways_.name(process); }
  const ProcessKind& kind(sim::ProcessId process) const { return ways_.kind(process); }
  const scenarios::Scenario& scenario() const { return ways_.scenario(); }
  const Profile& profile() const { return ways_.profile(); }

  Ways ways_;
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
// Gives them to a scenario. Ties that `base` permutes are permuted in every run.
void set_run(const scenarios::Scenario& base, std::uint64_t seed, std::uint64_t run,
             scenarios::Scenario& into);

}  // namespace picklock::explore
