// The same plans of faults for different locks. A plan is drawn once, for locks in general, on
// steps that each of them reaches. For every lock it is placed at the lock's own steps with these
// roles (architecture "Trigger"): "before client-2's 3rd acquire is sent" is a SET for one lock and
// a create for another. A server that stops is one of the lock's own. A fault without a counterpart
// in a lock is left out of its plan, and counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explore/fault_plan.h"
#include "scenarios/scenario.h"

namespace picklock::explore {

class PairedPlans {
 public:
  // `locks`: fault-free scenarios, alike in their clients and in the length of a lease. Requires:
  // at least one, and the profile of each.
  PairedPlans(const std::vector<scenarios::Scenario>& locks, const std::vector<Profile>& profiles);

  // Draws the plan of run number `run` for one of the locks. Returns how many of its faults have no
  // counterpart in this lock.
  std::uint32_t draw(std::uint64_t seed, std::uint64_t run, const FaultLimits& limits,
                     std::size_t lock, sim::Plan& plan);

  // The scenario for which plans are drawn, for reports.
  const scenarios::Scenario& common() const { return common_; }

 private:
  struct Lock {
    scenarios::Scenario scenario;
    std::vector<std::string> servers;    // one of which is meant by the common server
    std::vector<std::string> followers;  // and by its replica
    std::vector<Role> roles;             // that some client of it reaches
  };

  static Lock lock(const scenarios::Scenario& scenario, const Profile& profile);
  bool retold(const sim::Fault& fault, const Lock& lock, const sim::Plan& so_far,
              sim::Random& chance, sim::Fault& into) const;
  bool adapt(sim::Fault& fault, const Lock& lock, const sim::Plan& so_far) const;

  scenarios::Scenario common_;
  std::vector<Lock> locks_;
  FaultPlans plans_;
  sim::Plan drawn_;
};

}  // namespace picklock::explore
