#include "scenarios/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "keys/bad_input.h"
#include "keys/duration_text.h"
#include "models/locks/quorum_lock.h"
#include "models/locks/redisson/options.h"
#include "models/redis/config.h"
#include "models/verbs.h"
#include "scenarios/keys.h"
#include "scenarios/verb_rules.h"

namespace picklock::scenarios {

using keys::Key;
using keys::listed;
using keys::printable;
using keys::to_text;
using keys::Value;
using keys::Words;
using models::locks::QuorumOptions;
using models::locks::redisson::RedissonOptions;
namespace {

using sim::Fault;
using sim::Instant;
using sim::Trigger;

// The number in a name: 7 for "client-7". 0: the name does not have this form.
std::uint32_t number_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return 0;
  name.remove_prefix(prefix.size());
  if (name.starts_with('0')) return 0;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() ? number : 0;
}

std::string range_of(std::string_view prefix, std::uint32_t count) {
  return count == 1 ? fmt::format("{}1", prefix) : fmt::format("{0}1 to {0}{1}", prefix, count);
}

// Processes that differ only in their number: client-1 to client-3.
struct Row {
  TargetKind kind{};
  std::string prefix;
  std::string_view singular;
  std::uint32_t count = 0;
};

struct ServerWords {
  LockServer server{};
  std::string_view key;  // under [servers]
  std::string_view name;
  std::string_view fencing;  // of every grant without further ado; none: see `fencing = "after"`
};
constexpr std::array kServers = {
    ServerWords{LockServer::redis, "redis", "Redis", ""},
    ServerWords{LockServer::lease_store, "lease_store", "a lease store", "revision"},
    ServerWords{LockServer::zookeeper, "zookeeper", "ZooKeeper", "zxid"},
    ServerWords{LockServer::mysql, "mysql", "MySQL", "count"},
};

const ServerWords& words_of_server(const Scenario& scenario) {
  return *std::find_if(kServers.begin(), kServers.end(),
                       [&](const ServerWords& words) { return on(scenario, words.server); });
}

std::vector<Row> rows_of(const Scenario& scenario) {
  const RedisSpec& redis = scenario.servers.redis;
  std::vector<Row> rows = {{TargetKind::client, "client-", "client", scenario.clients.count}};
  if (on(scenario, LockServer::zookeeper))
    rows.push_back(
        {TargetKind::zookeeper, "zookeeper-", "server", scenario.servers.zookeeper.servers});
  if (on(scenario, LockServer::mysql))
    rows.push_back({TargetKind::mysql, "mysql-", "server", 1 + scenario.servers.mysql.replicas});
  if (!on(scenario, LockServer::redis)) return rows;
  rows.push_back({TargetKind::redis, "redis-", "server", redis.masters});
  for (std::uint32_t i = 1; i <= redis.masters; ++i) {
    rows.push_back(
        {TargetKind::replica, fmt::format("redis-{}-replica-", i), "replica", redis.replicas});
    rows.push_back(
        {TargetKind::sentinel, fmt::format("redis-{}-sentinel-", i), "Sentinel", redis.sentinels});
  }
  return rows;
}

bool takes_steps(TargetKind kind) {
  return kind == TargetKind::client || kind == TargetKind::coordinator;
}

// `where` is the value that has the name, alone or in a list.
TargetKind process(const Value& where, const std::string& name, const Scenario& scenario) {
  if (name == "resource") return TargetKind::resource;
  const bool store = on(scenario, LockServer::lease_store);
  if (store && name == "store") return TargetKind::store;
  const bool coordinated = has_coordinator(scenario);
  if (coordinated && name == "coordinator") return TargetKind::coordinator;
  const std::vector<Row> rows = rows_of(scenario);
  for (const Row& row : rows) {
    const std::uint32_t number = number_after(row.prefix, name);
    if (number == 0) continue;
    if (number <= row.count) return row.kind;
    if (row.count == 0)
      where.fail(fmt::format("there is no {}: there are no {}s", name, row.singular));
    where.fail(fmt::format("there is no {}; the {} {}", name,
                           row.count == 1 ? fmt::format("only {} is", row.singular)
                                          : fmt::format("{}s are", row.singular),
                           range_of(row.prefix, row.count)));
  }
  std::vector<std::string> names = {"resource"};
  if (store) names.emplace_back("store");
  if (coordinated) names.emplace_back("coordinator");
  std::string all = "the processes are ";
  for (const Row& row : rows) {
    for (std::uint32_t i = 1; i <= std::min(row.count, 99U); ++i)
      names.push_back(fmt::format("{}{}", row.prefix, i));
    if (row.count == 0) continue;
    all += range_of(row.prefix, row.count) + ", ";
  }
  where.fail(fmt::format("there is no process \"{}\"", printable(name)), name,
             Words(names.begin(), names.end()),
             all + (store         ? "store, resource"
                    : coordinated ? "resource, coordinator"
                                  : "resource"));
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
    if (scenario.clients.writes > 0) roles.push_back(name(Role::write));
  }

  std::string_view algorithm;
  Words roles;
  Words marks;
  bool any_mark = false;
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
    if (role == name(Role::write))
      value.fail(fmt::format(
          "no client takes the step \"write\" because `clients.writes` is 0; the steps are {}",
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
                           TargetKind kind, const Trigger& trigger) {
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
  if (takes_steps(kind) && !trigger.by.empty() && trigger.by != fault.target) {
    table.at("by").fail(fmt::format("must be {} or left out: `{}` acts on the messages of {}",
                                    fault.target, verb, fault.target));
  }
  if (!takes_steps(kind) && !trigger.on.empty() && trigger.on != fault.target) {
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
  if (!trigger.by.empty() && !takes_steps(process(table.at("by"), trigger.by, scenario))) {
    table.at("by").fail(fmt::format("must be a client, not {}", trigger.by));
  }
  if (!trigger.on.empty()) {
    const TargetKind on = process(table.at("on"), trigger.on, scenario);
    if (takes_steps(on) || on == TargetKind::sentinel)
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
  const RedisSpec& redis = scenario.servers.redis;
  const Value verb = table.at(models::name(fault.verb));
  const std::uint32_t replicas =
      on(scenario, LockServer::mysql) ? scenario.servers.mysql.replicas : redis.replicas;
  if (on(scenario, LockServer::mysql) && fault.target != "mysql-1")
    verb.fail(fmt::format("not applicable to {}: only a primary can fail over to a replica",
                          fault.target));
  if (replicas == 0) verb.fail(fmt::format("{} has no replica to promote", fault.target));
  if (redis.sentinels > 0) {
    verb.fail(
        fmt::format("{} has Sentinels, which alone decide on a failover: crash its host instead",
                    fault.target));
  }
  for (const Fault& other : scenario.faults) {
    if (&other == &fault) break;
    if (other.verb == fault.verb && other.target == fault.target)
      verb.fail(fmt::format("{} has already failed over by then and stays down", fault.target));
  }
  if (const auto to = table.find("to")) {
    const TargetKind kind = process(*to, fault.to, scenario);
    const bool follows = kind == TargetKind::mysql ? fault.to != fault.target
                                                   : kind == TargetKind::replica &&
                                                         fault.to.starts_with(fault.target + "-");
    if (!follows) to->fail(fmt::format("must be a replica of {}, not {}", fault.target, fault.to));
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
    if (fault.keeps != sim::Keeps::all &&
        process(table, fault.target, scenario) == TargetKind::store)
      keeps->fail("must be \"all\": a lease store forgets nothing");
  }
  if (const auto from = table.find("from")) check_sides(*from, fault, scenario);
  if (fault.verb == models::kFailOver) check_failover(table, fault, scenario);
  if (fault.verb == models::kKillSession && on(scenario, LockServer::redis)) {
    table.at(models::name(fault.verb))
        .fail(fmt::format("not applicable to {}: Redis keeps no sessions", fault.target));
  }
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
  const bool of_lock = fault.trigger.role != Role::write;
  if (fault.verb == sim::Verb::duplicate && on(scenario, LockServer::zookeeper) && of_lock)
    verb.fail(
        "a ZooKeeper client sends nothing a second time: only a step of `write` can be duplicated");
  if (fault.verb == sim::Verb::duplicate && on(scenario, LockServer::mysql) && of_lock)
    verb.fail(
        "a MySQL driver sends nothing a second time: only a step of `write` can be duplicated");
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

// Fails at the key, or at the table if the key is missing and its default is wrong.
[[noreturn]] void fail_key(const Value& table, std::string_view key, const std::string& problem) {
  if (const auto value = table.find(key)) value->fail(problem);
  table.fail_missing(key, problem);
}

void check_gc(const Value& owner, const GcProfile& gc) {
  const auto table = owner.find("gc");
  if (!table || gc.high >= gc.low) return;
  fail_key(*table, "high",
           fmt::format("is {}, less than `low`, which is {}", to_text(gc.high), to_text(gc.low)));
}

void check_latency(const Value& table, const Latency& latency) {
  if (latency.tail_one_in == 0) return;
  if (latency.tail_high < latency.high) {
    fail_key(table, "tail_high",
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
  if (const auto servers = root.find("servers")) {
    const ServerWords& home = words_of_server(scenario);
    for (const ServerWords& other : kServers) {
      if (other.server == home.server) continue;
      if (const auto idle = servers->find(other.key))
        idle->fail(fmt::format("{} runs on {}: see [servers.{}]", words.name, home.name, home.key));
    }
  }
  if (words.uses.servers || scenario.servers.redis.masters == 1) return;
  root.at("servers").at("redis").at("masters").fail(
      fmt::format("must be 1: {} uses one server", words.name));
}

// Checks lines of redis.conf as `CONFIG SET` would.
void check_config(const Value& lines, const std::vector<std::string>& config) {
  const std::vector<Value> wheres = lines.elements();
  redis::Config known;
  redis::Reply all;
  const std::string_view pattern[] = {"*"};
  known.get(pattern, all);
  Words parameters;
  for (std::size_t k = 0; k < all.elements.size(); k += 2)
    parameters.push_back(all.elements[k].text);
  Words given;
  for (std::size_t i = 0; i < config.size(); ++i) {
    const auto [parameter, value] = config_line(config[i]);
    if (std::find(given.begin(), given.end(), parameter) != given.end())
      wheres[i].fail(fmt::format("{} is given twice", printable(parameter)));
    given.push_back(parameter);
    if (std::find(parameters.begin(), parameters.end(), parameter) == parameters.end()) {
      wheres[i].fail(fmt::format("redis.conf has no parameter \"{}\"", printable(parameter)),
                     parameter, parameters, "`CONFIG GET *` lists them all");
    }
    const std::string_view pair[] = {parameter, value};
    redis::Reply set;
    known.set(pair, set);
    if (set.is_error())
      wheres[i].fail(fmt::format("Redis refuses it: {}", printable(set.text, 200)));
  }
}

void check_node(const Value& table, const NodeSpec& node, const Scenario& scenario) {
  if (!table.find("name")) table.fail_missing("name", "must be given");
  const TargetKind kind = process(table.at("name"), node.name, scenario);
  if (kind == TargetKind::client || kind == TargetKind::resource)
    table.at("name").fail(fmt::format("must be a Redis server or Sentinel, not {}", node.name));
  for (const NodeSpec& other : scenario.servers.redis.nodes) {
    if (&other == &node) break;
    if (other.name == node.name)
      table.at("name").fail(fmt::format("{} is described twice", node.name));
  }
  const auto config = table.find("config");
  if (!config) return;
  if (kind == TargetKind::sentinel)
    config->fail("must be left out: [servers.redis.sentinel] sets up all Sentinels");
  check_config(*config, node.config);
}

void check_redis(const Value& table, const Scenario& scenario) {
  const RedisSpec& redis = scenario.servers.redis;
  check_gc(table, redis.gc);
  if (const auto config = table.find("config")) check_config(*config, redis.config);
  if (redis.sentinels > 0 && redis.replicas == 0)
    table.at("sentinels")
        .fail("must be 0: a primary without replicas has nothing that Sentinels could promote");
  if (redis.sentinel.quorum > redis.sentinels) {
    table.at("sentinel")
        .at("quorum")
        .fail(fmt::format(
            "must be at most {}, the number of Sentinels: otherwise no server is ever found down",
            redis.sentinels));
  }
  if (const auto nodes = table.find("node")) {
    const std::vector<Value> tables = nodes->tables();
    for (std::size_t i = 0; i < tables.size(); ++i) check_node(tables[i], redis.nodes[i], scenario);
  }
}

void check_clients(const Value& table, const Scenario& scenario, const AlgorithmWords& words) {
  const ClientsSpec& clients = scenario.clients;
  check_gc(table, clients.gc);
  if (clients.find_by == FindBy::sentinel && !on(scenario, LockServer::redis))
    table.at("find_by").fail(
        fmt::format("must be \"address\": {} runs on {}, which has no Sentinels", words.name,
                    words_of_server(scenario).name));
  if (clients.find_by == FindBy::sentinel && scenario.servers.redis.sentinels == 0)
    table.at("find_by").fail("there are no Sentinels; set `servers.redis.sentinels`");
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
  if (clients.scan_every > Duration::zero() && scenario.servers.redis.replicas == 0)
    table.at("scan_every").fail("has no effect: there is no replica that could become the primary");
  if (clients.progress != Progress::none && !on(scenario, LockServer::redis)) {
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
  if (clients.check_before_write && !words.uses.look)
    table.at("check_before_write")
        .fail(fmt::format("{} has no way to check whether it still holds the lock", words.name));
}

void check_fencing(const Value& root, const Scenario& scenario, const AlgorithmWords& words) {
  if (scenario.servers.resource.fencing == Fencing::after && !on(scenario, LockServer::redis)) {
    root.at("servers")
        .at("resource")
        .at("fencing")
        .fail(fmt::format(
            "{} has no counter beside its key; use \"in-script\", which takes the {} of each grant",
            words.name, words_of_server(scenario).fencing));
  }
  const Fencing fencing = scenario.servers.resource.fencing;
  if ((fencing == Fencing::revoke || fencing == Fencing::revoke_late) &&
      !has_coordinator(scenario)) {
    root.at("servers")
        .at("resource")
        .at("fencing")
        .fail(
            "needs a coordinator that revokes access: use a lock on ZooKeeper with `freed_by = "
            "\"coordinator\"`");
  }
  if (scenario.servers.resource.fencing != Fencing::in_script || words.uses.mint) return;
  root.at("servers")
      .at("resource")
      .at("fencing")
      .fail(fmt::format("{} takes its key by a plain command, which mints no token; use \"none\", "
                        "\"after\" or \"ideal\"",
                        words.name));
}

// Refuses keys that have no effect without another, unless a change turns the other one off.
void check_pairs(const Value& lock, const models::LockOptions& options,
                 const AlgorithmWords& words) {
  const auto excused = [&lock](const Value& value, std::initializer_list<std::string_view> keys) {
    return value.line() != 0 && std::any_of(keys.begin(), keys.end(), [&lock](auto key) {
             const auto other = lock.find(key);
             return other && other->line() == 0;
           });
  };
  const auto every = lock.find("renew_every");
  if (every && find(words.keys, "renew") != nullptr && options.renew == models::Renew::none &&
      !excused(*every, {"renew"}))
    every->fail("has no effect while `renew` is \"none\"");
  const auto timeout = lock.find("wait_timeout");
  if (timeout && options.wait_replicas == 0 && !options.of<RedissonOptions>().sync_replicas &&
      !excused(*timeout, {"wait_replicas", "sync_replicas"})) {
    timeout->fail(fmt::format(
        "has no effect without `{}`",
        find(words.keys, "wait_replicas") != nullptr ? "wait_replicas" : "sync_replicas = true"));
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
  check_pairs(*lock, options, words);
  if (options.ttl == Duration::zero() && !words.uses.endless)
    lock->at("ttl").fail("must be more than 0s, not \"0s\"");
  if (options.wait_replicas > scenario.servers.redis.replicas) {
    lock->at("wait_replicas")
        .fail(fmt::format(
            "must be at most {}, the number of replicas: otherwise no acquire could succeed",
            scenario.servers.redis.replicas));
  }
  if (options.check_at == models::CheckAt::replica) {
    const std::vector<Role> roles =
        models::roles_under(words.roles, words.uses, lock_options(scenario));
    if (std::find(roles.begin(), roles.end(), Role::check) == roles.end())
      lock->at("check_at")
          .fail(fmt::format("{} never checks whether it still holds the lock", words.name));
    if (scenario.servers.redis.replicas == 0)
      lock->at("check_at").fail("there is no replica; set `servers.redis.replicas`");
  }
  if (options.of<QuorumOptions>().quorum > scenario.servers.redis.masters) {
    lock->at("quorum").fail(
        fmt::format("must be at most {}, the number of servers: otherwise no acquire could succeed",
                    scenario.servers.redis.masters));
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
    if (const auto redis = servers->find("redis")) check_redis(*redis, scenario);
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
