#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "keys/bad_input.h"
#include "keys/nearest.h"
#include "models/servers/kind.h"
#include "scenarios/checks.h"
#include "scenarios/keys.h"
#include "scenarios/process_names.h"
#include "scenarios/setup.h"
#include "scenarios/topology.h"
#include "scenarios/verbs/kind.h"

namespace picklock::scenarios {

using keys::Key;
using keys::listed;
using keys::printable;
using keys::Value;
using keys::Words;

namespace {

using sim::Fault;
using sim::Instant;
using sim::Trigger;

// The names of the steps that a scenario can have, whichever client takes them.
struct Steps {
  Steps(const Scenario& scenario, const Vocabulary& vocabulary)
      : algorithm(scenario.lock.algorithm) {
    using Deed = WorkStep::Deed;
    bool writes = false;
    bool reads = false;
    bool has_work = false;
    for (const Setup& setup : setups(scenario)) {
      const AlgorithmWords& words = *vocabulary.find(setup.lock.algorithm);
      for (const Role role :
           models::roles_under(words.roles, words.uses, lock_options(scenario, setup)))
        add(roles, name(role));
      for (const std::string& mark : words.marks) add(marks, mark);
      any_mark = any_mark || words.own != nullptr || words.uses.outside;
      if (words.uses.outside) continue;
      const std::vector<WorkStep>& work = setup.clients.work;
      writes =
          writes || (work.empty() ? setup.clients.writes > 0
                                  : has_step(work, Deed::write) || has_step(work, Deed::fence));
      reads = reads || has_step(work, Deed::read);
      has_work = has_work || !work.empty();
    }
    if (writes) add(roles, name(Role::write));
    if (reads) add(roles, name(Role::read));
    why_no_write = has_work ? "no step of `clients.work` writes" : "`clients.writes` is 0";
  }

  static void add(Words& words, std::string_view word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }

  std::string_view algorithm;
  Words roles;
  Words marks;
  bool any_mark = false;
  std::string_view why_no_write;
};

void read_mark(const Value& value, const std::string& mark, const Steps& steps, Trigger& trigger) {
  const bool listed_there =
      std::find(steps.marks.begin(), steps.marks.end(), mark) != steps.marks.end();
  if (!listed_there && !steps.any_mark) {
    const std::string has = steps.marks.empty() ? "none" : listed(steps.marks);
    value.fail(
        fmt::format("{} has no mark \"{}\"; it has {}", steps.algorithm, printable(mark), has),
        mark, steps.marks);
  }
  trigger.mark = mark;
  trigger.role = {};
}

bool is_command_name(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char letter) {
    return (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
}

void read_step(const Value& value, const Steps& steps, Trigger& trigger) {
  constexpr std::string_view kMark = "mark:";
  const std::string text = value.text();
  if (text.starts_with(kMark)) return read_mark(value, text.substr(kMark.size()), steps, trigger);
  if (text == kMessageSent) {
    trigger.role = Role::none;
    trigger.phase = sim::Phase::sent;
    trigger.mark.clear();
    return;
  }
  const std::size_t dot = std::min(text.find('.'), text.size());
  std::string role = text.substr(0, dot);
  // A program has no steps but its commands, which also go by their names: "EVALSHA.sent".
  const bool has_commands =
      std::find(steps.roles.begin(), steps.roles.end(), name(Role::command)) != steps.roles.end();
  if (has_commands && trigger.command.empty() && is_command_name(role)) {
    const bool of_resource = role == "WRITE" || role == "READ";
    if (!of_resource) trigger.command = role;
    role = name(!of_resource ? Role::command : role == "READ" ? Role::read : Role::write);
  }
  if (std::find(steps.roles.begin(), steps.roles.end(), role) == steps.roles.end()) {
    const bool reads = role == name(Role::read);
    if (reads || role == name(Role::write))
      value.fail(fmt::format("no client takes the step \"{}\" because {}; the steps are {}", role,
                             reads ? "no step of `clients.work` reads" : steps.why_no_write,
                             listed(steps.roles)));
    Words near = steps.roles;
    near.push_back(kMessageSent.substr(0, kMessageSent.find('.')));
    value.fail(fmt::format("{} has no step \"{}\"; it has {}", steps.algorithm, printable(role),
                           listed(steps.roles)),
               role, near);
  }
  const std::string phase = text.substr(std::min(dot + 1, text.size()));
  const Words phases(sim::kPhaseNames.begin(), sim::kPhaseNames.end());
  const auto found = std::find(phases.begin(), phases.end(), phase);
  if (found == phases.end()) {
    Words whole;
    const std::array<std::string, 3> names = {role + ".sent", role + ".applied", role + ".replied"};
    whole.assign(names.begin(), names.end());
    value.fail(
        phase.empty()
            ? fmt::format("\"{}\" lacks its phase, one of {}", role, listed(phases))
            : fmt::format("there is no phase \"{}\", only {}", printable(phase), listed(phases)),
        text, whole);
  }
  trigger.role = *role_named(role);
  trigger.phase = static_cast<sim::Phase>(found - phases.begin());
  trigger.mark.clear();
}

// A command that no server has would never come. A program may also say ENTER and LEAVE.
void check_command(const Value& where, const Scenario& scenario, const std::string& command) {
  const servers::Kind& kind = lock_server(scenario);
  if (kind.commands == nullptr) return;
  std::vector<std::string> known = {"ENTER", "LEAVE"};
  for (const std::string_view name : kind.commands()) {
    known.emplace_back(name);
    for (char& letter : known.back()) {
      if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    }
  }
  const bool there = std::any_of(known.begin(), known.end(), [&command](const std::string& one) {
    return sim::is_same_command(one, command);
  });
  if (!there) {
    where.fail(fmt::format("{} has no command {}", kind.title, printable(command)), command,
               {known.begin(), known.end()});
  }
}

// The value of `before`, `after` or `at`, whichever is given.
Value moment_of(const Value& table) {
  std::optional<Value> given;
  for (const std::string_view key : {"before", "after", "at"}) {
    const std::optional<Value> value = table.find(key);
    if (!value) continue;
    if (given) {
      value->fail(fmt::format(
          "`{}` is already given: a fault has exactly one of before, after and at", given->name()));
    }
    given = value;
  }
  if (!given) table.fail("must have one of before, after and at");
  return *given;
}

void check_message_trigger(const Value& table, const Value& moment, const Fault& fault,
                           const ProcessKind& kind, const Trigger& trigger) {
  const std::string_view verb = verbs::name(fault.verb);
  if (trigger.is_message()) return;
  if (!kind.takes_steps && !kind.hears_clients) {
    moment.fail(fmt::format("no step of a client is a message to {}; give `{}` before = \"{}\"",
                            fault.target, verb, kMessageSent));
  }
  if (trigger.at || !trigger.mark.empty()) {
    moment.fail(fmt::format(
        "`{}` acts on the message of a step: give it a step, such as before = \"release.sent\"",
        verb));
  }
  if (trigger.phase == sim::Phase::replied) {
    moment.fail(
        fmt::format("is too late for `{}`: the reply has arrived by then; \"sent\" means the "
                    "request and \"applied\" the reply",
                    verb));
  }
  if (kind.takes_steps && !trigger.by.empty() && trigger.by != fault.target) {
    table.at("by").fail(fmt::format("must be {} or left out: `{}` acts on the messages of {}",
                                    fault.target, verb, fault.target));
  }
  if (!kind.takes_steps && !trigger.on.empty() && trigger.on != fault.target) {
    table.at("on").fail(
        fmt::format("must be {} or left out: `{}` acts on the messages to and from {}",
                    fault.target, verb, fault.target));
  }
}

// A message has a sender, which is the target, and a receiver. A neighbour may have its other keys
// from a step.
void check_message(const Value& table, const Value& moment, const Fault& fault,
                   const Scenario& scenario, Trigger& trigger) {
  if (!verbs::kind_of(fault.verb).on_message) {
    moment.fail(fmt::format("is a message: `{}` strikes at a step of a client, a mark or a time",
                            verbs::name(fault.verb)));
  }
  if (trigger.side == sim::Side::after)
    moment.fail(fmt::format("\"{}\" needs `before`: it has left by then", kMessageSent));
  for (const std::string_view key : {"by", "command"}) {
    if (const auto value = table.find(key))
      value->fail(fmt::format("narrows a step, but \"{}\" is of none", kMessageSent));
  }
  trigger.by.clear();
  trigger.command.clear();
  if (!fault.trigger.is_message() && !table.find("on")) trigger.on.clear();
  if (trigger.on.empty()) return;
  process_named(table.at("on"), trigger.on, scenario);
  if (trigger.on == fault.target)
    table.at("on").fail(fmt::format("{} sends itself no message", trigger.on));
}

// `table` has the trigger's keys, which override what is in `trigger`.
void check_trigger(const Value& table, const Fault& fault, const Scenario& scenario,
                   const Steps& steps, Trigger& trigger) {
  const Value moment = moment_of(table);
  if (trigger.at) {
    for (const std::string_view key : {"nth", "by", "on", "command"}) {
      if (const auto value = table.find(key)) value->fail("narrows a step, but `at` is a time");
    }
    const Instant at = *trigger.at;
    trigger = {};
    trigger.at = at;
  } else {
    read_step(moment, steps, trigger);
    if (trigger.role == Role::command && !trigger.command.empty())
      check_command(table.find("command").value_or(moment), scenario, trigger.command);
  }
  if (trigger.is_message()) return check_message(table, moment, fault, scenario, trigger);
  if (fault.trigger.is_message() && !table.find("on")) trigger.on.clear();
  if (!trigger.mark.empty()) {
    for (const std::string_view key : {"on", "command"}) {
      if (const auto value = table.find(key))
        value->fail("narrows a step that sends a message, but a mark sends none");
    }
    trigger.on.clear();
    trigger.command.clear();
  }
  if (!trigger.by.empty() && !process_named(table.at("by"), trigger.by, scenario).takes_steps) {
    table.at("by").fail(fmt::format("must be a client, not {}", trigger.by));
  }
  if (!trigger.on.empty()) {
    const ProcessKind& on = process_named(table.at("on"), trigger.on, scenario);
    if (on.takes_steps || !on.hears_clients)
      table.at("on").fail(fmt::format("must be a server, not {}", trigger.on));
  }
  if (verbs::kind_of(fault.verb).on_message) {
    check_message_trigger(table, moment, fault, process_named(table, fault.target, scenario),
                          trigger);
  }
}

Value verb_of(const Value& table) {
  const Words verbs(verbs::names().begin(), verbs::names().end());
  std::optional<Value> given;
  for (const Value& value : table.entries()) {
    if (std::find(verbs.begin(), verbs.end(), value.name()) == verbs.end()) continue;
    if (given) {
      value.fail(
          fmt::format("a fault has exactly one verb, and `{}` is already given", given->name()));
    }
    given = value;
  }
  if (!given) table.fail(fmt::format("has no verb; give one of {}", listed(verbs)));
  return *given;
}

// Refuses keys that the verb does not take, and missing keys that it needs.
void check_keys_of_verb(const Value& table, const verbs::Kind& verb) {
  Words useful = verb.allowed;
  if (!verb.required.empty()) useful.push_back(verb.required);
  if (verb.lasting != verbs::Lasting::refused) useful.push_back("for");
  for (const Value& value : table.entries()) {
    const bool in_every_fault =
        value.name() == verb.name || find(trigger_keys(), value.name()) != nullptr;
    if (in_every_fault || std::find(useful.begin(), useful.end(), value.name()) != useful.end()) {
      continue;
    }
    value.fail(
        fmt::format("`{}` does not take this key; besides its trigger it takes {}", verb.name,
                    useful.empty() ? "nothing" : fmt::format("`{}`", fmt::join(useful, "`, `"))));
  }
  if (verb.lasting == verbs::Lasting::required && !table.find("for")) {
    table.fail_missing("for", fmt::format("must be given: `{}` needs a duration", verb.name));
  }
  if (!verb.required.empty() && !table.find(verb.required)) {
    table.fail_missing(verb.required, fmt::format("must be given: `{}` needs it", verb.name));
  }
}

void check_fault(const Value& table, const Scenario& scenario, const Steps& steps,
                 std::size_t number, Fault& fault) {
  const Value at_verb = verb_of(table);
  const ProcessKind& target = process_named(at_verb, fault.target, scenario);
  if (const std::string_view reason = verbs::inapplicable(fault.verb, target); !reason.empty())
    at_verb.fail(fmt::format("not applicable to {}: {}", fault.target, reason));
  const verbs::Kind& verb = verbs::kind_of(fault.verb);
  check_keys_of_verb(table, verb);
  if (verb.check != nullptr) verb.check(table, fault, scenario);
  check_trigger(table, fault, scenario, steps, fault.trigger);
  if (verb.impossible == nullptr) return;
  const std::span<const Fault> earlier = std::span(scenario.faults).first(number);
  if (const std::string why = verb.impossible(fault, scenario, earlier); !why.empty())
    at_verb.fail(why);
}

void check_neighbour(const Value& table, const Scenario& scenario, const Steps& steps,
                     Neighbour& neighbour) {
  if (neighbour.fault > scenario.faults.size()) {
    table.at("fault").fail(fmt::format("there is no fault {}; the file has {}", neighbour.fault,
                                       scenario.faults.size()));
  }
  const Fault& fault = scenario.faults[neighbour.fault - 1];
  Trigger trigger = fault.trigger;
  trigger.at.reset();
  for (const Key<Trigger>& key : trigger_keys()) {
    if (const auto value = table.find(key.name)) key.read(*value, trigger);
  }
  check_trigger(table, fault, scenario, steps, trigger);
  neighbour.trigger = trigger;
}

}  // namespace

void check_faults(const Value& root, Scenario& scenario, const Vocabulary& vocabulary) {
  const Steps steps(scenario, vocabulary);
  if (const auto faults = root.find("fault")) {
    const std::vector<Value> tables = faults->tables();
    for (std::size_t i = 0; i < tables.size(); ++i) {
      check_fault(tables[i], scenario, steps, i, scenario.faults[i]);
    }
  }
  if (const auto neighbours = root.find("neighbour")) {
    const std::vector<Value> tables = neighbours->tables();
    for (std::size_t i = 0; i < tables.size(); ++i) {
      check_neighbour(tables[i], scenario, steps, scenario.neighbours[i]);
    }
  }
}

}  // namespace picklock::scenarios
