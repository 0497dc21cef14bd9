// Verbs that only servers know and carry out: models/servers/verbs.h.
#include "models/servers/verbs.h"

#include <fmt/format.h>

#include "models/servers/kind.h"
#include "scenarios/process_names.h"
#include "scenarios/verbs/kind.h"
#include "scenarios/verbs/words.h"

namespace picklock::verbs {

using keys::Value;
using scenarios::Scenario;
using sim::Fault;

namespace {

Kind evict() {
  return {.verb = models::kEvict,
          .name = "evict",
          .meaning = "the server forgets `key`",
          .allowed = {"key"},
          .rare = "only a Redis server evicts keys",
          .fault_class = FaultClass::amnesia,
          .drawn = {{FaultClass::amnesia, 2}},
          .told = [](const Fault& fault) -> Phrase {
            return {fmt::format("evict {} from {}",
                                fault.key.empty() ? "the lock's key" : fault.key, fault.target)};
          }};
}

void check_successor(const Value& table, const Fault& fault, const Scenario& scenario) {
  const auto to = table.find("to");
  if (!to) return;
  const servers::ProcessKind& kind = process_named(*to, fault.to, scenario);
  if (!lock_server(scenario).follows(kind, fault.to, fault.target))
    to->fail(fmt::format("must be a replica of {}, not {}", fault.target, fault.to));
}

std::string cannot_fail_over(const Fault& fault, const Scenario& scenario,
                             std::span<const Fault> earlier) {
  if (const auto why = lock_server(scenario).no_failover(scenario.servers, fault.target))
    return why->of_target;
  if (models::fails_over(earlier, fault.target))
    return fmt::format("{} has already failed over by then and stays down", fault.target);
  return {};
}

Kind fail_over() {
  return {.verb = models::kFailOver,
          .name = "fail-over",
          .meaning =
              "the host of the primary stops forever and a replica is promoted, at once or "
              "after `for`",
          .lasting = Lasting::optional,
          .allowed = {"to"},
          .check = check_successor,
          .rare = "only a primary can fail over to a replica",
          .impossible = cannot_fail_over,
          .fault_class = FaultClass::failover,
          .drawn = {{FaultClass::failover, 0}},
          .told = [](const Fault& fault) -> Phrase {
            return {"fail over " + fault.target + (fault.to.empty() ? "" : " to " + fault.to), "",
                    fault.lasts ? "," + lasting(fault, "replaced after") : ""};
          }};
}

// "the store, the ensemble or the server".
std::string session_keepers() {
  std::vector<std::string> keepers;
  for (const servers::Kind* kind : servers::kinds()) {
    if (!kind->session_keeper.empty()) keepers.emplace_back(kind->session_keeper);
  }
  return list(keepers, "or");
}

Kind kill_session() {
  return {
      .verb = models::kKillSession,
      .name = "kill-session",
      .meaning = session_keepers() + " ends the client's sessions",
      .rare = "only a client has a session",
      .hits_clients = true,
      .impossible =
          [](const Fault& fault, const Scenario& scenario, std::span<const Fault>) {
            const servers::Kind& server = lock_server(scenario);
            return server.session_keeper.empty()
                       ? fmt::format("not applicable to {}: {} keeps no sessions", fault.target,
                                     server.title)
                       : std::string();
          },
      .fault_class = FaultClass::crash,
      .drawn = {{FaultClass::crash, 3}},
      .told = [](const Fault& fault) -> Phrase { return {"kill the session of " + fault.target}; }};
}

}  // namespace

std::vector<Kind> of_servers() { return {evict(), fail_over(), kill_session()}; }

}  // namespace picklock::verbs
