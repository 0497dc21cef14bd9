#include "explore/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <vector>

#include "explore/beside.h"
#include "explore/campaign.h"
#include "explore/complete.h"
#include "picklock/client.h"
#include "reports/columns.h"
#include "reports/ink.h"
#include "reports/wording.h"
#include "scenarios/program_locks.h"
#include "scenarios/runner.h"

namespace picklock::explore {
namespace {

using strategies::Decided;

using Json = nlohmann::ordered_json;
using reports::grouped;
using reports::Ink;
using reports::Line;
using reports::plural;

constexpr int kNarrowest = 40;
constexpr int kFieldWidth = 11;

double runs_per_second(const Report& report) {
  const double seconds = report.wall_seconds.value_or(0);
  return seconds > 0 ? static_cast<double>(report.search.tally().runs) / seconds : 0;
}

// For the parts that have ended, and for the one that has not.
std::uint64_t kept_plans(const Search& search) {
  return search.tally().kept + search.corpus()->size();
}

class Writer {
 public:
  Writer(const Report& report, reports::TextOptions options)
      : report_(report),
        search_(report.search),
        tally_(report.search.tally()),
        options_(std::move(options)),
        width_(std::max(kNarrowest, options_.width)),
        glyphs_(reports::palette(options_.unicode)) {}

  std::string write() {
    if (!search_.finds().empty()) story(shortest(search_.finds()));
    for (std::size_t i = 0; i < search_.finds().size(); ++i) found(i);
    for (std::size_t i = 0; i < search_.crashes().size(); ++i) crashed(i);
    if (search_.clean() && report_.stopped.empty()) clean();
    if (!report_.stopped.empty()) headline(false, "stopped: " + report_.stopped);
    if (!search_.clean() && report_.interrupted)
      headline(false, "interrupted: there may be more to find");
    if (tally_.crashed >= kMostCrashes)
      headline(false,
               fmt::format("{} crashed; the search stops here", plural(tally_.crashed, "run")));
    searched();
    field("runs", grouped(tally_.runs) + (report_.wall_seconds ? speed() : ""));
    if (!report_.ended_by.empty()) field("ended", report_.ended_by);
    faults();
    decided();
    guarantee();
    kept();
    for (const BesideLine& line : beside(search_, report_.limit_files)) field(line.name, line.text);
    if (search_.clean() && !search_.decided()) premise();
    if (tally_.cut_short > 0) {
      field("cut short", fmt::format("{}, too long to be judged", plural(tally_.cut_short, "run")));
    }
    return std::move(out_);
  }

 private:
  void paragraph(const Line& lead, int lead_width, std::string_view text, Ink ink) {
    const std::string indent(static_cast<std::size_t>(lead_width), ' ');
    bool first = true;
    const std::string shown = options_.unicode ? std::string(text) : reports::ascii(text);
    for (const std::string& line : reports::wrap(shown, width_ - lead_width)) {
      out_ += (first ? Line(lead) : Line().add(indent)).add(line, ink).text(options_.color);
      first = false;
    }
  }

  void field(std::string_view name, std::string_view text, Ink ink = Ink::plain) {
    paragraph(Line().add(reports::pad_right(name, kFieldWidth), Ink::dim), kFieldWidth, text, ink);
  }

  void headline(bool good, std::string_view text) {
    const Ink ink = good ? Ink::good : Ink::bad;
    paragraph(Line().add(good ? glyphs_.good : glyphs_.bad, ink).add(" "), 2, text, ink);
  }

  std::string speed() const {
    return fmt::format(" in {:.1f}s, {} a second", *report_.wall_seconds,
                       reports::rate(runs_per_second(report_)));
  }

  // The file's own name: what a reader will call it.
  std::string name_of(std::size_t find) const {
    return std::filesystem::path(file_of(report_.files, find)).stem().string();
  }

  static std::string file_of(const std::vector<std::string>& files, std::size_t index) {
    return index < files.size() ? files[index] : std::string();
  }

  void story(std::size_t index) {
    const Find& find = search_.finds()[index];
    reports::TextOptions options = options_;
    const std::string file = file_of(report_.files, index);
    if (!file.empty()) options.repeat_command = report_.run_command(file);
    options.held_against_file = false;
    scenarios::Runner runner;
    scenarios::Outcome outcome{.run = runner.run(find.story, find.story.seed, true), .twins = {}};
    if (!file.empty()) outcome.run.scenario.name = name_of(index);
    out_ += reports::timeline(outcome, options);
    out_ += '\n';
  }

  void found(std::size_t index) {
    const Find& find = search_.finds()[index];
    const bool asked = !search_.options().properties.empty();
    const std::string run = find.run == 0 ? run_of(find) : "run " + grouped(find.run);
    std::string_view how;
    if (find.promised && !asked && find.run > 0 && !scenarios::has_programs(find.story))
      how = ", although promised";
    if (find.unprovoked && !asked && find.run > 0) how = ", although no fault struck";
    headline(false,
             fmt::format("{} violated in {}{}", picklock::name(find.violation.property), run, how));
    if (search_.finds().size() > 1) field("story", find.story.title);
    if (const Reference* reference = search_.reference())
      field("compared", compared(find, *reference));
    const bool orders = find.story.network.order == scenarios::Order::any;
    field("shrunk", fmt::format("from {} to {} in {}{}",
                                plural(find.faults, orders ? "fault or late message" : "fault"),
                                grouped(find.story.faults.size()), plural(find.shrunk_in, "run"),
                                find.minimal ? "; nothing more can be removed"
                                             : "; shrinking stopped there"));
    const std::string file = file_of(report_.files, index);
    if (!file.empty()) field("kept as", file, Ink::strong);
    if (const auto same = same_story(index))
      field("same as", fmt::format("{}: the same faults violate both", name_of(*same)));
  }

  // An earlier find with the same faults in the same run.
  std::optional<std::size_t> same_story(std::size_t index) const {
    const scenarios::Scenario& story = search_.finds()[index].story;
    for (std::size_t i = 0; i < index; ++i) {
      const scenarios::Scenario& other = search_.finds()[i].story;
      if (other.seed == story.seed && other.faults == story.faults &&
          !file_of(report_.files, i).empty())
        return i;
    }
    return std::nullopt;
  }

  void crashed(std::size_t index) {
    const Crash& crash = search_.crashes()[index];
    headline(false,
             fmt::format("the program itself ended in run {}: {}", grouped(crash.run), crash.how));
    if (crash.times > 1)
      field("times", fmt::format("{} ended this way", plural(crash.times, "run")));
    const std::string file = file_of(report_.crash_files, index);
    if (!file.empty()) field("kept as", file, Ink::strong);
  }

  void clean() {
    const std::string_view vacuous = search_.why_vacuous();
    if (!report_.interrupted && !vacuous.empty()) {
      headline(false, fmt::format("nothing was tried: {}", vacuous));
      return;
    }
    const std::vector<Property>& asked = search_.options().properties;
    const auto decided = search_.decided();
    const std::string of_plans =
        is_complete(search_)
            ? fmt::format(" by any plan of at most {}", in_plans(decided->most, *decided))
            : "";
    // Programs promise nothing: everything that can be seen from outside is judged.
    const std::string_view judged =
        scenarios::has_programs(search_.scenario()) ? "judged" : "promised";
    std::string text =
        asked.empty()
            ? fmt::format("no {} property was violated{}", judged, of_plans)
            : fmt::format("{} never violated{}", reports::list(reports::names(asked)), of_plans);
    text += but_for(search_);
    if (report_.interrupted) text += ", until it was interrupted";
    headline(true, text);
  }

  // The result of a search that tries every plan, and the list of its faults.
  void decided() {
    const auto decided = search_.decided();
    if (!decided) return;
    if (!decided->begun) {
      field("complete", "nothing: it was interrupted in the run without faults");
      return;
    }
    std::string text = fmt::format("every plan of at most {}: {}, {} of them different",
                                   in_plans(decided->most, *decided),
                                   plural(decided->plans, "plan"), grouped(decided->different));
    if (decided->unjudged > 0)
      text += fmt::format("; {} could not be judged", plural(decided->unjudged, "plan"));
    field("complete", text);
    if (!report_.complete_file.empty()) field("kept as", report_.complete_file, Ink::strong);
    if (decided->orders) {
      field("orders",
            "each message as late as its link allows, or just after something else that happens "
            "where it arrives; otherwise as early as it allows");
    }
    if (decided->verbs.empty()) return;
    field("verbs", reports::list(decided->verbs));
    std::vector<std::string> lengths;
    for (const CriticalLength& one : decided->lengths)
      lengths.push_back(fmt::format("{} ({})", one.name, reports::rounded(one.length)));
    field("lengths", "just under and just over each of: " + reports::list(lengths));
    field("moments",
          "before and after each step of a client that the run under the faults before it reaches; "
          "of equal steps in a row, and of faults that do the same, the first");
  }

  void guarantee() {
    const auto of = search_.guarantee();
    if (!of) return;
    field("guarantee",
          fmt::format("a violation that needs no more than {} of messages shows in a run with a "
                      "probability of at least 1 in {:.4g}: {} between processes, {}; it holds "
                      "where latencies leave these orders open, under the faults that it needs",
                      plural(of->depth, "order"), 1 / of->probability(),
                      plural(of->directions, "direction"), plural(of->messages, "message")));
  }

  void kept() {
    if (search_.corpus() == nullptr) return;
    std::string text = fmt::format("{} of the runs showed something new and led to others",
                                   grouped(kept_plans(search_)));
    if (report_.corpus_files > 0)
      text += fmt::format("; {} that show as much are in {}", plural(report_.corpus_files, "plan"),
                          report_.corpus_folder);
    field("kept", text);
  }

  void searched() {
    const scenarios::Scenario& scenario = search_.scenario();
    std::string what = scenario.name;
    if (scenario.lock.algorithm != what) what += ", with " + scenario.lock.algorithm;
    std::string who = plural(scenario.clients.count, "client");
    if (scenario.clients.cycles > 1)
      who += fmt::format(", {} cycles each", scenario.clients.cycles);
    if (const Reference* reference = search_.reference())
      what += ", against " + in_words(reference->against());
    field("searched", fmt::format("{}, seed {}: {}", what, search_.options().seed, who));
  }

  void faults() {
    const FaultLimits& limits = search_.options().faults;
    if (limits.classes.empty()) {
      field("faults", "none");
      return;
    }
    field("faults",
          fmt::format("{} to {} in a run; {} fired, {} dropped because their step was not reached",
                      limits.none || search_.decided() ? 0 : 1, limits.most, grouped(tally_.fired),
                      grouped(tally_.dropped)));
    std::vector<std::string> fired;
    for (std::size_t i = 0; i < kFaultClassCount; ++i) {
      const auto one = static_cast<FaultClass>(i);
      if (limits.classes.has(one))
        fired.push_back(fmt::format("{} {}", picklock::name(one), grouped(tally_.fired_of[i])));
    }
    field("fired", reports::list(fired));
  }

  // The bounds within which nothing was found.
  void premise() {
    field("premise",
          fmt::format("judged up to {} after the last fault; ties permuted in {}; {} repeated, "
                      "with the same digest",
                      reports::rounded(search_.patience()), plural(tally_.permuted, "run"),
                      plural(tally_.repeated, "run")));
    const std::uint64_t judged = tally_.judged();
    if (judged == 0 || !search_.is_independent()) return;
    field("bound",
          fmt::format("a run drawn like these violates one{} with a probability below {:.2g}%, "
                      "at 95% confidence",
                      but_for(search_), 100 * upper_bound_95(judged)));
  }

  const Report& report_;
  const Search& search_;
  const Tally& tally_;
  const reports::TextOptions options_;
  const int width_;
  const reports::Palette& glyphs_;
  std::string out_;
};

// The steps that tell it from another violation of the same property.
Json steps(const Violation& violation) {
  Json all = Json::array();
  for (const Role role : {violation.role, violation.other}) {
    if (role != Role::none) all.push_back(picklock::name(role));
  }
  return all;
}

Json violations(const Report& report) {
  Json all = Json::array();
  const std::vector<Find>& finds = report.search.finds();
  for (std::size_t i = 0; i < finds.size(); ++i) {
    const Find& find = finds[i];
    all.push_back({{"property", picklock::name(find.violation.property)},
                   {"promised", find.promised},
                   {"steps", steps(find.violation)},
                   {"faults", find.story.faults.size()},
                   {"faults_before", find.faults},
                   {"minimal", find.minimal},
                   {"shrunk_in", find.shrunk_in},
                   {"first_at_run", find.run},
                   {"missed", find.missed},
                   {"moved", find.moved},
                   {"file", i < report.files.size() ? report.files[i] : ""},
                   {"seed", find.story.seed},
                   {"digest", reports::digest(*find.story.expect.digest)},
                   {"story", find.story.title}});
  }
  return all;
}

Json crashes(const Report& report) {
  Json all = Json::array();
  const std::vector<Crash>& crashes = report.search.crashes();
  for (std::size_t i = 0; i < crashes.size(); ++i) {
    all.push_back({{"how", crashes[i].how},
                   {"runs", crashes[i].times},
                   {"first_at_run", crashes[i].run},
                   {"file", i < report.crash_files.size() ? report.crash_files[i] : ""}});
  }
  return all;
}

// Null: nothing was compared.
Json against(const Report& report) {
  const Search& search = report.search;
  if (search.reference() == nullptr) return {};
  Json limits = Json::array();
  for (std::size_t i = 0; i < search.limits().size(); ++i) {
    const Find& find = search.limits()[i];
    const auto index = static_cast<std::size_t>(find.violation.property);
    const Tally::Limit& limit = search.tally().limits[index];
    Json fired = Json::object();
    for (std::size_t c = 0; c < kFaultClassCount; ++c) {
      if (limit.fired_of[c] > 0) fired[std::string(kFaultClassNames[c])] = limit.fired_of[c];
    }
    limits.push_back({{"property", kPropertyNames[index]},
                      {"runs", limit.runs},
                      {"fired", fired},
                      {"file", i < report.limit_files.size() ? report.limit_files[i] : ""},
                      {"faults", find.story.faults.size()},
                      {"story", find.story.title}});
  }
  Json changes = Json::array();
  for (const scenarios::Change& one : search.reference()->against().changes)
    changes.push_back(one.path + "=" + one.value);
  return {{"algorithm", search.reference()->against().algorithm},
          {"set", changes},
          {"not_compared", search.tally().not_compared},
          {"limits", limits}};
}

Json known(const Search& search) {
  Json all = Json::array();
  for (std::size_t i = 0; i < search.known_runs().size(); ++i)
    all.push_back({{"except", search.options().except[i].text}, {"runs", search.known_runs()[i]}});
  return all;
}

Json complete(const std::optional<Decided>& decided, const std::string& file) {
  if (!decided || !decided->begun) return {};
  Json lengths = Json::object();
  for (const CriticalLength& one : decided->lengths)
    lengths[one.name] = reports::rounded(one.length);
  return {{"faults", decided->most},
          {"plans", decided->plans},
          {"different", decided->different},
          {"unjudged", decided->unjudged},
          {"verbs", decided->verbs},
          {"orders", decided->orders},
          {"lengths", lengths},
          {"file", file}};
}

Json guarantee(const std::optional<strategies::Guarantee>& of) {
  if (!of) return {};
  return {{"depth", of->depth},
          {"directions", of->directions},
          {"messages", of->messages},
          {"probability", of->probability()}};
}

}  // namespace

std::size_t shortest(const std::vector<Find>& finds) {
  const auto length = [](const Find& find) {
    const scenarios::Scenario& story = find.story;
    return std::tuple(story.faults.size(), story.clients.count * story.clients.cycles);
  };
  const auto least = std::min_element(
      finds.begin(), finds.end(),
      [&](const Find& one, const Find& other) { return length(one) < length(other); });
  return static_cast<std::size_t>(least - finds.begin());
}

std::string text(const Report& report, reports::TextOptions options) {
  return Writer(report, std::move(options)).write();
}

std::string json(const Report& report) {
  const Search& search = report.search;
  const Tally& tally = search.tally();
  std::vector<std::string> classes = reports::names(search.options().faults.classes);
  if (search.options().faults.none) classes.insert(classes.begin(), "none");
  Json fired = Json::object();
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    if (tally.fired_of[i] > 0) fired[std::string(kFaultClassNames[i])] = tally.fired_of[i];
  }
  Json besides = Json::object();
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    const Tally::Besides& one = tally.besides[i];
    if (one.runs == 0) continue;
    besides[std::string(kPropertyNames[i])] = {
        {"runs", one.runs}, {"premise_broken", one.premise_broken}, {"not_theirs", one.not_theirs}};
  }
  const std::uint64_t judged = tally.judged();
  const auto decided = search.decided();
  const bool clean = search.clean() && judged > 0;
  const std::string_view vacuous = search.clean() ? search.why_vacuous() : std::string_view();
  const Json out = {
      {"scenario", search.scenario().name},
      {"algorithm", search.scenario().lock.algorithm},
      {"strategy", search.options().strategy},
      {"seed", search.options().seed},
      {"max_faults", search.options().faults.most},
      {"faults", classes},
      {"properties", reports::names(search.options().properties)},
      {"runs", tally.runs},
      {"events", tally.events},
      {"wall_seconds", report.wall_seconds ? Json(*report.wall_seconds) : Json()},
      {"runs_per_second", report.wall_seconds ? Json(runs_per_second(report)) : Json()},
      {"exhausted", decided && decided->begun && decided->most == search.options().faults.most &&
                        decided->unjudged == 0},
      {"kept", search.corpus() != nullptr ? Json(kept_plans(search)) : Json()},
      {"complete", complete(search.decided(), report.complete_file)},
      {"guarantee", guarantee(search.guarantee())},
      {"interrupted", report.interrupted},
      {"ended_by", report.ended_by.empty() ? Json() : Json(report.ended_by)},
      {"stopped", report.stopped.empty() ? Json() : Json(report.stopped)},
      {"nothing_tried", vacuous.empty() ? Json() : Json(vacuous)},
      {"runs_repeated", tally.repeated},
      {"runs_cut_short", tally.cut_short},
      {"runs_crashed", tally.crashed},
      {"runs_with_permuted_ties", tally.permuted},
      {"faults_fired", tally.fired},
      {"faults_dropped", tally.dropped},
      {"fired", fired},
      {"known", known(search)},
      {"against", against(report)},
      {"besides", besides},
      {"chance_below", clean && search.is_independent() ? Json(upper_bound_95(judged)) : Json()},
      {"violations", violations(report)},
      {"crashes", crashes(report)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace picklock::explore
