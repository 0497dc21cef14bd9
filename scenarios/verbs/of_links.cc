#include <fmt/format.h>

#include <algorithm>

#include "scenarios/process_names.h"
#include "scenarios/verbs/kind.h"
#include "scenarios/verbs/words.h"

namespace picklock::verbs {

using keys::Value;
using scenarios::Scenario;
using sim::Fault;
using sim::Verb;

namespace {

void check_sides(const Value& table, const Fault& fault, const Scenario& scenario) {
  const auto from = table.find("from");
  if (!from) return;
  const std::vector<Value> wheres = from->is_array() ? from->elements() : std::vector<Value>{*from};
  for (auto name = fault.from.begin(); name != fault.from.end(); ++name) {
    const Value& where = wheres[static_cast<std::size_t>(name - fault.from.begin())];
    process_named(where, *name, scenario);
    if (*name == fault.target) where.fail(fmt::format("{} cannot be cut off from itself", *name));
    if (std::find(fault.from.begin(), name, *name) != name) {
      where.fail(fmt::format("{} is listed twice", *name));
    }
  }
}

std::string_view direction(const Fault& fault) {
  if (fault.outbound && !fault.inbound) return ", only what it sends";
  if (fault.inbound && !fault.outbound) return ", only what is sent to it";
  return "";
}

Kind partition() {
  return {.verb = Verb::partition,
          .name = "partition",
          .meaning =
              "the process and `from` cannot communicate; what was sent arrives after the "
              "partition heals",
          .lasting = Lasting::optional,
          .allowed = {"from", "one_way"},
          .check = check_sides,
          .can_heal = true,
          .fault_class = FaultClass::partition,
          .drawn = {{FaultClass::partition, 0}},
          .told = [](const Fault& fault) -> Phrase {
            return {
                fmt::format("partition {} from {}{}", fault.target,
                            fault.from.empty() ? "all others" : list(fault.from), direction(fault)),
                (direction(fault).empty() || !fault.lasts ? "" : ",") + lasting(fault, "for")};
          }};
}

Kind heal() {
  return {.verb = Verb::heal,
          .name = "heal",
          .meaning = "every partition and hold of the process ends",
          .fault_class = FaultClass::partition,
          .drawn = {{FaultClass::partition, 1}},
          .idle =
              [](const Fault& fault, std::span<const Fault> earlier) {
                return std::none_of(earlier.begin(), earlier.end(), [&](const Fault& other) {
                  return kind_of(other.verb).can_heal && other.target == fault.target;
                });
              },
          .told = [](const Fault& fault) -> Phrase { return {"heal " + fault.target}; }};
}

}  // namespace

std::vector<Kind> of_links() { return {partition(), heal()}; }

}  // namespace picklock::verbs
