#include "explore/exceptions.h"

#include <fmt/format.h>

#include <algorithm>

#include "keys/bad_input.h"
#include "keys/nearest.h"
#include "models/locks/algorithm.h"
#include "scenarios/keys.h"
#include "scenarios/promises.h"
#include "scenarios/verbs/kind.h"

namespace picklock::explore {
namespace {

using keys::BadInput;
using keys::Words;
using scenarios::Scenario;

constexpr std::string_view kMarkWord = "mark:";

[[noreturn]] void refuse_exception(std::string_view what, std::string_view word, const Words& known,
                                   const std::string& otherwise) {
  throw BadInput(fmt::format("--except: there is no {} `{}`{}", what, keys::printable(word),
                             keys::did_you_mean(word, known, otherwise)));
}

[[noreturn]] void refuse_exception(std::string_view what, std::string_view word,
                                   const Words& known) {
  refuse_exception(what, word, known, "it is one of " + keys::listed(known));
}

bool is_one_of(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Words words_of_faults() {
  Words words(kFaultClassNames.begin(), kFaultClassNames.end());
  for (const std::string_view verb : verbs::names()) {
    if (!is_one_of(words, verb)) words.push_back(verb);
  }
  return words;
}

std::vector<std::string> steps_of(const Scenario& scenario) {
  std::vector<std::string> steps;
  for (const std::string_view name : kRoleNames) {
    if (!role_named(name)) continue;
    steps.emplace_back(name);
    for (const std::string_view phase : sim::kPhaseNames)
      steps.push_back(fmt::format("{}.{}", name, phase));
  }
  steps.emplace_back(scenarios::kMessageSent);
  if (const models::Algorithm* lock = scenarios::find_algorithm(scenario)) {
    for (const std::string_view mark : lock->marks)
      steps.push_back(fmt::format("{}{}", kMarkWord, mark));
  }
  return steps;
}

void read_step(std::string_view word, const Scenario& scenario, Exception& into) {
  const std::vector<std::string> steps = steps_of(scenario);
  const bool is_mark = word.starts_with(kMarkWord) && word.size() > kMarkWord.size();
  // The marks of a user's own lock are not known.
  const bool any_mark = is_mark && scenario.lock.own != nullptr;
  if (!any_mark && std::find(steps.begin(), steps.end(), word) == steps.end())
    refuse_exception("step", word, Words(steps.begin(), steps.end()),
                     "a step is ROLE, ROLE.PHASE, mark:NAME or message.sent, such as release.sent");
  into.step = word;
  if (is_mark) {
    into.mark = word.substr(kMarkWord.size());
    return;
  }
  if (word == scenarios::kMessageSent) {
    into.role = Role::none;
    return;
  }
  const std::size_t dot = std::min(word.find('.'), word.size());
  into.role = role_named(word.substr(0, dot));
  for (std::size_t i = 0; i < sim::kPhaseNames.size(); ++i) {
    if (dot < word.size() && word.substr(dot + 1) == sim::kPhaseNames[i])
      into.phase = static_cast<sim::Phase>(i);
  }
}

void read_fault(std::string_view word, const Scenario& scenario, Exception& into) {
  const std::size_t at = std::min(word.find('@'), word.size());
  into.fault = word.substr(0, at);
  const Words known = words_of_faults();
  if (!into.fault.empty() && !is_one_of(known, into.fault))
    refuse_exception("class of faults or verb", into.fault, known);
  if (at < word.size()) read_step(word.substr(at + 1), scenario, into);
}

}  // namespace

bool Exception::names(const sim::Fault& one, const Scenario& scenario) const {
  const auto of = scenarios::class_of(one, scenario);
  if (!fault.empty() && fault != verbs::name(one.verb) && (!of || fault != picklock::name(*of)))
    return false;
  if (step.empty()) return true;
  const sim::Trigger& trigger = one.trigger;
  if (trigger.at || trigger.mark != mark) return false;
  return !mark.empty() || (trigger.role == role && (!phase || trigger.phase == *phase));
}

Exception exception_from(std::string_view text, const Scenario& scenario) {
  Exception one{.text = std::string(text)};
  const std::size_t colon = text.find(':');
  const std::size_t at = std::min(text.find('@'), text.size());
  const Words properties(kPropertyNames.begin(), kPropertyNames.end());
  const auto lacks = [&](std::string_view what) {
    throw BadInput(
        fmt::format("--except: \"{}\" lacks its {}; an exception is PROPERTY, FAULT or "
                    "PROPERTY:FAULT, such as own-release:pause@release.sent",
                    keys::printable(text), what));
  };
  if (text.empty()) lacks("property or fault");
  if (at + 1 == text.size()) lacks("step");
  if (colon < at) {  // else it is that of a mark
    const std::string_view word = text.substr(0, colon);
    if (word.empty()) lacks("property");
    if (colon + 1 == text.size()) lacks("fault");
    one.property = property_named(word);
    if (!one.property) refuse_exception("property", word, properties);
    read_fault(text.substr(colon + 1), scenario, one);
    return one;
  }
  one.property = property_named(text);
  if (one.property) return one;
  const std::string_view word = text.substr(0, at);
  Words known = words_of_faults();
  if (at == text.size()) known.insert(known.begin(), properties.begin(), properties.end());
  if (!word.empty() && !is_one_of(known, word))
    refuse_exception(
        at == text.size() ? "property, class of faults or verb" : "class of faults or verb", word,
        known);
  read_fault(text, scenario, one);
  return one;
}

bool is_known_anyway(const Exceptions& all, Property property) {
  return std::any_of(all.begin(), all.end(), [&](const Exception& one) {
    return one.is_about(property) && !one.names_fault();
  });
}

bool may_be_known(const Exceptions& all, Property property, const sim::Plan& plan,
                  const Scenario& scenario) {
  return is_known_anyway(all, property) ||
         without_known(all, property, plan, scenario).size() < plan.size();
}

sim::Plan without_known(const Exceptions& all, Property property, sim::Plan plan,
                        const Scenario& scenario) {
  std::erase_if(plan, [&](const sim::Fault& fault) {
    return std::any_of(all.begin(), all.end(), [&](const Exception& one) {
      return one.is_about(property) && one.names_fault() && one.names(fault, scenario);
    });
  });
  return plan;
}

}  // namespace picklock::explore
