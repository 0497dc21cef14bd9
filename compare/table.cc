#include "compare/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "compare/agreement.h"
#include "compare/price.h"
#include "compare/summary.h"
#include "models/servers/kind.h"
#include "reports/columns.h"
#include "reports/ink.h"
#include "reports/wording.h"

namespace picklock::compare {
namespace {

using reports::Ink;
using reports::Line;

constexpr int kWidest = 120;
// With so few locks there is room for every cell.
constexpr std::size_t kFew = 2;

struct Field {
  std::string text;
  Ink ink = Ink::plain;
};

// A table of short fields, whose heads stand in as many lines as their words need.
class Grid {
 public:
  Grid(std::string corner, std::vector<std::string> heads) : corner_(std::move(corner)) {
    for (const std::string& head : heads) heads_.push_back(pieces(head));
  }

  void row(std::string name, std::vector<Field> fields) {
    rows_.emplace_back(std::move(name), std::move(fields));
  }
  void section(std::string name) { rows_.emplace_back(std::move(name), std::vector<Field>()); }

  std::string text(bool color) const {
    constexpr std::string_view kIndent = "  ";
    constexpr int kIndentWidth = 2;
    int name_width = reports::display_width(corner_);
    std::vector<int> widths(heads_.size(), 3);
    std::size_t lines = 1;
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      lines = std::max(lines, heads_[i].size());
      for (const std::string& piece : heads_[i])
        widths[i] = std::max(widths[i], reports::display_width(piece));
    }
    for (const auto& [name, fields] : rows_) {
      if (!fields.empty())
        name_width = std::max(name_width, kIndentWidth + reports::display_width(name));
      for (std::size_t i = 0; i < fields.size(); ++i)
        widths[i] = std::max(widths[i], reports::display_width(fields[i].text));
    }
    int full = name_width;
    for (const int width : widths) full += width + 2;
    const std::string gap(full <= kWidest ? 2 : 1, ' ');
    std::string out;
    for (std::size_t line = 0; line < lines; ++line) {
      Line head;
      const bool last = line + 1 == lines;
      head.add(reports::pad_right(last ? corner_ : "", name_width), Ink::dim);
      for (std::size_t i = 0; i < heads_.size(); ++i) {
        const std::size_t skipped = lines - heads_[i].size();
        const std::string piece = line < skipped ? "" : heads_[i][line - skipped];
        head.add(gap).add(reports::pad_left(piece, widths[i]), Ink::dim);
      }
      out += head.text(color);
    }
    for (const auto& [name, fields] : rows_) {
      if (fields.empty()) {
        out += Line().add(name, Ink::dim).text(color);
        continue;
      }
      Line line;
      line.add(kIndent).add(reports::pad_right(name, name_width - kIndentWidth), Ink::strong);
      for (std::size_t i = 0; i < fields.size(); ++i)
        line.add(gap).add(reports::pad_left(fields[i].text, widths[i]), fields[i].ink);
      out += line.text(color);
    }
    return out;
  }

 private:
  // "late-command" in two, each of which can stand by itself.
  static std::vector<std::string> pieces(const std::string& head) {
    std::vector<std::string> all(1);
    for (const char letter : head) {
      if (letter == ' ') {
        all.emplace_back();
        continue;
      }
      all.back() += letter;
      if (letter == '-' || letter == '+') all.emplace_back();
    }
    return all;
  }

  std::string corner_;
  std::vector<std::vector<std::string>> heads_;
  std::vector<std::pair<std::string, std::vector<Field>>> rows_;
};

class TableWriter {
 public:
  TableWriter(const Comparison& comparison, const Made& made, reports::TextOptions options)
      : comparison_(comparison),
        made_(made),
        options_(std::move(options)),
        width_(std::min(kWidest, options_.width)),
        glyphs_(reports::palette(options_.unicode)) {}

  std::string write() {
    paragraph("", what_was_made(comparison_, made_));
    out_ += '\n';
    resource();
    others();
    price();
    if (comparison_.locks().size() <= kFew) cells();
    broken_promises();
    known();
    crashed();
    field("a cell", again());
    field("a story", "picklock run FILE shows the smallest story of a violation");
    if (const std::size_t left = untold(comparison_); left > 0)
      field("untold", fmt::format("{} have no story: no time was left for it",
                                  reports::plural(left, "violation")));
    for (const std::string& page : made_.pages) field("page", page, Ink::strong);
    if (made_.stories_left_out > 0)
      field("left out",
            fmt::format(
                "{} stories are in the folder alone: no time was left to show them on the page",
                made_.stories_left_out));
    return std::move(out_);
  }

 private:
  void paragraph(std::string_view name, std::string_view text, Ink ink = Ink::plain) {
    constexpr int kFieldWidth = 10;
    const int indent = name.empty() ? 0 : kFieldWidth;
    bool first = true;
    const std::string shown = options_.unicode ? std::string(text) : reports::ascii(text);
    for (const std::string& line : reports::wrap(shown, width_ - indent)) {
      out_ += Line()
                  .add(reports::pad_right(first ? name : "", indent), Ink::dim)
                  .add(line, ink)
                  .text(options_.color);
      first = false;
    }
  }
  void field(std::string_view name, std::string_view text, Ink ink = Ink::plain) {
    paragraph(name, text, ink);
  }
  void heading(std::string_view text) {
    out_ += Line().add(text, Ink::strong).text(options_.color);
  }

  template <typename Fields>
  void rows(Grid& grid, const Fields& fields_of) {
    std::optional<LockServer> server;
    for (std::size_t lock = 0; lock < comparison_.locks().size(); ++lock) {
      const models::Algorithm& algorithm = *comparison_.locks()[lock].algorithm;
      if (server != algorithm.uses.server) {
        server = algorithm.uses.server;
        grid.section(fmt::format("on {}", servers::kind_of(*server).title));
      }
      grid.row(std::string(algorithm.name), fields_of(lock));
    }
    out_ += grid.text(options_.color);
  }

  // Nothing, a share of a hundred, or no such thing.
  Field share(std::uint64_t hits, std::uint64_t runs, std::string_view mark, Ink ink) const {
    if (runs == 0) return {"?", Ink::dim};
    if (hits == 0) return {std::string(glyphs_.dot), Ink::dim};
    return {percent(hits, runs) + std::string(mark), ink};
  }

  // Before a share of the drawn runs: what every plan of few faults does.
  std::string by_few_faults(const Complete& complete, std::size_t fewest) const {
    if (fewest > 0) return fmt::format("{}:", fewest);
    std::string signs;
    for (std::size_t i = 0; i < complete.faults(); ++i) signs += glyphs_.good;
    return signs;
  }

  void resource() {
    heading(comparison_.reads()
                ? "At the resource: runs in 100 with a stale write, with the operations of two "
                  "holders mixed, or with a lost update"
                : "At the resource: runs in 100 with a stale write, or with the operations of two "
                  "holders mixed");
    std::vector<std::string> heads;
    for (const Column& column : comparison_.columns()) heads.push_back(column.name);
    heads.emplace_back("granted worst");
    const std::vector<CellName> unseen = agreement(comparison_).not_found;
    const std::set<CellName> missed(unseen.begin(), unseen.end());
    Grid grid("lock", heads);
    rows(grid, [&](std::size_t lock) {
      std::vector<Field> fields;
      for (std::size_t column = 0; column < comparison_.columns().size(); ++column) {
        if (!comparison_.why_impossible(lock, column).empty()) {
          fields.push_back({"-", Ink::dim});
          continue;
        }
        const CellName cell{lock, column, false};
        const Measures& measures = comparison_.known(cell).measures;
        const bool broken = broken_at_resource(comparison_, cell) > 0;
        Field field = missed.contains(cell)
                          ? Field{"U", Ink::plain}
                          : share(measures.unsafe, measures.counted(), broken ? "!" : "",
                                  broken ? Ink::alarm : Ink::bad);
        if (const auto complete = comparison_.complete(lock, column))
          field.text = by_few_faults(*complete, complete->fewest_for_harm()) + field.text;
        fields.push_back(std::move(field));
      }
      fields.push_back({granted_at_worst(comparison_, lock), Ink::plain});
      return fields;
    });
    const std::vector<CellName> fenced = harmed_when_fenced(comparison_);
    const std::string fencing = fencing_in_words(comparison_);
    std::string words = "with " + fencing + ", no such run in any cell";
    if (!comparison_.reads()) words += "; nobody reads here";
    if (!fenced.empty()) {
      words = "even with " + fencing + ":";
      for (const CellName& cell : fenced) words += " " + comparison_.label(cell);
    }
    out_ += '\n';
    field("fenced", words);
    const std::string rate = highest_unseen(comparison_);
    field("signs",
          fmt::format("{} none found{}   U none found, but unsafe by the safety table   - cannot "
                      "happen to this lock   ! although promised",
                      glyphs_.dot, rate.empty() ? "" : fmt::format(" (at most {} in 100)", rate)));
    if (const std::string complete = what_is_complete(comparison_, glyphs_.good); !complete.empty())
      field("complete",
            fmt::format("{}. The sign or share behind it is of the runs that were drawn, "
                        "with up to {}",
                        complete, reports::plural(kMostFaults, "fault")));
    if (const std::vector<std::string> names = locks_without_row(comparison_); !names.empty())
      field("no row", fmt::format("the safety table has none for {}: there {} says only that these "
                                  "runs found nothing",
                                  reports::list(names), glyphs_.dot));
    field("granted",
          "the share of acquires that were granted, under the faults that deny the most");
    out_ += '\n';
  }

  void others() {
    const std::size_t last = comparison_.columns().size() - 1;
    const std::size_t column = column_of(comparison_, "all").value_or(last);
    heading(fmt::format(
        "Other properties: runs in 100 that violate them, under {} (! although promised)",
        comparison_.columns()[column].name == "all" ? "faults of all classes"
                                                    : comparison_.columns()[column].name));
    std::vector<std::string> heads;
    for (const Property property : kOtherProperties) heads.emplace_back(picklock::name(property));
    Grid grid("lock", heads);
    rows(grid, [&](std::size_t lock) {
      std::vector<Field> fields;
      const CellName cell{lock, column, false};
      const Measures& measures = comparison_.known(cell).measures;
      const std::optional<Complete> complete = comparison_.complete(lock, column);
      for (const Property property : kOtherProperties) {
        const bool broken = comparison_.broken(cell, property) > 0;
        const auto index = static_cast<std::size_t>(property);
        fields.push_back(share(measures.properties[index].violations, measures.counted(),
                               broken ? "!" : "", broken ? Ink::alarm : Ink::plain));
        if (complete)
          fields.back().text =
              by_few_faults(*complete, complete->fewest_for(property)) + fields.back().text;
      }
      return fields;
    });
    out_ += '\n';
  }

  void price() {
    heading(
        "Cost: an uncontended acquire, the handover to a waiter, messages, recovery after a crash");
    Grid grid("lock",
              {"acquire p50", "handover p50", "handover p99", "messages each", "commands each",
               "wake-ups each", "over- taken", "recovers p50", "recovers longest", "bound"});
    rows(grid, [&](std::size_t lock) {
      const PriceList list = price_list(comparison_, lock);
      std::string longest = in_short(list.recovery_longest);
      if (list.never_recovered > 0) longest = "never";
      std::vector<Field> fields;
      for (std::string text :
           {in_short(list.free_p50), in_short(list.handover_p50), in_short(list.handover_p99),
            in_short(list.messages_per_acquire), in_short(list.commands_per_acquire),
            in_short(list.wakeups_per_release),
            list.acquires > 0 ? std::to_string(list.longest_overtaking) : std::string("-"),
            in_short(list.recovery_p50), std::move(longest), in_short(list.recovery_bound)})
        fields.push_back({std::move(text), Ink::plain});
      return fields;
    });
    out_ += '\n';
  }

  void cells() {
    for (const CellName& name : comparison_.cells()) {
      const Known& known = comparison_.known(name);
      const std::uint64_t runs = known.measures.counted();
      heading(fmt::format(
          "{} under {}{}: {}{}", comparison_.locks()[name.lock].algorithm->name,
          comparison_.columns()[name.column].name, name.fenced ? ", fenced" : "",
          reports::plural(runs, "run"),
          comparison_.columns()[name.column].classes.empty() ? "" : " in which a fault fired"));
      bool any = false;
      for (std::size_t i = 0; i < kPropertyCount; ++i) {
        const PropertyCount& count = known.measures.properties[i];
        if (count.violations == 0) continue;
        any = true;
        property(name, static_cast<Property>(i), count);
      }
      if (!any && runs > 0) {
        out_ += fmt::format(
            "  every property holds: each is violated in fewer than {:.2g}% of such runs\n",
            100 * wilson_95(0, runs).high);
      }
    }
    out_ += '\n';
  }

  void property(const CellName& name, Property property, const PropertyCount& count) {
    const Known& known = comparison_.known(name);
    const Interval interval = wilson_95(count.violations, known.measures.counted());
    const bool broken = comparison_.broken(name, property) > 0;
    const Story* story = comparison_.told(name, property).story;
    std::string least;
    if (story != nullptr)
      least = fmt::format(" {:>9}  {}", reports::plural(story->faults, "fault"), story->file);
    out_ +=
        Line()
            .add("  ")
            .add(reports::pad_right(picklock::name(property), 19), broken ? Ink::alarm : Ink::plain)
            .add(
                fmt::format("{:>5}%  {:>8}", percent(count.violations, known.measures.counted()),
                            fmt::format("{:.0f}-{:.0f}%", 100 * interval.low, 100 * interval.high)))
            .add(least)
            .add(broken ? "  although promised" : "", Ink::alarm)
            .text(options_.color);
  }

  void broken_promises() {
    const std::vector<Broken> all = broken(comparison_);
    const bool asked = !comparison_.options().properties.empty();
    const auto mark = [&](bool good) {
      return Line().add(good ? glyphs_.good : glyphs_.bad, good ? Ink::good : Ink::bad).add(" ");
    };
    if (all.empty()) {
      const std::string_view none =
          asked ? "no requested property is violated" : "no lock breaks what it promises";
      // Cells that were to have more runs, or have none, prove nothing.
      out_ +=
          made_.interrupted
              ? Line()
                    .add(glyphs_.open, Ink::alarm)
                    .add(fmt::format(" interrupted; in the runs until then {}", none), Ink::alarm)
                    .text(options_.color)
              : mark(true).add(none, Ink::good).text(options_.color);
      return;
    }
    for (const Broken& one : all) {
      const Story* story = comparison_.told(one.cell, one.property).story;
      out_ +=
          mark(false)
              .add(fmt::format(
                       "{}: {} violated{}{}", comparison_.label(one.cell),
                       picklock::name(one.property),
                       comparison_.broken(one.cell, one.property) > 0 ? ", although promised" : "",
                       story != nullptr && !story->file.empty() ? ": " + story->file : ""),
                   Ink::bad)
              .text(options_.color);
    }
  }

  // The safety table's cells for the same faults.
  void known() {
    const Agreement both = agreement(comparison_);
    if (both.all() == 0) return;
    const std::string not_found =
        both.not_found.empty()
            ? ""
            : fmt::format("; {} {} unsafe there, and these runs found nothing (U)",
                          both.not_found.size(), both.not_found.size() == 1 ? "is" : "are");
    field("table", fmt::format("{} of {} of the safety table agree{}", both.agree,
                               reports::plural(both.all(), "cell"), not_found));
    for (const CellName& cell : both.against)
      field("", fmt::format("unsafe here, but safe there: {}", comparison_.label(cell)),
            Ink::alarm);
  }

  void crashed() {
    for (const CellName& name : comparison_.cells()) {
      for (const auto& [run, how] : comparison_.known(name).crashes) {
        field("crashed", fmt::format("{}, run {}: {}", comparison_.label(name), run + 1, how),
              Ink::bad);
      }
    }
  }

  std::string again() const {
    const auto each = runs_of_each(comparison_);
    return fmt::format("picklock compare --algorithms LOCK --faults COLUMN{} --seed {} --runs {}",
                       comparison_.options().settings, comparison_.options().seed,
                       each ? std::to_string(*each) : "N");
  }

  const Comparison& comparison_;
  const Made& made_;
  const reports::TextOptions options_;
  const int width_;
  const reports::Palette& glyphs_;
  std::string out_;
};

}  // namespace

std::string table(const Comparison& comparison, const Made& made, reports::TextOptions options) {
  return TableWriter(comparison, made, std::move(options)).write();
}

}  // namespace picklock::compare
