#include "compare/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "compare/agreement.h"
#include "compare/price.h"
#include "compare/summary.h"
#include "reports/mermaid.h"
#include "reports/wording.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"

namespace picklock::compare {
namespace {

constexpr std::string_view kIntroduction = R"(# Which lock, and what breaks it

{}

Every lock meets the same plans of faults: run number i of a column has the same faults for each lock, placed at the steps
that the lock itself takes. To repeat it: `{}`.

## At the resource

Runs in 100 in which {}. Only runs in which a fault fired count. In parentheses: the number of faults that it takes. `·`: none found{}; `U`: none found, but unsafe by
the safety table; `-`: cannot happen to this lock; **!**: although promised. The last column: the share of acquires that
were granted, under the faults that deny the most. {}{}

)";

// One that tells of `words` as long as there is no bar in it.
std::string escaped(std::string_view words) {
  std::string text;
  for (const char letter : words) {
    if (letter == '|') text += '\\';
    text += letter;
  }
  return text;
}

class MarkdownWriter {
 public:
  MarkdownWriter(const Comparison& comparison, const Made& made)
      : comparison_(comparison), made_(made) {
    const std::vector<CellName> unseen = agreement(comparison).not_found;
    missed_.insert(unseen.begin(), unseen.end());
  }

  std::string write() {
    out_ += fmt::format(kIntroduction, what_was_made(comparison_, made_), made_.command, harmed(),
                        unseen(), fenced(), without_row() + decided());
    resource();
    others();
    price();
    for (std::size_t lock = 0; lock < comparison_.locks().size(); ++lock) this->lock(lock);
    return std::move(out_);
  }

 private:
  void row(const std::vector<std::string>& fields) {
    out_ += '|';
    for (const std::string& field : fields) out_ += ' ' + field + " |";
    out_ += '\n';
  }

  void head(const std::vector<std::string>& fields) {
    row(fields);
    out_ += "|---|";
    for (std::size_t i = 1; i < fields.size(); ++i) out_ += "---:|";
    out_ += '\n';
  }

  std::string name_of(std::size_t lock) const {
    return std::string(comparison_.locks()[lock].algorithm->name);
  }
  std::string linked(std::size_t lock) const { return fmt::format("[{0}](#{0})", name_of(lock)); }

  std::string unseen() const {
    const std::string rate = highest_unseen(comparison_);
    return rate.empty() ? "" : fmt::format(" (at most {} in 100)", rate);
  }

  std::string harmed() const {
    return comparison_.reads()
               ? "the protected resource accepted a stale write, mixed the operations of two\n"
                 "holders, or lost an update"
               : "the protected resource accepted a stale write, or mixed the operations of two\n"
                 "holders";
  }

  std::string fenced() const {
    const std::vector<CellName> harmed = harmed_when_fenced(comparison_);
    if (harmed.empty())
      return fmt::format("With {}, no such run was found\nin any cell{}.",
                         fencing_in_words(comparison_),
                         comparison_.reads() ? "" : "; nobody reads here");
    std::string words = fmt::format("Found even with {}:", fencing_in_words(comparison_));
    for (const CellName& cell : harmed) words += " `" + comparison_.label(cell) + "`";
    return words + ".";
  }

  std::string without_row() const {
    const std::vector<std::string> names = locks_without_row(comparison_);
    if (names.empty()) return "";
    return fmt::format(
        "\n\nThe safety table has no row for {}: there `·` says only that these runs "
        "found nothing.",
        reports::list(names));
  }

  std::string decided() const {
    const std::string complete = what_is_complete(comparison_, "✓");
    return complete.empty() ? "" : fmt::format("\n\nBefore the share: {}.", complete);
  }

  std::string by_few_faults(const CellName& cell) const {
    const std::optional<Complete> complete = comparison_.complete(cell.lock, cell.column);
    if (!complete) return "";
    const std::size_t fewest = complete->fewest_for_harm();
    return fewest > 0 ? fmt::format("{}: ", fewest) : complete->faults() == 1 ? "✓ " : "✓✓ ";
  }

  std::string harm(const CellName& cell) const {
    if (!comparison_.why_impossible(cell.lock, cell.column).empty()) return "-";
    const Measures& measures = comparison_.known(cell).measures;
    if (measures.counted() == 0) return "?";
    const std::string by_few = by_few_faults(cell);
    if (measures.unsafe == 0) return by_few + (missed_.contains(cell) ? "U" : "·");
    std::string text = by_few + percent(measures.unsafe, measures.counted());
    if (const Story* story = shortest_harm(comparison_, cell))
      text += fmt::format(" ({})", story->faults);
    return broken_at_resource(comparison_, cell) > 0 ? text + " **!**" : text;
  }

  void resource() {
    std::vector<std::string> heads = {"lock"};
    for (const Column& column : comparison_.columns()) heads.push_back(column.name);
    heads.emplace_back("granted");
    head(heads);
    for (std::size_t lock = 0; lock < comparison_.locks().size(); ++lock) {
      std::vector<std::string> fields = {linked(lock)};
      for (std::size_t column = 0; column < comparison_.columns().size(); ++column)
        fields.push_back(harm({lock, column, false}));
      fields.push_back(granted_at_worst(comparison_, lock));
      row(fields);
    }
    out_ += '\n';
  }

  void others() {
    const std::size_t column =
        column_of(comparison_, "all").value_or(comparison_.columns().size() - 1);
    out_ += fmt::format(
        "## Other properties\n\nRuns in 100 that violate them, in column `{}`, without "
        "fencing.\n\n",
        comparison_.columns()[column].name);
    std::vector<std::string> heads = {"lock"};
    for (const Property property : kOtherProperties) heads.emplace_back(picklock::name(property));
    head(heads);
    for (std::size_t lock = 0; lock < comparison_.locks().size(); ++lock) {
      const CellName cell{lock, column, false};
      const Measures& measures = comparison_.known(cell).measures;
      std::vector<std::string> fields = {linked(lock)};
      for (const Property property : kOtherProperties) {
        const auto& count = measures.properties[static_cast<std::size_t>(property)];
        std::string text = "?";
        if (measures.counted() > 0)
          text = count.violations == 0 ? "·" : percent(count.violations, measures.counted());
        if (comparison_.broken(cell, property) > 0) text += " **!**";
        fields.push_back(std::move(text));
      }
      row(fields);
    }
    out_ += '\n';
  }

  void price() {
    out_ +=
        "## Cost\n\n"
        "The time of an uncontended acquire; the handover: the time from the end of one critical "
        "section to the grant of a\nwaiter; messages and commands for one acquire with its "
        "release; wake-ups for one release; how often a waiter was\novertaken; and the recovery: "
        "the time from the crash of a holder to the next grant, beside the algorithm's own "
        "bound.\n\n";
    head({"lock", "acquire p50", "p99", "handover p50", "p99", "messages", "commands", "wake-ups",
          "overtaken", "recovers p50", "longest", "bound"});
    for (std::size_t lock = 0; lock < comparison_.locks().size(); ++lock) {
      const PriceList list = price_list(comparison_, lock);
      row({linked(lock), in_short(list.free_p50), in_short(list.free_p99),
           in_short(list.handover_p50), in_short(list.handover_p99),
           in_short(list.messages_per_acquire), in_short(list.commands_per_acquire),
           in_short(list.wakeups_per_release),
           list.acquires > 0 ? std::to_string(list.longest_overtaking) : "-",
           in_short(list.recovery_p50),
           list.never_recovered > 0 ? "never" : in_short(list.recovery_longest),
           in_short(list.recovery_bound)});
    }
    out_ +=
        "\nAcquires that were granted, in percent of those whose client did not crash "
        "meanwhile:\n\n";
    std::vector<std::string> heads = {"lock"};
    for (const Column& column : comparison_.columns()) heads.push_back(column.name);
    head(heads);
    for (std::size_t lock = 0; lock < comparison_.locks().size(); ++lock) {
      std::vector<std::string> fields = {linked(lock)};
      for (std::size_t column = 0; column < comparison_.columns().size(); ++column) {
        const Measures& measures = comparison_.known({lock, column, false}).measures;
        fields.push_back(measures.asked == 0 ? "-"
                                             : percent(measures.granted, measures.asked) + "%");
      }
      row(fields);
    }
    out_ += '\n';
  }

  // ---------------------------------------------------------------- one lock

  void lock(std::size_t lock) {
    const models::Algorithm& algorithm = *comparison_.locks()[lock].algorithm;
    out_ +=
        fmt::format("## {}\n\n{} ({})\n\n", algorithm.name, algorithm.summary, algorithm.source);
    std::vector<std::vector<std::string>> rows;
    // Fencing changes what reaches the resource, which has its line above.
    for (std::size_t column = 0; column < comparison_.columns().size(); ++column)
      violations({lock, column, false}, rows);
    if (rows.empty()) {
      out_ += "No violation was found.\n\n";
      return;
    }
    head({"under", "property", "runs", "in 100", "faults", "story"});
    for (const auto& one : rows) row(one);
    out_ += '\n';
    story(lock);
  }

  void violations(const CellName& cell, std::vector<std::vector<std::string>>& rows) const {
    const Known& known = comparison_.known(cell);
    for (std::size_t i = 0; i < kPropertyCount; ++i) {
      const PropertyCount& count = known.measures.properties[i];
      if (count.violations == 0) continue;
      const auto property = static_cast<Property>(i);
      const Interval interval = wilson_95(count.violations, known.measures.counted());
      const auto [teller, story] = comparison_.told(cell, property);
      rows.push_back(
          {comparison_.columns()[cell.column].name,
           fmt::format("{}{}", picklock::name(property),
                       comparison_.broken(cell, property) > 0 ? " **!**" : ""),
           std::to_string(known.measures.counted()),
           fmt::format("{} ({:.1f} to {:.1f})", percent(count.violations, known.measures.counted()),
                       100 * interval.low, 100 * interval.high),
           story != nullptr ? std::to_string(story->faults) : "",
           story != nullptr && !story->file.empty()
               ? fmt::format("[{}](found/{}.{}.toml)", escaped(story->title),
                             comparison_.label(teller), picklock::name(property))
               : ""});
    }
  }

  // The one with the fewest faults, and of these one in which the resource is harmed.
  void story(std::size_t lock) {
    const Story* shortest = nullptr;
    bool shortest_harms = false;
    std::size_t where = 0;
    for (std::size_t column = 0; column < comparison_.columns().size(); ++column) {
      const Known& known = comparison_.known({lock, column, false});
      for (const auto& [property, story] : known.stories) {
        const bool harms = harms_resource(property);
        const bool better = shortest == nullptr || (harms && !shortest_harms) ||
                            (harms == shortest_harms && story.faults < shortest->faults);
        if (!better) continue;
        shortest = &story;
        shortest_harms = harms;
        where = column;
      }
    }
    if (shortest == nullptr) return;
    const scenarios::Scenario scenario =
        scenarios::parse(shortest->text, "story.toml", scenarios::shipped_vocabulary());
    const scenarios::Outcome outcome{.run = scenarios::Runner().run(scenario, scenario.seed, true),
                                     .twins = {}};
    out_ += fmt::format("The shortest story, under {}: {}\n\n", comparison_.columns()[where].name,
                        shortest->title);
    out_ += "```mermaid\n" + reports::mermaid(outcome, shortest->file.empty()
                                                           ? std::string()
                                                           : made_.run_command(shortest->file));
    if (!out_.ends_with('\n')) out_ += '\n';
    out_ += "```\n\n";
  }

  const Comparison& comparison_;
  const Made& made_;
  std::set<CellName> missed_;  // unsafe by the safety table, and not found
  std::string out_;
};

}  // namespace

std::string markdown(const Comparison& comparison, const Made& made) {
  return MarkdownWriter(comparison, made).write();
}

}  // namespace picklock::compare
