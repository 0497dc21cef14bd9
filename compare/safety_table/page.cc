#include "compare/safety_table/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "compare/safety_table/decided.h"
#include "compare/safety_table/table.h"
#include "keys/duration_text.h"
#include "reports/wording.h"

namespace picklock::compare::safety_table {
namespace {

constexpr std::string_view kIntroduction = R"(# The safety table

For every lock and every class of faults, this table says two things. Can the protected resource accept a stale write, or mix
the operations of two holders? Are waiters blocked although no healthy client holds the lock? It is the table of
[docs/facts/failures.md](facts/failures.md), section 5, as data, and tests search every cell: a safe one for 200,000 runs
without a find, an unsafe one until each of 20 seeds has found a violation.

- **S**: safe, on the condition beside it.
- **U**: unsafe: a search finds a plan of such faults that violates it. With fencing, where every write carries a token that
  the resource checks and stores at once, all of these are safe. Nobody reads here: with readers [the token must come with
  each read as well](comparison.md#with-your-own-workload). Writes inside the lock's own transaction need no fencing.
- **decided**: what is safe is first tried with every plan of one fault, or of two where these are few. `2: 41,961` means
  that every plan of at most two faults of this class was tried, 41,961 in all, and none is a violation. What "every"
  means is in [Searching](searching.md#trying-every-plan). `2: 1` is the run without faults alone, because nobody reads
  the clocks that such faults change. The searches by chance go on with up to three faults.
- **K**: safe, but waiters are blocked for a while, for no longer than the time beside it. **K∞**: forever.

)";

struct Row {
  std::string_view name;
  std::vector<const Configuration*> configurations;
};

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const Configuration& one : configurations()) {
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const Row& row) { return row.name == one.row; });
    Row& row = same == all.end() ? all.emplace_back(Row{one.row, {}}) : *same;
    row.configurations.push_back(&one);
  }
  return all;
}

std::string verdict(const Cell& cell) {
  const bool safe = cell.reach == Reach::safe;
  switch (cell.stuck) {
    case Stuck::no:
      return safe ? "S" : "U";
    case Stuck::bounded:
      return safe ? "K" : "U, K";
    case Stuck::for_ever:
      break;
  }
  return safe ? "K∞" : "U, K∞";
}

std::string_view which(Strikes strikes) {
  switch (strikes) {
    case Strikes::anywhere:
      break;
    case Strikes::at_locks:
      return ", not between a client and the resource";
    case Strikes::while_asking:
      return " of a client that requests the lock and has not yet read its clock";
    case Strikes::by_steps:
      return ", only steps";
    case Strikes::at_processes:
      return " of whole clients";
    case Strikes::at_threads:
      return " of threads whose process stays alive";
    case Strikes::by_outages:
      return " of servers, for longer than a lease";
  }
  return "";
}

std::string remark(const Cell& cell) {
  std::vector<std::string> parts;
  if (!cell.premise.empty()) parts.emplace_back(cell.premise);
  if (cell.reach == Reach::unsafe && cell.shortest > 1)
    parts.push_back(fmt::format("{} faults", cell.shortest));
  if (cell.stuck == Stuck::bounded)
    parts.push_back(fmt::format("waits of {} to {}", keys::to_text(cell.wait.low),
                                keys::to_text(cell.wait.high)));
  for (const FaultClass beside : cell.beside)
    parts.push_back(fmt::format("together with {}", picklock::name(beside)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

// "2: 41,961"; empty: it is not safe, or nothing to be fenced.
std::string how_far(const Configuration& one, const Cell& cell, bool fenced) {
  const Decided* all = decided(one, cell, fenced);
  return all == nullptr ? "" : fmt::format("{}: {}", all->faults, reports::grouped(all->plans));
}

// The verdicts of a row for a class, each once: those without a condition, if there are any, else
// those under any condition.
std::string overview(const Row& row, FaultClass faults) {
  const bool plain = std::any_of(
      row.configurations.begin(), row.configurations.end(),
      [](const Configuration* one) { return one->condition.empty() && one->cells.size() > 1; });
  std::vector<std::string> verdicts;
  for (const Configuration* one : row.configurations) {
    if (plain && !one->condition.empty()) continue;
    for (const Cell& cell : one->cells) {
      if (cell.faults != faults) continue;
      const std::string said = verdict(cell);
      if (std::find(verdicts.begin(), verdicts.end(), said) == verdicts.end())
        verdicts.push_back(said);
    }
  }
  return verdicts.empty() ? "–" : fmt::format("{}", fmt::join(verdicts, " / "));
}

// As a shell takes it.
std::string command(const Configuration& one) {
  std::string text = fmt::format("picklock explore {}", one.scenario);
  for (const std::string_view change : one.changes) {
    const bool plain = change.find_first_of("[]{}\" ") == std::string_view::npos;
    text += plain ? fmt::format(" --set {}", change) : fmt::format(" --set '{}'", change);
  }
  return text;
}

}  // namespace

std::string cells_as_table(const Configuration& one) {
  std::string table =
      "| faults | | condition, and how long waiters are blocked | decided | decided with fencing "
      "|\n|---|---|---|---|---|\n";
  for (const Cell& cell : one.cells)
    table += fmt::format("| {}{} | {} | {} | {} | {} |\n", picklock::name(cell.faults),
                         which(cell.strikes), verdict(cell), remark(cell),
                         how_far(one, cell, false), how_far(one, cell, true));
  return table;
}

std::string page() {
  std::string page(kIntroduction);
  page += "| lock |";
  std::string rule = "|---|";
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    page += fmt::format(" {} |", picklock::name(static_cast<FaultClass>(i)));
    rule += "---|";
  }
  page += "\n" + rule + "\n";
  for (const Row& row : rows()) {
    page += fmt::format("| {} |", row.name);
    for (std::size_t i = 0; i < kFaultClassCount; ++i)
      page += fmt::format(" {} |", overview(row, static_cast<FaultClass>(i)));
    page += "\n";
  }
  page +=
      "\n`–`: the class has a cell only under a condition, or none. Several verdicts: it depends "
      "on "
      "which faults of the class\nfire; see the lock's own table below. Each of these begins with "
      "the command that searches it; add\n`--faults CLASS --property "
      "no-stale-write,resource-exclusion`.\n";
  for (const Row& row : rows()) {
    page += fmt::format("\n## {}\n", row.name);
    for (const Configuration* one : row.configurations) {
      if (!one->condition.empty()) page += fmt::format("\n**{}**\n", one->condition);
      page += fmt::format("\n`{}`\n\n", command(*one)) + cells_as_table(*one);
    }
  }
  return page;
}

}  // namespace picklock::compare::safety_table
