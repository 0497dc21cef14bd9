// Counts the runs that each strategy of a search needs until it finds something, over some seeds.
//
//   first_find [--seeds N] [--runs MOST] [--strategies A,B] [--name NAME --needs FAULTS]
//              --algorithm LOCK [--set KEY=VALUE]...
//   first_find [--seeds N] [--runs MOST] [--strategies A,B] --cells LEAST [PART OF A NAME]
// The latter: for each cell of the safety table that is unsafe and whose story needs so many faults
// at least. Prints a line for each strategy, with tabs in it: the name, the faults that are needed,
// the strategy, how many seeds found something, the median of the runs and of the seconds, and the
// runs of all seeds (bench/find_table makes a table of it).
// Run it in the root of the repository. Times are those of one process and of the search alone:
// nothing is shrunk.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "explore/runs.h"
#include "explore/strategies/list.h"
#include "scenarios/shipped.h"
#include "testing/safety_table_search.h"

namespace {

using namespace picklock;
namespace table = compare::safety_table;

struct Asked {
  std::uint64_t seeds = 20;
  std::uint64_t runs = 100'000;
  std::vector<std::string> strategies;
};

struct Found {
  std::uint64_t runs = UINT64_MAX;
  double seconds = 0;
};

Found first_find(const scenarios::Scenario& scenario, const explore::SearchOptions& options,
                 std::uint64_t most) {
  const auto start = std::chrono::steady_clock::now();
  explore::Runs runs(scenario, options);
  Found found;
  bool over = !runs.without_faults().empty();
  if (over) found.runs = 0;
  while (!over) {
    const auto batch = runs.strategy().next();
    if (!batch) break;
    explore::Block block;
    for (std::uint64_t run = batch->runs.from; run < batch->runs.to && !over; ++run) {
      over = run >= most;
      if (over) break;
      runs.make(*batch, run, block);
      over = !block.sightings.empty();
      if (over) found.runs = run + 1;
    }
    if (!over) runs.strategy().take(*batch, block);
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  found.seconds = passed.count();
  return found;
}

std::string told(std::uint64_t runs) { return runs == UINT64_MAX ? "-" : std::to_string(runs); }

void measure(const std::string& name, const std::string& needs, const scenarios::Scenario& scenario,
             explore::SearchOptions options, const Asked& asked) {
  for (const std::string& word : asked.strategies) {
    const explore::strategies::Listed& strategy = explore::strategies::named(word);
    options.strategy = strategy.name;
    std::vector<std::uint64_t> runs;
    std::vector<double> seconds;
    for (std::uint64_t seed = 1; seed <= asked.seeds; ++seed) {
      options.seed = seed;
      const Found one = first_find(scenario, options, asked.runs);
      runs.push_back(one.runs);
      seconds.push_back(one.seconds);
    }
    std::sort(runs.begin(), runs.end());
    std::sort(seconds.begin(), seconds.end());
    const auto found = std::find(runs.begin(), runs.end(), UINT64_MAX) - runs.begin();
    std::vector<std::string> all;
    all.reserve(runs.size());
    for (const std::uint64_t one : runs) all.push_back(told(one));
    fmt::print("{}\t{}\t{}\t{}/{}\t{}\t{:.3f}\t{}\n", name, needs, word, found, runs.size(),
               told(runs[runs.size() / 2]), seconds[seconds.size() / 2], fmt::join(all, " "));
    std::fflush(stdout);
  }
}

[[noreturn]] void usage() {
  fmt::print(stderr, "see the head of bench/first_find.cc\n");
  std::exit(2);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> all(1);
  for (const char letter : list) {
    if (letter == ',')
      all.emplace_back();
    else
      all.back() += letter;
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  Asked asked{.strategies = {"random", "guided"}};
  std::string lock;
  std::string title;
  std::string needs = "?";
  std::vector<std::string> changes;
  std::uint32_t cells = 0;
  std::string part;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : (usage(), ""); };
    if (word == "--seeds")
      asked.seeds = std::strtoull(value().c_str(), nullptr, 10);
    else if (word == "--runs")
      asked.runs = std::strtoull(value().c_str(), nullptr, 10);
    else if (word == "--strategies")
      asked.strategies = split(value());
    else if (word == "--algorithm")
      lock = value();
    else if (word == "--name")
      title = value();
    else if (word == "--needs")
      needs = value();
    else if (word == "--set")
      changes.push_back(value());
    else if (word == "--cells")
      cells = static_cast<std::uint32_t>(std::strtoul(value().c_str(), nullptr, 10));
    else if (cells > 0)
      part = word;
    else
      usage();
  }
  if (cells > 0) {
    for (const table::claims::Case& one : table::claims::cases()) {
      const std::string name = table::claims::test_name(one);
      if (one.claim == table::claims::Claim::wait || one.reach() != table::Reach::unsafe) continue;
      if (one.cell->shortest < cells) continue;
      if (name.find(part) == std::string::npos) continue;
      measure(name, std::to_string(one.cell->shortest), table::claims::scenario(one),
              table::claims::options(one, 1), asked);
    }
    return 0;
  }
  if (lock.empty()) usage();
  scenarios::Document document = scenarios::shipped::document("plain/" + lock);
  for (const std::string& change : changes) document.set(scenarios::change_from(change));
  document.forget_neighbours();
  measure(title.empty() ? lock : title, needs, document.scenario(scenarios::shipped_vocabulary()),
          {}, asked);
}
