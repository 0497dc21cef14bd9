#include "scenarios/promises.h"

#include <algorithm>

#include "models/locks/promises.h"
#include "models/servers/kind.h"
#include "scenarios/bounds.h"
#include "scenarios/process_kinds.h"
#include "scenarios/setup.h"
#include "scenarios/topology.h"
#include "scenarios/verbs/kind.h"

namespace picklock::scenarios {

std::optional<FaultClass> class_of(const sim::Fault& fault, const Scenario& scenario) {
  const ProcessKind* kind = kind_named(scenario, fault.target);
  return class_of(fault, kind != nullptr ? *kind : kResourceKind, scenario);
}

std::optional<FaultClass> class_of(const sim::Fault& fault, const ProcessKind& kind,
                                   const Scenario& scenario) {
  const verbs::Kind& verb = verbs::kind_of(fault.verb);
  return verb.class_of == nullptr ? verb.fault_class : verb.class_of(fault, kind, scenario);
}

namespace {

// Whether some client has a garbage collector.
bool collects(const Scenario& scenario) {
  return scenario.clients.gc.every > Duration::zero() ||
         std::any_of(scenario.unlike.begin(), scenario.unlike.end(),
                     [](const OneClient& one) { return one.clients.gc.every > Duration::zero(); });
}

}  // namespace

namespace {

// Without the network: a slow one is none of the faults of a run.
FaultClasses disturbances(const Scenario& scenario, const sim::Plan& faults) {
  FaultClasses met;
  for (const sim::Fault& fault : faults) {
    if (const auto one = class_of(fault, scenario)) met.add(*one);
  }
  const servers::Kind& server = lock_server(scenario);
  const servers::Specs& specs = scenario.servers;
  if ((server.gc && server.gc->of(specs).every > Duration::zero()) || collects(scenario))
    met.add(FaultClass::pause);
  if (server.clock_rate && server.clock_rate->of(specs) != 0) met.add(FaultClass::server_clock);
  if (server.met != nullptr) met.add(server.met(specs, faults));
  return met;
}

}  // namespace

FaultClasses classes_met(const Scenario& scenario, const sim::Plan& faults) {
  FaultClasses met = disturbances(scenario, faults);
  met.add(late_without_faults(scenario));
  return met;
}

FaultClasses classes_met(const Scenario& scenario) {
  return classes_met(scenario, scenario.faults);
}

Promises promises(const models::Algorithm& algorithm, const models::LockOptions& options,
                  FaultClasses met) {
  Promises all;
  all[static_cast<std::size_t>(Property::mutual_exclusion)].without_faults = met.empty();
  for (const Promise& promise : algorithm.promises(options)) {
    Promised& said = all[static_cast<std::size_t>(promise.property)];
    for (std::size_t c = 0; c < kFaultClassCount; ++c) {
      const auto one = static_cast<FaultClass>(c);
      if (met.has(one) && !promise.under.has(one)) said.beyond.add(one);
    }
    said.promised = promise.under.covers(met);
    if (said.promised) said.premise = promise.premise;
  }
  return all;
}

namespace {

// A holder that requests its lock again waits for itself, unless the lock is re-entrant and no
// mutex of the process stands in front of it.
bool waits_for_itself(const Setup& setup) {
  const bool nests = find_algorithm(setup.lock)->uses.nests &&
                     setup.lock.options.local_mutex == models::LocalMutex::none;
  return setup.clients.nested && !nests;
}

Promises promises_of(const Scenario& scenario, const std::vector<Setup>& clients,
                     FaultClasses met) {
  Promises all = promises(*find_algorithm(scenario), lock_options(scenario), met);
  for (const Setup& setup : clients) {
    const Promises of_one =
        promises(*find_algorithm(setup.lock), lock_options(scenario, setup), met);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].promised = all[i].promised && of_one[i].promised;
      all[i].beyond.add(of_one[i].beyond);
      if (all[i].premise.empty()) all[i].premise = of_one[i].premise;
      if (!all[i].promised) all[i].premise = {};
    }
  }
  return all;
}

}  // namespace

Promises promises(const Scenario& scenario, const sim::Plan& faults) {
  const std::vector<Setup> clients = setups(scenario);
  const FaultClasses met = classes_met(scenario, faults);
  // Beside a program, each client is expected to keep what can be seen from outside.
  const auto program = std::find_if(clients.begin(), clients.end(), [](const Setup& setup) {
    return find_algorithm(setup.lock)->uses.outside;
  });
  Promises all = program == clients.end()
                     ? promises_of(scenario, clients, met)
                     : promises(*find_algorithm(program->lock), program->lock.options, met);
  all[static_cast<std::size_t>(Property::mutual_exclusion)].without_faults =
      disturbances(scenario, faults).empty();
  Promised& not_stuck = all[static_cast<std::size_t>(Property::not_stuck)];
  if (not_stuck.promised && std::any_of(clients.begin(), clients.end(), waits_for_itself))
    not_stuck.premise = models::locks::kOneLock;
  return all;
}

}  // namespace picklock::scenarios
