// Measures how soon each strategy of a search finds something, over several seeds. Prints a row of
// a Markdown table for each thing that is searched (bench/finds makes the whole table).
//
//   first_find [OPTION]... [--needs FAULTS] [--name TEXT]
//     For each unsafe cell of the safety table, for those that need so many faults, or for those
//     whose name contains the text.
//   first_find [OPTION]... --needs FAULTS --algorithm LOCK [--set KEY=VALUE]... --name NAME
//
// A field of a row has the median of the runs and of the seconds until the first find. With `>` it
// is of a search that found nothing before it was ended: after --runs, or after --seconds, a tenth
// of them where one fault is enough. After such a time no search with a further seed begins either.
// "3 of 8" says that three of eight searches found something; without it each of --seeds did. A
// strategy that tries every plan needs one seed. Where each message takes a given time, `pct`
// searches with 1 to 9 ms in its place. Run it in the root of the repository. The seconds are those
// of the processor, which do not depend on what else the machine does. They end with the run of the
// find: the story that is made of it takes as long whichever strategy has found it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "explore/strategies/list.h"
#include "reports/wording.h"
#include "scenarios/bounds.h"
#include "scenarios/shipped.h"
#include "testing/safety_table_search.h"

namespace {

using namespace picklock;
namespace claims = compare::safety_table::claims;

struct Asked {
  std::uint64_t seeds = 20;
  std::uint64_t runs = 100'000;
  double seconds = 60;
  std::vector<std::string> strategies = {"random", "guided", "pct", "exhaustive"};
};

struct Ended {
  bool without_find = false;
  std::uint64_t runs = 0;
  double seconds = 0;
};

double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

Ended search_once(const scenarios::Scenario& scenario, const explore::SearchOptions& options,
                  const Asked& asked) {
  const std::clock_t start = std::clock();
  explore::Search search(scenario, options);
  bool found = false;
  while (!found && search.tally().runs < asked.runs && seconds_since(start) < asked.seconds &&
         search.make_next()) {
    found = search.next_lead().has_value();
  }
  return {!found, search.tally().runs, seconds_since(start)};
}

std::string field(scenarios::Scenario scenario, explore::SearchOptions options,
                  const Asked& asked) {
  using namespace std::chrono_literals;
  if (options.strategy == "pct" && !scenarios::has_bounds(scenario.network))
    scenario.network.latency = {.low = 1ms, .high = 9ms};
  const std::clock_t start = std::clock();
  std::vector<Ended> all;
  std::vector<double> seconds;
  const std::uint64_t seeds =
      explore::strategies::named(options.strategy).complete ? 1 : asked.seeds;
  for (options.seed = 1;
       options.seed <= seeds && (all.empty() || seconds_since(start) < asked.seconds);
       ++options.seed) {
    all.push_back(search_once(scenario, options, asked));
    seconds.push_back(all.back().seconds);
  }
  std::sort(all.begin(), all.end(), [](const Ended& one, const Ended& other) {
    return std::tie(one.without_find, one.runs) < std::tie(other.without_find, other.runs);
  });
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = all.size() / 2;
  const auto found =
      std::count_if(all.begin(), all.end(), [](const Ended& one) { return !one.without_find; });
  std::string text = fmt::format("{}{} in ", all[middle].without_find ? "> " : "",
                                 reports::grouped(all[middle].runs));
  text += fmt::format("{:.{}g} s", seconds[middle], seconds[middle] < 100 ? 2 : 4);
  if (static_cast<std::uint64_t>(found) < seeds)
    text += fmt::format(", {} of {}", found, all.size());
  return text;
}

void print_row(const std::string& name, std::uint32_t needs, const scenarios::Scenario& scenario,
               explore::SearchOptions options, Asked asked) {
  if (needs < 2) asked.seconds /= 10;
  options.most_plans = UINT64_MAX;
  fmt::print("| {} | {} |", name, needs);
  for (const std::string& word : asked.strategies) {
    options.strategy = explore::strategies::named(word).name;
    fmt::print(" {} |", field(scenario, options, asked));
    std::fflush(stdout);
  }
  fmt::print("\n");
}

void print_cells(std::optional<std::uint32_t> needs, const std::string& part, const Asked& asked) {
  for (const claims::Case& one : claims::cases()) {
    const bool fenced = one.claim == claims::Claim::fenced;
    if (one.claim == claims::Claim::wait) continue;
    if (one.reach() != compare::safety_table::Reach::unsafe) continue;
    if (one.cell->shortest != needs.value_or(one.cell->shortest)) continue;
    const std::string name = claim_of(*one.configuration, *one.cell, fenced);
    if (name.find(part) == std::string::npos) continue;
    print_row(name, one.cell->shortest, claims::scenario(one), claims::options(one, 1), asked);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Asked asked;
  std::string lock;
  std::string name;
  std::optional<std::uint32_t> needs;
  std::vector<std::string> changes;
  CLI::App app;
  app.add_option("--seeds", asked.seeds);
  app.add_option("--runs", asked.runs);
  app.add_option("--seconds", asked.seconds);
  app.add_option("--strategies", asked.strategies)
      ->delimiter(',')
      ->check(CLI::IsMember({"random", "guided", "pct", "exhaustive"}));
  app.add_option("--algorithm", lock);
  app.add_option("--set", changes);
  app.add_option("--name", name);
  app.add_option("--needs", needs);
  CLI11_PARSE(app, argc, argv);
  if (lock.empty()) {
    print_cells(needs, name, asked);
    return 0;
  }
  scenarios::Document document = scenarios::shipped::document("plain/" + lock);
  for (const std::string& change : changes) document.set(scenarios::change_from(change));
  document.forget_neighbours();
  print_row(name, needs.value_or(0), document.scenario(scenarios::shipped_vocabulary()), {}, asked);
}
