#include "scenarios/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "keys/bad_input.h"
#include "keys/duration_text.h"
#include "keys/key_kinds.h"
#include "models/locks/quorum_lock.h"
#include "models/servers/kind.h"
#include "models/servers/verbs.h"
#include "scenarios/keys.h"
#include "scenarios/topology.h"
#include "scenarios/verb_rules.h"

namespace picklock::scenarios {

using keys::Key;
using keys::listed;
using keys::printable;
using keys::to_text;
using keys::Value;
using keys::Words;
using keys::words_of;
using models::locks::QuorumOptions;
namespace {

using sim::Fault;
using sim::Instant;
using sim::Trigger;

std::string range_of(std::string_view prefix, std::uint32_t count) {
  return count == 1 ? fmt::format("{}1", prefix) : fmt::format("{0}1 to {0}{1}", prefix, count);
}

// `where` is the value that has the name, alone or in a list.
const ProcessKind& process(const Value& where, const std::string& name, const Scenario& scenario) {
  const std::vector<servers::Row> rows = rows_of(scenario);
  for (const servers::Row& row : rows) {
    const std::uint32_t number = number_in(row, name);
    if (number == 0) continue;
    if (number <= row.count) return *row.kind;
    const std::string_view singular = row.kind->singular;
    if (row.count == 0) where.fail(fmt::format("there is no {}: there are no {}s", name, singular));
    where.fail(fmt::format(
        "there is no {}; the {} {}", name,
        row.count == 1 ? fmt::format("only {} is", singular) : fmt::format("{}s are", singular),
        range_of(row.prefix, row.count)));
  }
  std::vector<std::string> names;
  std::vector<std::string> numbered;
  std::vector<std::string> single;
  for (const servers::Row& row : rows) {
    if (!row.numbered) {
      names.push_back(row.prefix);
      single.push_back(row.prefix);
      continue;
    }
    for (std::uint32_t i = 1; i <= std::min(row.count, 99U); ++i)
      names.push_back(fmt::format("{}{}", row.prefix, i));
    if (row.count > 0) numbered.push_back(range_of(row.prefix, row.count));
  }
  std::rotate(single.begin(), single.begin() + (has_coordinator(scenario) ? 1 : 0), single.end());
  numbered.insert(numbered.end(), single.begin(), single.end());
  where.fail(fmt::format("there is no process \"{}\"", printable(name)), name,
             Words(names.begin(), names.end()),
             fmt::format("the processes are {}", fmt::join(numbered, ", ")));
}

// The names of the steps that a scenario can have.
struct Steps {
  Steps(const AlgorithmWords& words, const Scenario& scenario)
      : algorithm(words.name),
        marks(words.marks.begin(), words.marks.end()),
        any_mark(words.own != nullptr) {
    for (const Role role : models::roles_under(words.roles, words.uses, lock_options(scenario))) {
      roles.push_back(name(role));
    }
    using Deed = WorkStep::Deed;
    const std::vector<WorkStep>& work = scenario.clients.work;
    const bool writes = work.empty() ? scenario.clients.writes > 0
                                     : has_step(work, Deed::write) || has_step(work, Deed::fence);
    if (writes) roles.push_back(name(Role::write));
    if (has_step(work, Deed::read)) roles.push_back(name(Role::read));
    why_no_write = work.empty() ? "`clients.writes` is 0" : "no step of `clients.work` writes";
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

void read_step(const Value& value, const Steps& steps, Trigger& trigger) {
  constexpr std::string_view kMark = "mark:";
  const std::string text = value.text();
  if (text.starts_with(kMark)) return read_mark(value, text.substr(kMark.size()), steps, trigger);
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string role = text.substr(0, dot);
  if (std::find(steps.roles.begin(), steps.roles.end(), role) == steps.roles.end()) {
    const bool reads = role == name(Role::read);
    if (reads || role == name(Role::write))
      value.fail(fmt::format("no client takes the step \"{}\" because {}; the steps are {}", role,
                             reads ? "no step of `clients.work` reads" : steps.why_no_write,
                             listed(steps.roles)));
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
        phase.empty()
            ? fmt::format("\"{}\" lacks its phase, one of {}", role, listed(phases))
            : fmt::format("there is no phase \"{}\", only {}", printable(phase), listed(phases)),
        text, whole);
  }
  trigger.role = *role_named(role);
  trigger.phase = static_cast<sim::Phase>(found - phases.begin());
  trigger.mark.clear();
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
  const std::string_view verb = models::name(fault.verb);
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
  }
  if (!trigger.mark.empty()) {
    for (const std::string_view key : {"on", "command"}) {
      if (const auto value = table.find(key))
        value->fail("narrows a step that sends a message, but a mark sends none");
    }
    trigger.on.clear();
    trigger.command.clear();
  }
  if (!trigger.by.empty() && !process(table.at("by"), trigger.by, scenario).takes_steps) {
    table.at("by").fail(fmt::format("must be a client, not {}", trigger.by));
  }
  if (!trigger.on.empty()) {
    const ProcessKind& on = process(table.at("on"), trigger.on, scenario);
    if (on.takes_steps || !on.hears_clients)
      table.at("on").fail(fmt::format("must be a server, not {}", trigger.on));
  }
  if (rules(fault.verb).on_message) {
    check_message_trigger(table, moment, fault, process(table, fault.target, scenario), trigger);
  }
}

Value verb_of(const Value& table) {
  const Words verbs(models::kVerbNames.begin(), models::kVerbNames.end());
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
void check_keys_of_verb(const Value& table, const VerbRules& rules) {
  const std::string_view verb = models::name(rules.verb);
  Words useful = rules.allowed;
  if (!rules.required.empty()) useful.push_back(rules.required);
  if (rules.lasting != Lasting::refused) useful.push_back("for");
  for (const Value& value : table.entries()) {
    const bool in_every_fault =
        value.name() == verb || find(trigger_keys(), value.name()) != nullptr;
    if (in_every_fault || std::find(useful.begin(), useful.end(), value.name()) != useful.end()) {
      continue;
    }
    value.fail(
        fmt::format("`{}` does not take this key; besides its trigger it takes {}", verb,
                    useful.empty() ? "nothing" : fmt::format("`{}`", fmt::join(useful, "`, `"))));
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
    if (*name == fault.target) where.fail(fmt::format("{} cannot be cut off from itself", *name));
    if (std::find(fault.from.begin(), name, *name) != name) {
      where.fail(fmt::format("{} is listed twice", *name));
    }
  }
}

void check_failover(const Value& table, const Fault& fault, const Scenario& scenario) {
  const servers::Kind& server = lock_server(scenario);
  const Value verb = table.at(models::name(fault.verb));
  if (const auto why = server.no_failover(scenario.servers, fault.target))
    verb.fail(why->of_target);
  for (const Fault& other : scenario.faults) {
    if (&other == &fault) break;
    if (other.verb == fault.verb && other.target == fault.target)
      verb.fail(fmt::format("{} has already failed over by then and stays down", fault.target));
  }
  if (const auto to = table.find("to")) {
    const ProcessKind& kind = process(*to, fault.to, scenario);
    if (!server.follows(kind, fault.to, fault.target))
      to->fail(fmt::format("must be a replica of {}, not {}", fault.target, fault.to));
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
      keeps->fail("has no effect on a `crash` without `for`: the process does not start again");
    }
    const std::string_view why_all = process(table, fault.target, scenario).forgets;
    if (fault.keeps != sim::Keeps::all && !why_all.empty())
      keeps->fail(fmt::format("must be \"all\": {}", why_all));
  }
  if (const auto from = table.find("from")) check_sides(*from, fault, scenario);
  if (fault.verb == models::kFailOver) check_failover(table, fault, scenario);
  const servers::Kind& server = lock_server(scenario);
  if (fault.verb == models::kKillSession && server.session_keeper.empty()) {
    table.at(models::name(fault.verb))
        .fail(
            fmt::format("not applicable to {}: {} keeps no sessions", fault.target, server.title));
  }
}

void check_fault(const Value& table, const Scenario& scenario, const Steps& steps, Fault& fault) {
  const Value verb = verb_of(table);
  const ProcessKind& kind = process(verb, fault.target, scenario);
  if (const std::string_view reason = inapplicable(fault.verb, kind); !reason.empty()) {
    verb.fail(fmt::format("not applicable to {}: {}", fault.target, reason));
  }
  check_keys_of_verb(table, rules(fault.verb));
  check_details(table, fault, scenario);
  check_trigger(table, fault, scenario, steps, fault.trigger);
  const bool of_lock = !is_for_resource(fault.trigger.role);
  const std::string_view sent_once =
      inapplicable(sim::Verb::duplicate, *lock_server(scenario).kinds.front());
  if (fault.verb == sim::Verb::duplicate && of_lock && !sent_once.empty())
    verb.fail(fmt::format("{}: only a step of `write` or `read` can be duplicated", sent_once));
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

void check_latency(const Value& table, const Latency& latency) {
  if (latency.tail_one_in == 0) return;
  if (latency.tail_high < latency.high) {
    table.fail_key("tail_high",
                   fmt::format("is {}, less than the ordinary latency, which is up to {}",
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
    const std::string_view problem = "must be given; `picklock list algorithms` lists them all";
    table ? table->fail_missing("algorithm", problem)
          : root.fail_missing("lock.algorithm", problem);
  }
  if (const AlgorithmWords* words = vocabulary.find(name)) return *words;
  Words names;
  for (const AlgorithmWords& words : vocabulary.algorithms) names.push_back(words.name);
  lock.at("algorithm")
      .fail(fmt::format("there is no algorithm \"{}\"", printable(name)), name, names,
            "`picklock list algorithms` lists them all");
}

// Servers that no client uses would seem to influence the result.
void check_servers(const Value& root, const Scenario& scenario, const AlgorithmWords& words) {
  const servers::Kind& home = lock_server(scenario);
  if (const auto servers = root.find("servers")) {
    for (const servers::Kind* other : servers::kinds()) {
      if (other == &home) continue;
      if (const auto idle = servers->find(other->server.key))
        idle->fail(fmt::format("{} runs on {}: see [servers.{}]", words.name, home.title,
                               home.server.key));
    }
  }
  if (words.uses.servers || primaries(scenario) == 1) return;
  root.at("servers")
      .at(home.server.key)
      .at(home.primaries_key)
      .fail(fmt::format("must be 1: {} uses one server", words.name));
}

// Their stacks take some 400 MiB.
constexpr std::uint64_t kMostThreads = 20'000;

void check_work(const Value& table, const ClientsSpec& clients) {
  if (clients.work.empty()) return;
  for (const std::string_view key : {"hold", "writes", "nested_after"}) {
    const auto given = table.find(key);
    const bool replaced = given && given->line() != 0 && table.at("work").line() == 0;
    if (given && !replaced)
      given->fail("has no effect: the steps of `clients.work` are the whole critical section");
  }
  if (clients.effect == Effect::database)
    table.at("effect").fail("must be \"resource\": `clients.work` reads and writes there");
  const std::vector<Value> steps = table.at("work").tables();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const WorkStep& step = clients.work[i];
    const Value& given = steps[i];
    if (!given.find("do"))
      given.fail_missing("do", fmt::format("must be given: one of {}", listed(words_of(kDeeds))));
    const bool thinks = step.deed == WorkStep::Deed::think;
    if (thinks && !given.find("for"))
      given.fail_missing("for", "must be given: `think` needs a duration");
    const auto length = given.find("for");
    if (length && !thinks) length->fail("has no effect: only `think` takes a duration");
    const auto mode = given.find("mode");
    if (mode && step.deed != WorkStep::Deed::write)
      mode->fail("has no effect: only `write` takes a mode");
  }
  const std::size_t unread = first_unread(clients.work);
  if (unread < steps.size())
    steps[unread].at("mode").fail("has nothing that it could be based on: no step before it reads");
}

void check_clients(const Value& table, const Scenario& scenario, const AlgorithmWords& words) {
  const ClientsSpec& clients = scenario.clients;
  const servers::Kind& server = lock_server(scenario);
  servers::check_gc(table, clients.gc);
  if (const std::uint64_t threads = std::uint64_t{clients.count} * clients.threads;
      threads > kMostThreads) {
    table.at(clients.threads > 1 ? "threads" : "count")
        .fail(fmt::format("makes {} threads of clients, more than a run can have, which is {}",
                          threads, kMostThreads));
  }
  check_work(table, clients);
  if (clients.find_by == FindBy::monitors && server.monitors == nullptr)
    table.at("find_by").fail(
        fmt::format("must be \"address\": {} runs on {}, where no process knows which server leads",
                    words.name, server.title));
  if (clients.find_by == FindBy::monitors && server.monitors->count(scenario.servers) == 0)
    table.at("find_by").fail(fmt::format("there are no {}; set `servers.{}.{}`",
                                         server.monitors->name, server.server.key,
                                         server.monitors->key));
  if (clients.operators > 0 && !words.uses.force)
    table.at("operators").fail(fmt::format("no operator can take {} from its holder", words.name));
  if (clients.operators > 0 && clients.operators >= clients.count)
    table.at("operators")
        .fail(fmt::format(
            "must be less than `clients.count`, which is {}: otherwise no client wants the lock",
            clients.count));
  if (clients.nested_after > Duration::zero() && !clients.nested)
    table.at("nested_after").fail("has no effect without `nested = true`");
  if (clients.nested_after > clients.hold)
    table.at("nested_after")
        .fail(fmt::format("is {}, later than the end of the critical section, which is `hold`, {}",
                          to_text(clients.nested_after), to_text(clients.hold)));
  if (clients.scan_every > Duration::zero() && replicas(scenario) == 0)
    table.at("scan_every").fail("has no effect: there is no replica that could become the primary");
  if (clients.progress != Progress::none && server.write_key == nullptr) {
    table.at("progress")
        .fail(
            fmt::format("must be \"none\": the key of {} holds nothing but the lock", words.name));
  }
  if (clients.effect == Effect::database && !words.uses.database)
    table.at("effect").fail(fmt::format(
        "must be \"resource\": {} keeps no database session open that could write", words.name));
  if (clients.effect == Effect::database && scenario.servers.resource.fencing != Fencing::none)
    table.at("effect").fail(
        "must be \"resource\": the resource is fenced, and \"database\" writes nothing to it");
  if (clients.check_before_write && !words.uses.check)
    table.at("check_before_write")
        .fail(fmt::format("{} has no way to check whether it still holds the lock", words.name));
}

std::vector<std::string> coordinated_servers() {
  std::vector<std::string> all;
  for (const servers::Kind* kind : servers::kinds()) {
    if (kind->coordinated != nullptr)
      all.push_back(fmt::format("{} with `{}`", kind->title, kind->coordinated_by));
  }
  return all;
}

// The table [servers.resource] is checked in combination with the steps of `clients.work`.
void check_tokens(const Value& root, const Scenario& scenario) {
  const ResourceSpec& resource = scenario.servers.resource;
  const std::vector<WorkStep>& work = scenario.clients.work;
  const bool announces = has_step(work, WorkStep::Deed::fence);
  const auto servers = root.find("servers");
  const auto table = servers ? servers->find("resource") : std::nullopt;
  const auto fencing = table ? table->find("fencing") : std::nullopt;
  const bool replaced = fencing && fencing->line() == 0;
  if (!has_tokens(resource)) {
    for (const std::string_view key : {"checks", "equal_token"}) {
      const auto given = table ? table->find(key) : std::nullopt;
      if (given && !(replaced && given->line() != 0))
        given->fail("has no effect: requests have no token unless `fencing` gives them one");
    }
    for (std::size_t i = 0; announces && !replaced && i < work.size(); ++i) {
      if (work[i].deed == WorkStep::Deed::fence)
        root.at("clients").at("work").tables()[i].at("do").fail(
            "there is no token to announce unless `servers.resource.fencing` gives one");
    }
    return;
  }
  const bool by_equality = resource.checks == models::Checks::announced;
  if (resource.fencing == Fencing::owner_token && !by_equality)
    fencing->fail("needs `checks = \"announced\"`: an owner's token has no order");
  if (by_equality && !announces)
    table->at("checks").fail(
        "no holder announces its token: add a step with `do = \"fence\"` to `clients.work`");
  if (by_equality && resource.equal_token == models::EqualToken::refuse)
    table->at("equal_token").fail("has no effect with `checks = \"announced\"`");
}

void check_fencing(const Value& root, const Scenario& scenario, const AlgorithmWords& words) {
  const servers::Kind& server = lock_server(scenario);
  if (scenario.servers.resource.fencing == Fencing::after && server.fetch_token == nullptr) {
    root.at("servers")
        .at("resource")
        .at("fencing")
        .fail(fmt::format(
            "{} has no counter beside its key; use {}", words.name,
            words.uses.mint
                ? fmt::format("\"in-script\", which takes the {} of each grant", server.token)
                : "\"ideal\""));
  }
  const Fencing fencing = scenario.servers.resource.fencing;
  if ((fencing == Fencing::revoke || fencing == Fencing::revoke_late) &&
      !has_coordinator(scenario)) {
    root.at("servers")
        .at("resource")
        .at("fencing")
        .fail(fmt::format("needs a coordinator that revokes access: use a lock on {}",
                          fmt::join(coordinated_servers(), " or ")));
  }
  check_tokens(root, scenario);
  if (scenario.servers.resource.fencing != Fencing::in_script || words.uses.mint) return;
  root.at("servers")
      .at("resource")
      .at("fencing")
      .fail(
          fmt::format("what {} sends to take its lock mints no token; use \"none\"{} or \"ideal\"",
                      words.name, server.fetch_token == nullptr ? "" : ", \"after\""));
}

// Refuses keys that have no effect without another, unless a change turns the other one off.
void check_needs(const Value& lock, const models::LockOptions& options,
                 const AlgorithmWords& words) {
  for (const Value& given : lock.entries()) {
    const auto* key = find(words.keys, given.name());
    if (key == nullptr || !key->needs || key->needs->met(options)) continue;
    const auto other = lock.find(key->needs->other);
    if (given.line() != 0 && other && other->line() == 0) continue;
    given.fail(fmt::format("has no effect {}", key->needs->else_what));
  }
}

// A key that the lock does not have would seem to have no effect.
void check_options(const Value& root, const Scenario& scenario, const AlgorithmWords& words) {
  const models::LockOptions& options = scenario.lock.options;
  const auto lock = root.find("lock");
  if (!lock) return;
  for (const Value& given : lock->entries()) {
    if (find(option_keys(), given.name()) != nullptr && find(words.keys, given.name()) == nullptr)
      given.fail(fmt::format("{} does not use this key", words.name));
  }
  check_needs(*lock, options, words);
  if (options.ttl == Duration::zero() && !words.uses.endless)
    lock->at("ttl").fail("must be more than 0s, not \"0s\"");
  if (options.wait_replicas > replicas(scenario)) {
    lock->at("wait_replicas")
        .fail(fmt::format(
            "must be at most {}, the number of replicas: otherwise no acquire could succeed",
            replicas(scenario)));
  }
  if (options.check_at == models::CheckAt::replica) {
    const std::vector<Role> roles =
        models::roles_under(words.roles, words.uses, lock_options(scenario));
    if (std::find(roles.begin(), roles.end(), Role::check) == roles.end())
      lock->at("check_at")
          .fail(fmt::format("{} never checks whether it still holds the lock", words.name));
    if (replicas(scenario) == 0)
      lock->at("check_at").fail("there is no replica; set `servers.redis.replicas`");
  }
  if (options.of<QuorumOptions>().quorum > primaries(scenario)) {
    lock->at("quorum").fail(
        fmt::format("must be at most {}, the number of servers: otherwise no acquire could succeed",
                    primaries(scenario)));
  }
  if (options.ttl % words.uses.lease_unit != Duration::zero()) {
    lock->at("ttl").fail(fmt::format("must be a multiple of {}, the unit of a lease of {}, not {}",
                                     to_text(words.uses.lease_unit), words.name,
                                     to_text(options.ttl)));
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
  if (const auto clients = root.find("clients")) check_clients(*clients, scenario, words);
  if (const auto servers = root.find("servers")) {
    const servers::Kind& server = lock_server(scenario);
    const auto table = servers->find(server.server.key);
    if (table && server.check != nullptr) {
      server.check(*table, scenario.servers,
                   [&scenario](const Value& where, const std::string& name) -> const ProcessKind& {
                     return process(where, name, scenario);
                   });
    }
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
