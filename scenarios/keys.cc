#include "scenarios/keys.h"

#include <limits>

#include "scenarios/key_kinds.h"

namespace picklock::scenarios {
namespace {

using sim::Fault;

void describe_fault(const std::string& path, std::vector<TableDoc>& docs) {
  Keys<Fault> keys = fault_keys();
  keys.erase(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(sim::kVerbCount));
  describe(
      "[[" + joined(path, "fault") + "]]",
      "One hardship: exactly one verb, whose value is the process that it hits, exactly one of "
      "`before`, `after` and `at`, and what the verb has a use for.",
      keys, docs);
}

void describe_neighbour(const std::string& path, std::vector<TableDoc>& docs) {
  describe("[[" + joined(path, "neighbour") + "]]",
           "The same file with one fault moved to a neighbouring step, and what comes of it there. "
           "What is not given of `nth`, `by`, `on` and `command` stays as it was.",
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
          "whether it shows what does not happen: its faults need not matter"),
      integer<Scenario>(
          "seed", 0, std::numeric_limits<std::int64_t>::max(),
          [](auto& scenario) -> auto& { return scenario.seed; },
          "number from which the schedule and every latency are drawn"),
      word<Scenario>(
          "ties", {"arrival", "permuted"}, [](auto& scenario) -> auto& { return scenario.ties; },
          "in which order what is due at one instant happens: as it came to be, or drawn from the "
          "seed"),
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
          "Who wants the lock, processes `client-1` to `client-N`."),
      tables<Scenario>(
          "fault", kMostFaults, [](auto& scenario) -> auto& { return scenario.faults; },
          [](const Value& table, Fault& fault) {
            fault.line = table.line();
            read_table(table, fault_keys(), fault);
          },
          describe_fault),
      table<Scenario>(
          "expect", expectation_keys(), [](auto& scenario) -> auto& { return scenario.expect; },
          "What must come of it."),
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
