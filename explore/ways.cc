#include "explore/ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "models/servers/verbs.h"
#include "scenarios/fault_classes.h"
#include "scenarios/process_kinds.h"
#include "scenarios/topology.h"
#include "scenarios/verbs/kind.h"

namespace picklock::explore {

using sim::Fault;
using sim::ProcessId;
using sim::Verb;

Ways::Ways(const scenarios::Scenario& scenario, Profile profile)
    : scenario_(scenario),
      profile_(std::move(profile)),
      server_(scenarios::lock_server(scenario_)) {
  for (const ProcessKind* kind : scenarios::process_kinds()) processes_[kind];
  const std::vector<scenarios::ProcessSpec> processes = scenarios::processes_of(scenario_);
  for (ProcessId i = 0; i < profile_.processes.size(); ++i) {
    const scenarios::ProcessSpec* process = scenarios::find(processes, profile_.processes[i]);
    if (process == nullptr)
      throw std::logic_error(fmt::format("no process is called {}", profile_.processes[i]));
    kinds_.push_back(process->kind);
    processes_[kinds_.back()].push_back(i);
  }
  find_ways();
}

// A program may also greet the resource, which nobody waits for.
bool Ways::has_messages_to(const ProcessKind& server) const {
  return std::any_of(profile_.roles.begin(), profile_.roles.end(), [&](const ReachedRole& role) {
    return kind(role.server) == server &&
           (server != scenarios::kResourceKind || is_for_resource(role.role));
  });
}

// Whether another server can take over from this one.
bool Ways::is_replaceable(ProcessId process) const {
  const std::span<const Verb> bears = kind(process).bears;
  return std::find(bears.begin(), bears.end(), models::kFailOver) != bears.end() &&
         !server_.no_failover(scenario_.servers, name(process));
}

bool Ways::is_impossible(const Fault& fault, const sim::Plan& earlier) const {
  const verbs::Kind& verb = verbs::kind_of(fault.verb);
  return verb.impossible != nullptr && !verb.impossible(fault, scenario_, earlier).empty();
}

void Ways::find_ways() {
  for (const scenarios::FaultClassRow& row : scenarios::fault_classes()) {
    std::vector<Way>& ways = ways_[static_cast<std::size_t>(row.fault_class)];
    const std::vector<scenarios::FaultTarget> targets = scenarios::targets_of(row.fault_class);
    for (const Verb verb : row.verbs) {
      for (const auto [target, message] : targets) {
        if (message != verbs::kind_of(verb).on_message) continue;
        if (message && !has_messages_to(*target)) continue;
        if (!verbs::inapplicable(verb, *target).empty()) continue;
        const std::vector<ProcessId>& hit = processes(*target);
        if (hit.empty()) continue;
        // An ensemble replaces a crashed leader by itself.
        if (row.fault_class == FaultClass::failover &&
            (verb == models::kFailOver) == target->elects)
          continue;
        // A message that it cannot change is known only with its step.
        if (!message && is_impossible({.verb = verb, .target = name(hit.front())}, {})) continue;
        ways.push_back({verb, target, target});
        if (message) ways.push_back({verb, &scenarios::kClientKind, target});
      }
    }
    if (!ways.empty()) possible_.add(row.fault_class);
  }
}

std::string Ways::why_impossible(FaultClass one) const {
  const bool loses = one == FaultClass::failover || one == FaultClass::amnesia;
  if (loses && !server_.lossless.empty()) return std::string(server_.lossless);
  std::string why = "no client of this scenario sends such a message";
  for (const scenarios::FaultClassRow& row : scenarios::fault_classes()) {
    if (row.fault_class != one) continue;
    for (const Verb verb : row.verbs) {
      for (const auto& [target, message] : scenarios::targets_of(one)) {
        const std::vector<ProcessId>& hit = processes(*target);
        const std::string_view reason = verbs::inapplicable(verb, *target);
        if (verb != models::kFailOver) {
          if (!reason.empty()) why = reason;
        } else if (!hit.empty() && server_.no_failover != nullptr) {
          if (const auto no = server_.no_failover(scenario_.servers, name(hit.front())))
            why = no->in_general;
        }
      }
    }
  }
  return why;
}

bool Ways::can_hit(const Fault& fault, const sim::Plan& earlier) const {
  const verbs::Kind& verb = verbs::kind_of(fault.verb);
  if (verb.idle != nullptr && verb.idle(fault, earlier)) return false;
  return verb.on_message || !is_impossible(fault, earlier);
}

bool Ways::strikes(Strikes where, const Fault& fault) const {
  if (where == Strikes::anywhere) return true;
  const ProcessKind& target = kind(number_of(fault.target));
  const bool of_client = target == scenarios::kClientKind;
  const auto is = [&fault](Role role) { return fault.trigger.role == role; };
  switch (where) {
    case Strikes::anywhere:
      break;
    case Strikes::at_locks: {
      if (target == scenarios::kResourceKind) return false;
      if (verbs::kind_of(fault.verb).on_message) return !is_for_resource(fault.trigger.role);
      if (fault.verb != Verb::partition) return true;
      const auto spared =
          std::find(fault.from.begin(), fault.from.end(), scenarios::kResourceKind.name);
      return spared == fault.from.end() && (!of_client || !fault.from.empty());
    }
    case Strikes::while_asking: {
      const sim::Trigger& trigger = fault.trigger;
      const bool itself = trigger.by.empty() || trigger.by == fault.target;
      const bool asks =
          trigger.mark.empty() ? is(Role::acquire) : trigger.side == sim::Side::before;
      return of_client && fault.verb == Verb::pause && !trigger.at && itself && asks;
    }
    case Strikes::by_steps:
      return fault.verb == Verb::step_clock;
    case Strikes::at_processes:
      return of_client && verbs::kind_of(fault.verb).stops;
    case Strikes::at_threads:
      return fault.verb == Verb::end_thread;
    case Strikes::by_outages:
      return !of_client && verbs::kind_of(fault.verb).stops && fault.lasts &&
             *fault.lasts >= scenario_.lock.options.ttl;
  }
  return true;
}

bool Ways::can_fail_over(const sim::Plan& plan) const {
  for (ProcessId process = 0; process < profile_.processes.size(); ++process) {
    if (kind(process).elects) return true;
    if (is_replaceable(process) && !models::fails_over(plan, name(process))) return true;
  }
  return false;
}

ProcessId Ways::number_of(std::string_view name) const {
  const std::vector<std::string>& all = profile_.processes;
  return static_cast<ProcessId>(std::find(all.begin(), all.end(), name) - all.begin());
}

std::vector<ProcessId> Ways::successors(const std::string& primary) const {
  std::vector<ProcessId> all;
  for (ProcessId process = 0; process < profile_.processes.size(); ++process) {
    if (server_.follows(kind(process), name(process), primary)) all.push_back(process);
  }
  return all;
}

}  // namespace picklock::explore
