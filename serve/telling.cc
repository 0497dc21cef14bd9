#include "serve/telling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>

#include "reports/columns.h"
#include "reports/narrator.h"
#include "reports/timeline.h"
#include "reports/violation.h"
#include "reports/wording.h"

namespace picklock::serve {
namespace {

using properties::Outcome;
using properties::Verdict;
using Json = nlohmann::ordered_json;

const Verdict& verdict_of(const Account& account, Property property) {
  return account.outcome.run.verdicts[static_cast<std::size_t>(property)];
}

std::vector<std::string> sentences_of(const Account& account, const Verdict& verdict) {
  const reports::Narrator narrator(account.outcome.run);
  std::vector<std::string> all;
  for (const properties::Witness& witness : verdict.witnesses)
    all.push_back(reports::Violation(narrator, verdict.property, witness).sentence());
  return all;
}

std::string line_of(const Held& held) {
  const std::string ends =
      held.until == sim::kNever ? "without an end" : "until " + reports::instant(held.until);
  return fmt::format("{} at {}, by {}{}, {}", held.key, held.server, held.client,
                     held.there ? "" : ", which has no connection any more", ends);
}

std::string line_of(const Wakeups& one) {
  std::string text = fmt::format("{} at {}: the release by {} at {}", one.key, one.server,
                                 one.client, reports::instant(one.at));
  if (!one.woken.empty()) text += fmt::format(" woke {}", fmt::join(one.woken, ", "));
  if (one.lost == 0) return text;
  return text +
         fmt::format("{} lost {} of its messages", one.woken.empty() ? "" : ", and", one.lost);
}

std::string line_of(const LateRenewal& one) {
  return fmt::format("{}, which {} had released at {}, at {}", one.key, one.client,
                     reports::instant(one.released), reports::instant(one.at));
}

std::string line_of(const std::string& key) { return reports::printable(key); }

template <typename Line>
void add_lines(std::string& text, std::string_view title, const std::vector<Line>& lines) {
  if (lines.empty()) return;
  text += fmt::format("\n{}\n", title);
  for (const Line& line : lines) text += fmt::format("  {}\n", line_of(line));
}

}  // namespace

double seconds(sim::Instant at) {
  using std::chrono::microseconds;
  const auto whole = std::chrono::floor<microseconds>(at - sim::kStart);
  return static_cast<double>(whole.count()) / 1e6;
}

std::vector<std::string> violations(const Account& account, const std::vector<Property>& of) {
  std::vector<std::string> all;
  for (const Property property : of) {
    const Verdict& verdict = verdict_of(account, property);
    if (verdict.outcome != Outcome::violated) continue;
    for (const std::string& sentence : sentences_of(account, verdict))
      all.push_back(fmt::format("{}: {}", name(property), sentence));
  }
  return all;
}

std::string told(const Account& account, bool everything) {
  std::string text = reports::lanes(
      account.outcome,
      {.repeat_command = {},
       .detail = everything ? reports::Detail::everything : reports::Detail::what_matters});
  text += "\nProperties\n";
  for (const Property property : kJudged) {
    const Verdict& verdict = verdict_of(account, property);
    const std::string_view mark = verdict.outcome == Outcome::violated ? "✗"
                                  : verdict.outcome == Outcome::holds  ? "✓"
                                                                       : "?";
    text +=
        fmt::format("  {} {:<20} {}{}\n", mark, name(property), properties::name(verdict.outcome),
                    verdict.count > 1 ? " " + reports::times(verdict.count) : "");
    for (const std::string& sentence : sentences_of(account, verdict))
      text += fmt::format("      {}\n", sentence);
  }
  add_lines(text, "Held now", account.held);
  add_lines(text, "Wake-ups", account.wakeups);
  add_lines(text, "Renewed after the release", account.late_renewals);
  add_lines(text, "Not judged as locks, because no command takes them only if they are free",
            account.other_keys);
  return text;
}

Json verdicts(const Account& account) {
  Json all = Json::array();
  for (const Property property : kJudged) {
    const Verdict& verdict = verdict_of(account, property);
    all.push_back({{"property", std::string(name(property))},
                   {"outcome", properties::name(verdict.outcome)},
                   {"count", verdict.count},
                   {"sentences", sentences_of(account, verdict)}});
  }
  Json held = Json::array();
  for (const Held& one : account.held) {
    Json until;
    if (one.until != sim::kNever) until = seconds(one.until);
    held.push_back({{"key", one.key},
                    {"server", one.server},
                    {"client", one.client},
                    {"connected", one.there},
                    {"until", until}});
  }
  Json wakeups = Json::array();
  for (const Wakeups& one : account.wakeups) {
    wakeups.push_back({{"key", one.key},
                       {"server", one.server},
                       {"client", one.client},
                       {"seconds", seconds(one.at)},
                       {"woken", one.woken},
                       {"lost", one.lost}});
  }
  Json late = Json::array();
  for (const LateRenewal& one : account.late_renewals) {
    late.push_back({{"key", one.key},
                    {"client", one.client},
                    {"seconds", seconds(one.at)},
                    {"released", seconds(one.released)}});
  }
  return {{"verdicts", std::move(all)},
          {"held", std::move(held)},
          {"wakeups", std::move(wakeups)},
          {"other_keys", account.other_keys},
          {"late_renewals", std::move(late)}};
}

}  // namespace picklock::serve
