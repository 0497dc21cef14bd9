#include "serve/telling.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "reports/narrator.h"
#include "reports/timeline.h"
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
    all.push_back(narrator.sentence(verdict.property, witness));
  return all;
}

std::string line_of(const Held& held) {
  const std::string ends =
      held.until == sim::kNever ? "without an end" : "until " + reports::instant(held.until);
  return fmt::format("{} at {}, by {}{}, {}", held.key, held.server, held.client,
                     held.there ? "" : ", which has no connection any more", ends);
}

}  // namespace

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
  if (account.held.empty()) return text;
  text += "\nHeld now\n";
  for (const Held& held : account.held) text += fmt::format("  {}\n", line_of(held));
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
    if (one.until != sim::kNever)
      until = static_cast<double>((one.until - sim::kStart).count()) / 1e9;
    held.push_back({{"key", one.key},
                    {"server", one.server},
                    {"client", one.client},
                    {"connected", one.there},
                    {"until", until}});
  }
  return {{"verdicts", std::move(all)}, {"held", std::move(held)}};
}

}  // namespace picklock::serve
