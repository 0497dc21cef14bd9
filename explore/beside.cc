#include "explore/beside.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/wording.h"

namespace picklock::explore {
namespace {

using reports::grouped;
using reports::list;
using reports::plural;

bool has_limits(const Search& search) {
  const auto& limits = search.tally().limits;
  return std::any_of(limits.begin(), limits.end(),
                     [](const Tally::Limit& one) { return one.runs > 0; });
}

void add_known(const Search& search, std::vector<BesideLine>& lines) {
  const Exceptions& except = search.options().except;
  std::vector<std::string> all;
  for (std::size_t i = 0; i < except.size(); ++i) {
    const std::uint64_t runs = search.known_runs()[i];
    all.push_back(fmt::format("{} {}", except[i].text,
                              runs > 0 ? "in " + plural(runs, "run") : "never happened"));
  }
  if (!all.empty()) lines.push_back({"known", list(all)});
}

std::string example(const Find& find, const std::string& file) {
  std::vector<std::string> faults;
  for (const sim::Fault& fault : find.story.faults) faults.push_back(reports::fault(fault));
  return (faults.empty() ? "no fault" : fmt::format("{}", fmt::join(faults, "; "))) +
         (file.empty() ? "" : ", in " + file);
}

void add_limits(const Search& search, const std::vector<std::string>& files,
                std::vector<BesideLine>& lines) {
  const Reference* reference = search.reference();
  if (reference == nullptr) return;
  const Tally& tally = search.tally();
  const std::string other = in_words(reference->against());
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    const Tally::Limit& limit = tally.limits[i];
    if (limit.runs == 0) continue;
    std::vector<std::string> fired;
    for (std::size_t c = 0; c < kFaultClassCount; ++c) {
      if (limit.fired_of[c] > 0)
        fired.push_back(fmt::format("{} {}", kFaultClassNames[c], grouped(limit.fired_of[c])));
    }
    lines.push_back({"limit", fmt::format("{} in {}, violated by {} too{}", kPropertyNames[i],
                                          plural(limit.runs, "run"), other,
                                          fired.empty() ? "" : ": " + list(fired))});
    for (std::size_t find = 0; find < search.limits().size(); ++find) {
      const Find& one = search.limits()[find];
      if (one.violation.property == static_cast<Property>(i))
        lines.push_back({"such as", example(one, find < files.size() ? files[find] : "")});
    }
  }
  if (tally.not_compared > 0)
    lines.push_back({"compared", fmt::format("{} not, because {} took too long",
                                             plural(tally.not_compared, "run"), other)});
}

void add_besides(const Search& search, std::vector<BesideLine>& lines) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    const Tally::Besides& one = search.tally().besides[i];
    if (one.runs == 0) continue;
    std::string text = fmt::format("{} in {}", kPropertyNames[i], plural(one.runs, "run"));
    if (one.premise_broken > 0)
      text += fmt::format(" ({} of them did not keep the condition of its promise)",
                          grouped(one.premise_broken));
    if (one.not_theirs > 0)
      text += fmt::format(" ({} of them not with {})", grouped(one.not_theirs),
                          in_words(search.reference()->against()));
    all.push_back(std::move(text));
  }
  if (all.empty()) return;
  const bool asked = !search.options().properties.empty();
  lines.push_back({"also", fmt::format("violated, but {}: {}",
                                       asked ? "not asked for" : "not promised", list(all))});
}

}  // namespace

std::vector<BesideLine> beside(const Search& search, const std::vector<std::string>& limit_files) {
  std::vector<BesideLine> lines;
  add_known(search, lines);
  add_limits(search, limit_files, lines);
  add_besides(search, lines);
  return lines;
}

std::string but_for(const Search& search) {
  std::vector<std::string> all;
  if (search.has_met_known()) all.emplace_back("what is known");
  if (has_limits(search))
    all.push_back(fmt::format("what {} violates too", in_words(search.reference()->against())));
  return all.empty() ? "" : ", apart from " + list(all);
}

std::string compared(const Find& find, const Reference& reference) {
  if (find.run == 0) return "with none: two clients are let in although no fault strikes";
  const std::size_t faults = find.story.faults.size();
  std::string text = fmt::format("{} keeps it", in_words(reference.against()));
  text +=
      faults == 0
          ? " in this run"
          : fmt::format(" under {}, and with {} at {}", faults == 1 ? "this fault" : "these faults",
                        faults == 1 ? "it" : "one of them", plural(find.moved, "other moment"));
  if (find.missed > 0)
    text += fmt::format("; {} never strikes it, because it does not take that step",
                        faults == 1 ? "the fault" : plural(find.missed, "fault"));
  return text;
}

std::string in_words(const Against& against) {
  if (against.changes.empty()) return against.algorithm;
  return against.algorithm + " with " + scenarios::in_words(against.changes);
}

}  // namespace picklock::explore
