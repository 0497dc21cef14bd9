#include "scenarios/keys.h"

#include <limits>

#include "keys/key_kinds.h"
#include "scenarios/verbs/kind.h"

namespace picklock::scenarios {

using namespace keys;
namespace {

using sim::Fault;

void describe_fault(const std::string& path, std::vector<TableDoc>& docs) {
  Keys<Fault> keys = fault_keys();
  keys.erase(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(verbs::kinds().size()));
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
      text<Scenario>("title", at<&Scenario::title>, "the story in one sentence"),
      text<Scenario>("source", at<&Scenario::source>, "where the story comes from"),
      boolean<Scenario>(
          "control", at<&Scenario::control>,
          "whether the file shows that something does not happen; then removing a fault need not "
          "change the result"),
      integer<Scenario>("seed", 0, std::numeric_limits<std::int64_t>::max(), at<&Scenario::seed>,
                        "number from which the schedule and every latency are drawn"),
      word<Scenario>(
          "ties", {"arrival", "permuted"}, at<&Scenario::ties>,
          "order of events that are due at the same instant: the order in which they were "
          "scheduled, or one drawn from the seed"),
      table<Scenario>("lock", lock_keys(), at<&Scenario::lock>, "The lock under test."),
      table<Scenario>("servers", servers_keys(), at<&Scenario::servers>, ""),
      table<Scenario>("network", network_keys(), at<&Scenario::network>, "How long messages take."),
      table<Scenario>("clients", clients_keys(), at<&Scenario::clients>,
                      "The clients that want the lock, processes `client-1` to `client-N`."),
      tables<Scenario>("client", kMostUnlike, at<&Scenario::unlike>, read_client, describe_client),
      tables<Scenario>(
          "fault", kMostFaults, at<&Scenario::faults>,
          [](const Value& table, Fault& fault) {
            fault.line = table.line();
            read_table(table, fault_keys(), fault);
          },
          describe_fault),
      table<Scenario>("expect", expectation_keys(), at<&Scenario::expect>,
                      "The result that the run must have."),
      tables<Scenario>("twin", kMostTwins, at<&Scenario::twins>, read_twin, describe_twin),
      tables<Scenario>(
          "neighbour", kMostTwins, at<&Scenario::neighbours>,
          [](const Value& table, Neighbour& neighbour) {
            neighbour.expect.line = table.line();
            read_table(table, neighbour_keys(), neighbour);
          },
          describe_neighbour),
      table<Scenario>("complete", complete_keys(), at<&Scenario::complete>,
                      "A search of every plan that finds no violation. `picklock run` makes it, "
                      "which takes a second or minutes; `picklock explore --strategy exhaustive` "
                      "writes this table."),
  };
  return keys;
}

}  // namespace picklock::scenarios
