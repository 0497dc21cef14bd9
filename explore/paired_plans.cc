#include "explore/paired_plans.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "models/redis/spec.h"
#include "models/servers/kind.h"
#include "models/servers/verbs.h"
#include "scenarios/promises.h"
#include "scenarios/topology.h"
#include "scenarios/verbs/kind.h"

namespace picklock::explore {
namespace {

using scenarios::Scenario;
using servers::ProcessKind;
using servers::Standing;
using sim::Fault;
using sim::Verb;

constexpr std::string_view kServer = "redis-1";
constexpr std::string_view kReplica = "redis-1-replica-1";

// One server with a replica and a lock of which only the lease is known.
Scenario common_scenario(const std::vector<Scenario>& locks) {
  Scenario common;
  common.name = "every lock";
  common.lock.algorithm = "lua-check-delete";
  for (const Scenario& lock : locks) {
    if (models::takes(*scenarios::find_algorithm(lock), "ttl"))
      common.lock.options.ttl = lock.lock.options.ttl;
  }
  common.clients = locks.front().clients;
  common.clients.find_by = {};
  common.servers.of<redis::Spec>().replicas = 1;
  common.servers.resource.nodes = locks.front().servers.resource.nodes;
  return common;
}

bool is_client(std::string_view name) { return name.starts_with("client-"); }

// The steps of all locks. Each is counted as in the lock that takes it least often, and the length
// is that of the shortest run. So a drawn step exists in every lock that has such a step at all.
Profile common_profile(const Scenario& common, const std::vector<Profile>& profiles) {
  Profile all;
  for (const scenarios::ProcessSpec& process : scenarios::processes_of(common))
    all.processes.push_back(process.name);
  const auto number_of = [&all](std::string_view name) {
    const auto found = std::find(all.processes.begin(), all.processes.end(), name);
    return static_cast<sim::ProcessId>(found - all.processes.begin());
  };
  const sim::ProcessId server = number_of(kServer);
  const auto first_resource =
      std::find_if(all.processes.begin(), all.processes.end(), scenarios::is_resource);
  const auto resource = static_cast<sim::ProcessId>(first_resource - all.processes.begin());
  all.length = profiles.front().length;
  for (const Profile& profile : profiles) {
    all.length = std::min(all.length, profile.length);
    // A quorum lock sends a request to each server, so one step has a role for each of them.
    std::vector<ReachedRole> mine;
    for (const ReachedRole& role : profile.roles) {
      if (!is_client(profile.processes[role.client])) continue;
      const bool writes = scenarios::is_resource(profile.processes[role.server]);
      const ReachedRole renamed{.client = number_of(profile.processes[role.client]),
                                .server = writes ? resource : server,
                                .role = role.role,
                                .times = role.times,
                                .commands = {}};
      const auto same = std::find_if(mine.begin(), mine.end(), [&](const ReachedRole& one) {
        return one.client == renamed.client && one.server == renamed.server &&
               one.role == renamed.role;
      });
      if (same == mine.end()) mine.push_back(renamed);
    }
    for (const ReachedRole& role : mine) {
      const auto known = std::find_if(all.roles.begin(), all.roles.end(), [&](const auto& one) {
        return one.client == role.client && one.server == role.server && one.role == role.role;
      });
      if (known == all.roles.end()) {
        all.roles.push_back(role);
        continue;
      }
      for (std::size_t phase = 0; phase < role.times.size(); ++phase)
        known->times[phase] = std::min(known->times[phase], role.times[phase]);
    }
  }
  // In an order that does not depend on which lock comes first.
  std::sort(all.roles.begin(), all.roles.end(), [](const ReachedRole& a, const ReachedRole& b) {
    return std::tie(a.client, a.role, a.server) < std::tie(b.client, b.role, b.server);
  });
  return all;
}

}  // namespace

PairedPlans::Lock PairedPlans::lock(const Scenario& scenario, const Profile& profile) {
  Lock lock{.scenario = scenario, .servers = {}, .followers = {}, .roles = {}};
  for (const scenarios::ProcessSpec& process : scenarios::processes_of(scenario)) {
    const Standing standing = process.kind->standing;
    const bool first = standing == Standing::first_is_primary && lock.servers.empty();
    if (standing == Standing::primary || standing == Standing::peer || first)
      lock.servers.push_back(process.name);
    if (standing == Standing::replica || standing == Standing::peer ||
        (standing == Standing::first_is_primary && !first))
      lock.followers.push_back(process.name);
  }
  for (const ReachedRole& role : profile.roles) {
    if (std::find(lock.roles.begin(), lock.roles.end(), role.role) == lock.roles.end())
      lock.roles.push_back(role.role);
  }
  return lock;
}

PairedPlans::PairedPlans(const std::vector<Scenario>& locks, const std::vector<Profile>& profiles)
    : common_(common_scenario(locks)), plans_(common_, common_profile(common_, profiles)) {
  for (std::size_t i = 0; i < locks.size(); ++i) locks_.push_back(lock(locks[i], profiles[i]));
}

std::uint32_t PairedPlans::draw(std::uint64_t seed, std::uint64_t run, const FaultLimits& limits,
                                std::size_t lock, sim::Plan& plan) {
  plans_.draw(seed, run, limits, drawn_);
  plan.clear();
  std::uint32_t left_out = 0;
  for (std::size_t i = 0; i < drawn_.size(); ++i) {
    // A generator of its own, so that the server of a fault does not depend on left-out faults.
    sim::Random chance(run_seed(seed, run), sim::hash_of("explore.server") + i);
    Fault fault;
    if (retold(drawn_[i], locks_[lock], plan, chance, fault)) {
      plan.push_back(std::move(fault));
    } else {
      ++left_out;
    }
  }
  return left_out;
}

bool PairedPlans::retold(const Fault& fault, const Lock& lock, const sim::Plan& so_far,
                         sim::Random& chance, Fault& into) const {
  const sim::Trigger& trigger = fault.trigger;
  const bool at_step = !trigger.at && trigger.mark.empty();
  if (at_step && std::find(lock.roles.begin(), lock.roles.end(), trigger.role) == lock.roles.end())
    return false;
  // Drawn for every lock, whether it needs it or not: the draws of the next fault stay the same.
  const std::uint64_t which = chance.next();
  const auto renamed = [&](const std::string& name) -> std::optional<std::string> {
    if (name != kServer && name != kReplica) return name;
    const std::vector<std::string>& ones = name == kServer ? lock.servers : lock.followers;
    if (ones.empty()) return std::nullopt;
    return ones[which % ones.size()];
  };
  into = fault;
  const auto target = renamed(fault.target);
  if (!target) return false;
  into.target = *target;
  into.from.clear();
  for (const std::string& other : fault.from) {
    const auto name = renamed(other);
    const bool is_new = name && *name != into.target &&
                        std::find(into.from.begin(), into.from.end(), *name) == into.from.end();
    if (is_new) into.from.push_back(*name);
  }
  if (into.from.empty() && !fault.from.empty()) return false;
  return adapt(into, lock, so_far) &&
         scenarios::class_of(into, lock.scenario) == scenarios::class_of(fault, common_);
}

// Adapts the fault to the lock's servers, which restart, lose data and replace each other in their
// own ways.
bool PairedPlans::adapt(Fault& fault, const Lock& lock, const sim::Plan& so_far) const {
  const ProcessKind* kind = scenarios::kind_named(lock.scenario, fault.target);
  if (kind == nullptr) throw std::logic_error("no process is called " + fault.target);
  // An ensemble replaces its leader by itself.
  if (fault.verb == models::kFailOver && kind->elects) {
    fault.verb = Verb::crash;
    fault.keeps = sim::Keeps::all;
    if (!fault.lasts) fault.lasts = common_.lock.options.ttl;
  }
  const verbs::Kind& verb = verbs::kind_of(fault.verb);
  if (!verbs::inapplicable(fault.verb, *kind).empty()) return false;
  if (verb.impossible != nullptr && !verb.impossible(fault, lock.scenario, so_far).empty())
    return false;
  if (verb.idle != nullptr && verb.idle(fault, so_far)) return false;
  if (!verb.stops) return true;
  if (kind->returns && !fault.lasts) fault.lasts = common_.lock.options.ttl;
  if (kind->keeps != nullptr && servers::starts_again(fault))
    fault.keeps = kind->keeps(lock.scenario.servers, fault.target, fault.keeps);
  return true;
}

}  // namespace picklock::explore
