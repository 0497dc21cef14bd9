#include "scenarios/keys.h"

#include <limits>

#include "keys/key_kinds.h"
#include "models/servers/verbs.h"

namespace picklock::scenarios {

using namespace keys;
namespace {

using sim::Fault;

void describe_fault(const std::string& path, std::vector<TableDoc>& docs) {
  Keys<Fault> keys = fault_keys();
  keys.erase(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(models::kVerbCount));
  describe("[[" + joined(path, "fault") + "]]",
           "One fault. It has exactly one verb, whose value is the process that it hits; exactly "
           "one of `before`, `after` and `at`; and the keys that the verb takes.",
           keys, docs);
}

void describe_neighbour(const std::string& path, std::vector<TableDoc>& docs) {
  describe("[[" + joined(path, "neighbour") + "]]",
           "The same file with one fault moved to a neighboring step, and what is expected of that "
           "run. `nth`, `by`, `on` and `command` stay as they are unless they are given.",
           neighbour_keys(), docs);
}

}  // namespace

const Keys<Scenario>& scenario_keys() {
  static const Keys<Scenario> keys = {
      {.name = "format",
       .type = "whole number",
       .meaning = fmt::format("always {}; must be given", kFormat),
       .read = [](const Value& value, Scenario&) { value.integer(kFormat, kFormat); },
       .show = {},
       .nested = {}},
      text<Scenario>(
          "title", [](auto& scenario) -> auto& { return scenario.title; },
          "the story in one sentence"),
      text<Scenario>(
          "source", [](auto& scenario) -> auto& { return scenario.source; },
          "where the story comes from"),
      boolean<Scenario>(
          "control", [](auto& scenario) -> auto& { return scenario.control; },
          "whether the file shows that something does not happen; then removing a fault need not "
          "change the result"),
      integer<Scenario>(
          "seed", 0, std::numeric_limits<std::int64_t>::max(),
          [](auto& scenario) -> auto& { return scenario.seed; },
          "number from which the schedule and every latency are drawn"),
      word<Scenario>(
          "ties", {"arrival", "permuted"}, [](auto& scenario) -> auto& { return scenario.ties; },
          "order of events that are due at the same instant: the order in which they were "
          "scheduled, or one drawn from the seed"),
      table<Scenario>(
          "lock", lock_keys(), [](auto& scenario) -> auto& { return scenario.lock; },
          "The lock under test."),
      table<Scenario>(
          "servers", servers_keys(), [](auto& scenario) -> auto& { return scenario.servers; }, ""),
      table<Scenario>(
          "network", network_keys(), [](auto& scenario) -> auto& { return scenario.network; },
          "How long messages take."),
      table<Scenario>(
          "clients", clients_keys(), [](auto& scenario) -> auto& { return scenario.clients; },
          "The clients that want the lock, processes `client-1` to `client-N`."),
      tables<Scenario>(
          "fault", kMostFaults, [](auto& scenario) -> auto& { return scenario.faults; },
          [](const Value& table, Fault& fault) {
            fault.line = table.line();
            read_table(table, fault_keys(), fault);
          },
          describe_fault),
      table<Scenario>(
          "expect", expectation_keys(), [](auto& scenario) -> auto& { return scenario.expect; },
          "The result that the run must have."),
      tables<Scenario>(
          "twin", kMostTwins, [](auto& scenario) -> auto& { return scenario.twins; }, read_twin,
          describe_twin),
      tables<Scenario>(
          "neighbour", kMostTwins, [](auto& scenario) -> auto& { return scenario.neighbours; },
          [](const Value& table, Neighbour& neighbour) {
            neighbour.expect.line = table.line();
            read_table(table, neighbour_keys(), neighbour);
          },
          describe_neighbour),
  };
  return keys;
}

}  // namespace picklock::scenarios
