#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "scenarios/process_kinds.h"
#include "scenarios/process_names.h"
#include "scenarios/verbs/kind.h"
#include "scenarios/verbs/words.h"

namespace picklock::verbs {

using keys::Value;
using scenarios::Scenario;
using servers::ProcessKind;
using sim::Fault;
using sim::Verb;

namespace {

std::string kept(sim::Keeps keeps) {
  return keeps == sim::Keeps::all       ? "keeping all"
         : keeps == sim::Keeps::fsynced ? "keeping what was fsynced"
                                        : "keeping nothing";
}

void check_keeps(const Value& table, const Fault& fault, const Scenario& scenario) {
  const auto keeps = table.find("keeps");
  if (!keeps) return;
  if (!servers::starts_again(fault))
    keeps->fail("has no effect on a `crash` without `for`: the process does not start again");
  const std::string_view why_all = process_named(table, fault.target, scenario).forgets;
  if (fault.keeps != sim::Keeps::all && !why_all.empty())
    keeps->fail(fmt::format("must be \"all\": {}", why_all));
}

// A process that dies leaves to its kernel what is still to be sent, and a host does not. Nothing
// is unless a link is blocked.
bool is_death_of_a_process(const Fault& fault, std::span<const Fault> earlier) {
  return fault.host && !fault.silent && !any_blocks(earlier);
}

std::optional<FaultClass> class_of_stop(const Fault& fault, const ProcessKind& target,
                                        const Scenario& scenario) {
  if (&target == &scenarios::kResourceKind && scenario.servers.resource.nodes > 1 &&
      servers::starts_again(fault) && fault.keeps != sim::Keeps::all)
    return FaultClass::amnesia;
  return target.crash_class == nullptr ? FaultClass::crash
                                       : target.crash_class(scenario.servers, fault);
}

Kind pause() {
  return {.verb = Verb::pause,
          .name = "pause",
          .meaning = "the process runs nothing while time passes: timers fire late, sockets fill",
          .lasting = Lasting::required,
          .end_shows = true,
          .fault_class = FaultClass::pause,
          .drawn = {{FaultClass::pause, 0}},
          .silences = true,
          .told = [](const Fault& fault) -> Phrase {
            return {"pause " + fault.target, lasting(fault, "for")};
          }};
}

Kind crash() {
  return {.verb = Verb::crash,
          .name = "crash",
          .meaning = "volatile state is lost; with `for`, the process starts again after that time",
          .lasting = Lasting::optional,
          .allowed = {"host", "silent", "keeps"},
          .check = check_keeps,
          .stops = true,
          .end_shows = true,
          .class_of = class_of_stop,
          .drawn = {{FaultClass::failover, 1}, {FaultClass::amnesia, 1}, {FaultClass::crash, 0}},
          .repeats = is_death_of_a_process,
          .told = [](const Fault& fault) -> Phrase {
            return {fmt::format("crash {}{}{}", fault.host ? "the host of " : "", fault.target,
                                fault.silent ? " silently" : ""),
                    "",
                    fault.lasts ? fmt::format(",{}, {}", lasting(fault, "restarted after"),
                                              kept(fault.keeps))
                                : ""};
          }};
}

Kind restart() {
  return {.verb = Verb::restart,
          .name = "restart",
          .meaning = "crash and start again, at once or after `for`",
          .lasting = Lasting::optional,
          .allowed = {"keeps"},
          .check = check_keeps,
          .stops = true,
          .end_shows = true,
          .class_of = class_of_stop,
          .drawn = {{FaultClass::failover, 2}, {FaultClass::amnesia, 0}, {FaultClass::crash, 1}},
          .short_form = true,
          .told = [](const Fault& fault) -> Phrase {
            return {
                "restart " + fault.target, "",
                (fault.lasts ? "," + lasting(fault, "down for") : "") + ", " + kept(fault.keeps)};
          }};
}

Kind slow() {
  return {.verb = Verb::slow,
          .name = "slow",
          .meaning = "every message that the process handles takes `step` longer",
          .lasting = Lasting::required,
          .required = "step",
          .check =
              [](const Value& table, const Fault& fault, const Scenario&) {
                if (fault.step.count() <= 0)
                  table.at("step").fail("must be more than 0s for `slow`");
              },
          .fault_class = FaultClass::pause,
          .drawn = {{FaultClass::pause, 1}},
          .told = [](const Fault& fault) -> Phrase {
            return {
                "slow " + fault.target,
                fmt::format(" by {} per message", duration(fault.step)) + lasting(fault, "for")};
          }};
}

}  // namespace

std::vector<Kind> of_processes() { return {pause(), crash(), restart(), slow()}; }

}  // namespace picklock::verbs
