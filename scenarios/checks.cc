#include "scenarios/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "scenarios/bad_input.h"
#include "scenarios/duration_text.h"
#include "scenarios/keys.h"
#include "scenarios/verb_rules.h"

namespace picklock::scenarios {
namespace {

using sim::Fault;
using sim::Instant;
using sim::Trigger;

// "client-7" is number 7 of the clients; 0: not a name of this form.
std::uint32_t number_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return 0;
  name.remove_prefix(prefix.size());
  if (name.starts_with('0')) return 0;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() ? number : 0;
}

std::string range_of(std::string_view prefix, std::uint32_t count) {
  return count == 1 ? fmt::format("{}1 alone", prefix)
                    : fmt::format("{0}1 .. {0}{1}", prefix, count);
}

// `where` holds the name, alone or among others.
TargetKind process(const Value& where, const std::string& name, const Scenario& scenario) {
  struct Group {
    TargetKind kind{};
    std::string_view prefix;
    std::string_view plural;
    std::uint32_t count = 0;
  };
  const Group groups[] = {
      {TargetKind::client, "client-", "clients", scenario.clients.count},
      {TargetKind::redis, "redis-", "servers", scenario.servers.redis.masters},
  };
  if (name == "resource") return TargetKind::resource;
  for (const Group& group : groups) {
    const std::uint32_t number = number_after(group.prefix, name);
    if (number > 0 && number <= group.count) return group.kind;
    if (number > 0) {
      where.fail(fmt::format("there is no {}{}; {} are {}", group.prefix, number, group.plural,
                             range_of(group.prefix, group.count)));
    }
  }
  std::vector<std::string> names = {"resource"};
  for (const Group& group : groups) {
    for (std::uint32_t i = 1; i <= std::min(group.count, 99U); ++i) {
      names.push_back(fmt::format("{}{}", group.prefix, i));
    }
  }
  std::string all = "the processes are ";
  for (const Group& group : groups) {
    all += fmt::format("{}, ", group.count == 1 ? fmt::format("{}1", group.prefix)
                                                : range_of(group.prefix, group.count));
  }
  where.fail(fmt::format("there is no process \"{}\"", printable(name)), name,
             Words(names.begin(), names.end()), all + "resource");
}

// What the steps of a scenario may be called.
struct Steps {
  Steps(const AlgorithmWords& words, const Scenario& scenario)
      : algorithm(words.name), marks(words.marks.begin(), words.marks.end()) {
    for (const models::Role role :
         models::roles_under(words.roles, words.uses, lock_options(scenario))) {
      roles.push_back(name(role));
    }
    if (scenario.clients.writes > 0) roles.push_back(name(models::Role::write));
  }

  std::string_view algorithm;
  Words roles;
  Words marks;
};

void read_mark(const Value& value, const std::string& mark, const Steps& steps, Trigger& trigger) {
  if (std::find(steps.marks.begin(), steps.marks.end(), mark) == steps.marks.end()) {
    const std::string has = steps.marks.empty() ? "none" : listed(steps.marks);
    value.fail(
        fmt::format("{} has no mark \"{}\"; it has {}", steps.algorithm, printable(mark), has),
        mark, steps.marks);
  }
  trigger.mark = mark;
  trigger.role = 0;
}

void read_step(const Value& value, const Steps& steps, Trigger& trigger) {
  constexpr std::string_view kMark = "mark:";
  const std::string text = value.text();
  if (text.starts_with(kMark)) return read_mark(value, text.substr(kMark.size()), steps, trigger);
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string role = text.substr(0, dot);
  if (std::find(steps.roles.begin(), steps.roles.end(), role) == steps.roles.end()) {
    value.fail(fmt::format("{} has no step \"{}\"; it has {}", steps.algorithm, printable(role),
                           listed(steps.roles)),
               role, steps.roles);
  }
  const std::string phase = text.substr(std::min(dot + 1, text.size()));
  const Words phases(sim::kPhaseNames.begin(), sim::kPhaseNames.end());
  const auto found = std::find(phases.begin(), phases.end(), phase);
  if (found == phases.end()) {
    Words whole;
    const std::array<std::string, 3> names = {role + ".sent", role + ".applied", role + ".replied"};
    whole.assign(names.begin(), names.end());
    value.fail(
        fmt::format("\"{}\" is not a step and its phase ({})", printable(text), listed(phases)),
        text, whole);
  }
  trigger.role = static_cast<std::uint8_t>(*models::role_named(role));
  trigger.phase = static_cast<sim::Phase>(found - phases.begin());
  trigger.mark.clear();
}

// The one of `before`, `after` and `at` that is given.
Value moment_of(const Value& table) {
  std::optional<Value> given;
  for (const std::string_view key : {"before", "after", "at"}) {
    const std::optional<Value> value = table.find(key);
    if (!value) continue;
    if (given) {
      value->fail(fmt::format("`{}` is given already: there is exactly one of before, after and at",
                              given->name()));
    }
    given = value;
  }
  if (!given) table.fail("must have one of before, after and at");
  return *given;
}

void check_message_trigger(const Value& table, const Value& moment, const Fault& fault,
                           TargetKind kind, const Trigger& trigger) {
  const std::string_view verb = name(fault.verb);
  if (trigger.at || !trigger.mark.empty()) {
    moment.fail(
        fmt::format("`{}` acts on the message of a step: give it one, such as "
                    "before = \"release.sent\"",
                    verb));
  }
  if (trigger.phase == sim::Phase::replied) {
    moment.fail(
        fmt::format("is too late for `{}`: the answer has arrived; \"sent\" means the request "
                    "and \"applied\" the answer",
                    verb));
  }
  if (kind == TargetKind::client && !trigger.by.empty() && trigger.by != fault.target) {
    table.at("by").fail(fmt::format("`{}` acts on a message of {} itself", verb, fault.target));
  }
  if (kind != TargetKind::client && !trigger.on.empty() && trigger.on != fault.target) {
    table.at("on").fail(fmt::format("`{}` acts on a message with {} itself", verb, fault.target));
  }
}

// `table` holds the trigger's keys, on top of what `trigger` already says.
void check_trigger(const Value& table, const Fault& fault, const Scenario& scenario,
                   const Steps& steps, Trigger& trigger) {
  const Value moment = moment_of(table);
  if (trigger.at) {
    for (const std::string_view key : {"nth", "by", "on", "command"}) {
      if (const auto value = table.find(key)) value->fail("belongs to a step, and `at` is a time");
    }
    const Instant at = *trigger.at;
    trigger = {};
    trigger.at = at;
  } else {
    read_step(moment, steps, trigger);
  }
  if (!trigger.mark.empty()) {
    for (const std::string_view key : {"on", "command"}) {
      if (const auto value = table.find(key))
        value->fail("belongs to a step, and a mark has neither");
    }
    trigger.on.clear();
    trigger.command.clear();
  }
  if (!trigger.by.empty() && process(table.at("by"), trigger.by, scenario) != TargetKind::client) {
    table.at("by").fail(fmt::format("must be a client, not {}", trigger.by));
  }
  if (!trigger.on.empty() && process(table.at("on"), trigger.on, scenario) == TargetKind::client) {
    table.at("on").fail(fmt::format("must be a server, not {}", trigger.on));
  }
  if (rules(fault.verb).on_message) {
    check_message_trigger(table, moment, fault, process(table, fault.target, scenario), trigger);
  }
}

Value verb_of(const Value& table) {
  const Words verbs(sim::kVerbNames.begin(), sim::kVerbNames.end());
  std::optional<Value> given;
  for (const Value& value : table.entries()) {
    if (std::find(verbs.begin(), verbs.end(), value.name()) == verbs.end()) continue;
    if (given) {
      value.fail(
          fmt::format("a fault has exactly one verb, and `{}` is given already", given->name()));
    }
    given = value;
  }
  if (!given) table.fail(fmt::format("has no verb; give one of {}", listed(verbs)));
  return *given;
}

// Keys that the verb has no use for, and keys it cannot do without.
void check_keys_of_verb(const Value& table, const VerbRules& rules) {
  const std::string_view verb = name(rules.verb);
  Words useful = rules.allowed;
  if (!rules.required.empty()) useful.push_back(rules.required);
  if (rules.lasting != Lasting::refused) useful.push_back("for");
  for (const Value& value : table.entries()) {
    const bool in_every_fault =
        value.name() == verb || find(trigger_keys(), value.name()) != nullptr;
    if (in_every_fault || std::find(useful.begin(), useful.end(), value.name()) != useful.end()) {
      continue;
    }
    value.fail(fmt::format("`{}` has no use for it; besides its trigger it takes {}", verb,
                           useful.empty() ? "nothing" : listed(useful)));
  }
  if (rules.lasting == Lasting::required && !table.find("for")) {
    table.fail_missing("for", fmt::format("must be given: `{}` needs a duration", verb));
  }
  if (!rules.required.empty() && !table.find(rules.required)) {
    table.fail_missing(rules.required, fmt::format("must be given: `{}` needs it", verb));
  }
}

void check_sides(const Value& from, const Fault& fault, const Scenario& scenario) {
  const std::vector<Value> wheres = from.is_array() ? from.elements() : std::vector<Value>{from};
  for (auto name = fault.from.begin(); name != fault.from.end(); ++name) {
    const Value& where = wheres[static_cast<std::size_t>(name - fault.from.begin())];
    process(where, *name, scenario);
    if (*name == fault.target) where.fail(fmt::format("{} cannot be cut from itself", *name));
    if (std::find(fault.from.begin(), name, *name) != name) {
      where.fail(fmt::format("{} is listed twice", *name));
    }
  }
}

void check_details(const Value& table, const Fault& fault, const Scenario& scenario) {
  if (fault.verb == sim::Verb::slow && fault.step.count() <= 0) {
    table.at("step").fail("must be more than 0s for `slow`");
  }
  if (fault.verb == sim::Verb::step_clock && fault.step.count() == 0) {
    table.at("step").fail("must not be 0s: the clock would not jump");
  }
  if (const auto keeps = table.find("keeps")) {
    if (fault.verb == sim::Verb::crash && !fault.lasts) {
      keeps->fail("means nothing to a `crash` without `for`: the process does not start again");
    }
  }
  if (const auto from = table.find("from")) check_sides(*from, fault, scenario);
}

void check_fault(const Value& table, const Scenario& scenario, const Steps& steps, Fault& fault) {
  const Value verb = verb_of(table);
  const TargetKind kind = process(verb, fault.target, scenario);
  if (const std::string_view reason = inapplicable(fault.verb, kind); !reason.empty()) {
    verb.fail(fmt::format("not applicable to {}: {}", fault.target, reason));
  }
  check_keys_of_verb(table, rules(fault.verb));
  check_details(table, fault, scenario);
  check_trigger(table, fault, scenario, steps, fault.trigger);
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

void check_gc(const Value& owner, const GcProfile& gc) {
  const auto table = owner.find("gc");
  if (!table || gc.high >= gc.low) return;
  table->at("high").fail(
      fmt::format("is {}, less than `low`, which is {}", to_text(gc.high), to_text(gc.low)));
}

void check_latency(const Value& table, const Latency& latency) {
  if (latency.tail_one_in == 0) return;
  if (latency.tail_high < latency.high) {
    table.at("tail_high")
        .fail(fmt::format("is {}, less than the plain latency, which is up to {}",
                          to_text(latency.tail_high), to_text(latency.high)));
  }
}

void check_network(const Value& table, const Scenario& scenario) {
  check_latency(table, scenario.network.latency);
  const auto links = table.find("link");
  if (!links) return;
  const std::vector<Value> tables = links->tables();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const Link& link = scenario.network.links[i];
    for (const std::string_view key : {"from", "to", "latency"}) {
      if (!tables[i].find(key)) tables[i].fail_missing(key, "must be given");
    }
    process(tables[i].at("from"), link.from, scenario);
    process(tables[i].at("to"), link.to, scenario);
    if (link.from == link.to) tables[i].at("to").fail("is the same process as `from`");
    check_latency(tables[i], link.latency);
  }
}

const AlgorithmWords& algorithm_of(const Value& root, const Scenario& scenario,
                                   const Vocabulary& vocabulary) {
  const std::string& name = scenario.lock.algorithm;
  const Value lock = root.at("lock");
  if (name.empty()) {
    const auto table = root.find("lock");
    const std::string_view problem = "must be given; `picklock list algorithms` has them all";
    table ? table->fail_missing("algorithm", problem)
          : root.fail_missing("lock.algorithm", problem);
  }
  if (const AlgorithmWords* words = vocabulary.find(name)) return *words;
  Words names;
  for (const AlgorithmWords& words : vocabulary.algorithms) names.push_back(words.name);
  lock.at("algorithm")
      .fail(fmt::format("there is no algorithm \"{}\"", printable(name)), name, names,
            "`picklock list algorithms` has them all");
}

// Servers that no client ever speaks to would look as if they had a part in the result.
void check_servers(const Value& root, const Scenario& scenario, const AlgorithmWords& words) {
  if (!words.one_server || scenario.servers.redis.masters == 1) return;
  root.at("servers").at("redis").at("masters").fail(
      fmt::format("{} uses one server: must be 1", words.name));
}

void check_fencing(const Value& root, const Scenario& scenario, const AlgorithmWords& words) {
  if (scenario.servers.resource.fencing != Fencing::in_script || words.uses.mint) return;
  root.at("servers")
      .at("resource")
      .at("fencing")
      .fail(fmt::format("{} takes its key by a plain command, which mints no token; give one of "
                        "\"none\", \"after\" and \"ideal\"",
                        words.name));
}

// An option that a lock does not look at would seem to be without effect.
void check_options(const Value& root, const Scenario& scenario, const AlgorithmWords& words) {
  const models::LockOptions& options = scenario.lock.options;
  const auto lock = root.find("lock");
  if (!lock) return;
  if (options.renew != models::Renew::none && !words.uses.renew)
    lock->at("renew").fail(
        fmt::format("{} does not renew its lease: must be \"none\"", words.name));
  if (options.recognise_own != models::RecogniseOwn::never && !words.uses.own) {
    lock->at("recognise_own")
        .fail(fmt::format("{} has no token of its own: must be \"never\"", words.name));
  }
  if (words.uses.lease && options.ttl % words.uses.lease_unit != Duration::zero()) {
    lock->at("ttl").fail(fmt::format("{} counts its lease in whole units of {}, not {}", words.name,
                                     to_text(words.uses.lease_unit), to_text(options.ttl)));
  }
}

}  // namespace

void check(const Value& root, Scenario& scenario, const Vocabulary& vocabulary) {
  const AlgorithmWords& words = algorithm_of(root, scenario, vocabulary);
  const Steps steps(words, scenario);
  check_options(root, scenario, words);
  check_servers(root, scenario, words);
  check_fencing(root, scenario, words);
  if (const auto network = root.find("network")) check_network(*network, scenario);
  if (const auto clients = root.find("clients")) check_gc(*clients, scenario.clients.gc);
  if (const auto servers = root.find("servers")) {
    if (const auto redis = servers->find("redis")) check_gc(*redis, scenario.servers.redis.gc);
  }
  if (const auto faults = root.find("fault")) {
    const std::vector<Value> tables = faults->tables();
    for (std::size_t i = 0; i < tables.size(); ++i) {
      check_fault(tables[i], scenario, steps, scenario.faults[i]);
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
