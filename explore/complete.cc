#include "explore/complete.h"

#include <fmt/format.h>

#include <vector>

#include "keys/bad_input.h"
#include "reports/wording.h"
#include "scenarios/program_locks.h"
#include "scenarios/runner.h"
#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

using reports::plural;
using scenarios::Complete;
using scenarios::Scenario;
using strategies::Decided;

void compare(std::optional<std::uint64_t> expected, std::uint64_t made, std::string_view key,
             std::vector<std::string>& surprises) {
  if (expected && *expected != made)
    surprises.push_back(
        fmt::format("complete.{} is {}, and not {} as the file expects", key, made, *expected));
}

}  // namespace

std::string in_plans(std::uint32_t most, const Decided& decided) {
  return plural(most, "fault") + (!decided.orders ? ""
                                  : most == 1     ? " or late message"
                                                  : " or late messages");
}

bool is_complete(const Search& search) {
  const std::optional<Decided> decided = search.decided();
  return decided && search.clean() && decided->begun && decided->unjudged == 0 &&
         decided->most == search.options().faults.most;
}

std::string complete_file(const Search& search) {
  const Decided decided = *search.decided();
  const SearchOptions& options = search.options();
  Scenario scenario = search.scenario();
  scenario.seed = options.seed;
  const scenarios::Run run = scenarios::Runner().run(scenario, scenario.seed, false);
  scenario.title = fmt::format(
      "No plan of at most {} {}", in_plans(decided.most, decided),
      options.properties.empty()
          ? (scenarios::has_programs(scenario)
                 ? std::string("breaks the lock of the programs")
                 : fmt::format("breaks a promise of {}", scenario.lock.algorithm))
          : fmt::format("violates {}", reports::list(reports::names(options.properties))));
  scenario.source = options.command;
  for (const properties::Verdict& verdict : run.verdicts) {
    if (verdict.outcome == properties::Outcome::violated)
      scenario.expect.violated.push_back(verdict.property);
  }
  scenario.expect.digest = run.digest;
  scenario.control = true;
  scenario.complete = {.faults = decided.most,
                       .properties = options.properties,
                       .plans = decided.plans,
                       .different = decided.different};
  if (!options.all_classes) scenario.complete.classes = options.faults.classes;
  return scenarios::file_text(scenario);
}

void repeat_complete_search(const Scenario& scenario, bool counted, scenarios::Run& run) {
  const Complete& expected = scenario.complete;
  if (expected.faults == 0) return;
  Search search(scenario, {.strategy = "exhaustive",
                           .seed = run.seed,
                           .faults = {.classes = expected.classes.value_or(FaultClasses()),
                                      .most = expected.faults},
                           .all_classes = !expected.classes,
                           .properties = expected.properties,
                           .command = "the search of " + scenario.name});
  while (search.clean() && search.run_next()) {
  }
  const Decided decided = *search.decided();
  for (const Find& find : search.finds()) {
    run.surprises.push_back(fmt::format(
        "{} is violated by a plan of {}: {}", picklock::name(find.violation.property),
        in_plans(static_cast<std::uint32_t>(find.story.faults.size()), decided), find.story.title));
  }
  if (!search.clean()) return;
  if (decided.too_many > 0)
    run.surprises.push_back(fmt::format("the plans of {} are too many to try: {}",
                                        in_plans(decided.most + 1, decided), decided.too_many));
  if (decided.unjudged > 0)
    run.surprises.push_back(
        fmt::format("{} could not be judged", plural(decided.unjudged, "plan")));
  if (!counted || decided.too_many > 0) return;
  compare(expected.plans, decided.plans, "plans", run.surprises);
  compare(expected.different, decided.different, "different", run.surprises);
}

}  // namespace picklock::explore
