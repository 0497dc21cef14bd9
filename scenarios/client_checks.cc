#include "scenarios/client_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "keys/bad_input.h"
#include "keys/duration_text.h"
#include "keys/key_kinds.h"
#include "models/locks/quorum_options.h"
#include "scenarios/keys.h"
#include "scenarios/program_locks.h"
#include "scenarios/setup.h"
#include "scenarios/topology.h"

namespace picklock::scenarios {

using keys::in_seconds;
using keys::listed;
using keys::printable;
using keys::Sign;
using keys::to_text;
using keys::Value;
using keys::Words;
using keys::words_of;
using models::locks::QuorumOptions;

namespace {

constexpr std::size_t kMostLocks = 100;

// Their stacks and connections take some 500 MiB of addresses. A client of several primaries has
// connections, and requests under way, with each of them.
constexpr std::uint64_t kMostThreads = 4'000;

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

// The servers of which a client knows.
void check_knows(const Value& table, const ClientsSpec& clients, const Scenario& scenario,
                 const AlgorithmWords& words, const servers::FindProcess& find) {
  const servers::Kind& server = lock_server(scenario);
  const auto servers = table.find("servers");
  if (servers && server.primaries == nullptr)
    servers->fail(fmt::format("not applicable to {}: its clients know every server", words.name));
  if (servers && servers->elements().empty()) servers->fail("must name a server");
  for (const servers::Row& row : rows_of(scenario)) {
    const bool shards = row.kind->standing == servers::Standing::primary && !row.apart;
    if (servers && shards && row.count > 1)
      servers->fail("has no effect: the servers of a cluster are one server to a lock");
  }
  for (std::size_t i = 0; servers && i < clients.servers.size(); ++i) {
    const std::string& name = clients.servers[i];
    const Value where = servers->elements()[i];
    if (find(where, name).standing != servers::Standing::primary)
      where.fail(fmt::format("must be a primary, not {}", name));
    if (std::count(clients.servers.begin(),
                   clients.servers.begin() + static_cast<std::ptrdiff_t>(i), name) > 0)
      where.fail(fmt::format("{} is listed twice", name));
  }
  if (clients.server_order != ServerOrder::same && !clients.servers.empty() && servers)
    servers->fail("has an order of its own; leave out `clients.server_order`");
}

// Several locks, and leases of single acquires.
void check_locks(const Value& table, const Setup& setup, const Scenario& scenario,
                 const AlgorithmWords& words) {
  const ClientsSpec& clients = setup.clients;
  if (const auto keys = table.find("keys")) {
    const std::vector<Value> names = keys->elements();
    for (std::size_t i = 0; i < clients.keys.size(); ++i) {
      const auto end = clients.keys.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::find(clients.keys.begin(), end, clients.keys[i]) != end)
        names[i].fail(fmt::format("{} is listed twice", printable(clients.keys[i])));
    }
    if (names.empty()) keys->fail("must name a lock");
    if (clients.keys.size() > kMostLocks)
      names[kMostLocks].fail(
          fmt::format("is one too many: a client can hold {} locks at once", kMostLocks));
  }
  if (!clients.keys.empty() && scenario.clients.operators > 0)
    table.at("keys").fail("not applicable: an operator takes a single lock");
  const bool elsewhere = !clients.keys.empty() || setup.lock.key != scenario.lock.key;
  if (elsewhere && has_coordinator(scenario))
    table.at("keys").fail(
        fmt::format("not applicable to {}: its coordinator frees a single lock", words.name));
  const auto leases = table.find("leases");
  if (!leases) return;
  if (find(words.keys, "ttl") == nullptr || lock_server(scenario).leases_are_sessions)
    leases->fail(fmt::format("an acquire of {} has no lease of its own", words.name));
  for (const Value& one : leases->elements()) {
    if (one.duration(Sign::positive) % words.uses.lease_unit != Duration::zero())
      one.fail(fmt::format("must be a multiple of {}, the unit of a lease of {}",
                           to_text(words.uses.lease_unit), words.name));
  }
  if (words.uses.shared && clients.threads > 1)
    leases->fail(
        fmt::format("needs `threads = 1`: one object of {} serves all threads, and has one "
                    "lease at a time",
                    words.name));
}

// An operator acts for a holder, which may be a program, and the resource of programs takes no
// announcement. Otherwise such a client has one thread and one hold, as a program has.
void check_beside_programs(const Value& table, const ClientsSpec& clients) {
  const auto refuse = [&table](std::string_view key, bool given) {
    if (given) table.at(key).fail("is not for a client beside programs");
  };
  refuse("threads", clients.threads > 1);
  refuse("operators", clients.operators > 0);
  refuse("keys", !clients.keys.empty());
  refuse("effect", clients.effect != Effect::resource);
  refuse("nested", clients.nested);
  refuse("work", has_step(clients.work, WorkStep::Deed::fence));
}

// A program decides itself what a client does.
void check_program(const Value& table, const ClientsSpec& clients, const Scenario& scenario,
                   const AlgorithmWords& words) {
  constexpr std::string_view kOfPrograms[] = {
      "count", "arrive_every", "program", "folder", "until", "gc", "name", "arrives_at", "lock"};
  for (const Value& given : table.entries()) {
    const bool of_programs = std::find(std::begin(kOfPrograms), std::end(kOfPrograms),
                                       given.name()) != std::end(kOfPrograms);
    if (words.uses.outside && !of_programs)
      given.fail("has no effect: the program decides what the client does");
    const bool program =
        given.name() == "program" || given.name() == "folder" || given.name() == "until";
    const bool common = given.name() == "until" && has_programs(scenario);
    if (!words.uses.outside && program && !common)
      given.fail(fmt::format("has no effect: {} is no lock of programs, such as redis-program",
                             words.name));
  }
  if (!has_programs(scenario)) return;
  const auto lock = table.find("lock");
  const auto key = lock ? lock->find("key") : std::nullopt;
  if (key && key->text() != scenario.lock.key)
    key->fail("must be that of [lock]: programs have one lock");
  if (!words.uses.outside) check_beside_programs(table, clients);
}

void check_clients(const Value& table, const ClientsSpec& clients, const Scenario& scenario,
                   const AlgorithmWords& words) {
  const servers::Kind& server = lock_server(scenario);
  check_program(table, clients, scenario, words);
  servers::check_gc(table, clients.gc);
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
  if (clients.nested_after > clients.hold)
    table.at("nested_after")
        .fail(fmt::format("is {}, later than the end of the critical section, which is `hold`, {}",
                          in_seconds(clients.nested_after), in_seconds(clients.hold)));
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

// Refuses keys that have no effect without another, unless a change has replaced the lock for which
// they were written.
void check_lock_needs(const Value& root, const Value& lock, const models::LockOptions& options,
                      const AlgorithmWords& words) {
  const auto algorithm = lock.find("algorithm");
  const bool replaced = algorithm && algorithm->line() == 0;
  for (const Value& given : lock.entries()) {
    const auto* key = find(words.keys, given.name());
    if (key == nullptr || !key->needs || key->needs->met(options)) continue;
    if (replaced && given.line() != 0) continue;
    fail_without_effect(root, lock, given, key->needs->other, key->needs->else_what);
  }
}

void check_version(const Value& lock, const AlgorithmWords& words) {
  const auto version = lock.find("version");
  if (!version) return;
  if (words.versions.empty())
    version->fail(fmt::format("{} is known in one version only", words.name));
  keys::Words names;
  for (const VersionWords& one : words.versions) names.push_back(one.name);
  version->word(names);
}

// A key that the lock does not have would seem to have no effect.
void check_options(const Value& root, const Value& lock, const Setup& setup,
                   const Scenario& scenario, const AlgorithmWords& words) {
  const models::LockOptions& options = setup.lock.options;
  for (const Value& given : lock.entries()) {
    if (find(option_keys(), given.name()) != nullptr && find(words.keys, given.name()) == nullptr)
      given.fail(fmt::format("{} does not use this key", words.name));
  }
  check_version(lock, words);
  check_lock_needs(root, lock, lock_options(scenario, setup), words);
  if (options.ttl == Duration::zero() && !words.uses.endless)
    lock.at("ttl").fail("must be more than 0s, not \"0s\"");
  if (options.wait_replicas > replicas(scenario)) {
    lock.at("wait_replicas")
        .fail(fmt::format(
            "must be at most {}, the number of replicas: otherwise no acquire could succeed",
            replicas(scenario)));
  }
  if (options.check_at == models::CheckAt::replica) {
    const std::vector<Role> roles =
        models::roles_under(words.roles, words.uses, lock_options(scenario, setup));
    if (std::find(roles.begin(), roles.end(), Role::check) == roles.end())
      lock.at("check_at")
          .fail(fmt::format("{} never checks whether it still holds the lock", words.name));
    if (replicas(scenario) == 0)
      lock.at("check_at").fail("there is no replica; set `servers.redis.replicas`");
  }
  if (const std::uint32_t servers = servers_of(scenario, setup.clients);
      options.of<QuorumOptions>().quorum > servers) {
    lock.at("quorum").fail(fmt::format(
        "must be at most {}, the number of servers: otherwise no acquire could succeed", servers));
  }
  if (options.ttl % words.uses.lease_unit != Duration::zero()) {
    lock.at("ttl").fail(fmt::format("must be a multiple of {}, the unit of a lease of {}, not {}",
                                    to_text(words.uses.lease_unit), words.name,
                                    to_text(options.ttl)));
  }
}

// ---------------------------------------------------------------- clients that differ

// The keys of [lock] by which one client would need other servers than the rest.
void check_same_service(const Value& table, const OneClient& one, const Scenario& scenario) {
  const auto lock = table.find("lock");
  if (!lock) return;
  const servers::Kind& server = lock_server(scenario);
  const auto service = [&server](const LockSpec& spec) {
    const models::Algorithm& algorithm = *find_algorithm(spec);
    return std::pair(
        server.coordinated != nullptr && server.coordinated(algorithm, spec.options),
        algorithm.timed_by_clients != nullptr && algorithm.timed_by_clients(spec.options));
  };
  const auto common = service(scenario.lock);
  if (service(setup_of(scenario, one).lock) == common) return;
  for (const Value& given : lock->entries()) {
    OneClient with_this = one;
    with_this.lock_keys = {given.name()};
    if (service(setup_of(scenario, with_this).lock) != common)
      given.fail("must be the same for all clients: the servers' part in the lock depends on it");
  }
  lock->fail("must leave the servers the same part in the lock as [lock]");
}

void check_one(const Value& root, const Value& table, OneClient& one, const Scenario& scenario,
               const Vocabulary& vocabulary, const servers::FindProcess& find) {
  if (!table.find("name")) table.fail_missing("name", "must be given");
  const Value name = table.at("name");
  if (!find(name, one.name).takes_steps || !one.name.starts_with("client-"))
    name.fail(fmt::format("must be a client, not {}", one.name));
  for (const OneClient& other : scenario.unlike) {
    if (&other == &one) break;
    if (other.name == one.name) name.fail(fmt::format("{} is described twice", one.name));
  }
  const auto lock = table.find("lock");
  const bool has_lock = !one.lock.algorithm.empty();
  const AlgorithmWords& words =
      algorithm_in(lock.value_or(table), has_lock ? one.lock : scenario.lock, vocabulary);
  if (has_lock) {
    if (words.uses.server != lock_server(scenario).server)
      lock->at("algorithm")
          .fail(fmt::format("must be a lock on {}: all clients have the same servers",
                            lock_server(scenario).title));
    if (scenario.servers.resource.fencing == Fencing::in_script && !words.uses.mint)
      lock->at("algorithm")
          .fail("must be a lock that mints a token: `servers.resource.fencing` is \"in-script\"");
  }
  if (has_lock || !one.lock.version.empty()) {
    one.lock.algorithm = words.name;
    one.lock.preset = words.preset_of(one.lock.version);
    one.lock.own = words.own;
  }
  const Setup setup = setup_of(scenario, one);
  check_clients(table, setup.clients, scenario, words);
  check_locks(table, setup, scenario, words);
  check_knows(table, setup.clients, scenario, words, find);
  if (lock) check_options(root, *lock, setup, scenario, words);
  check_same_service(table, one, scenario);
  const bool is_operator = index_of(one) + scenario.clients.operators >= scenario.clients.count;
  if (has_lock && is_operator && !words.uses.force)
    lock->at("algorithm").fail(fmt::format("no operator can take {} from its holder", words.name));
}

// `--set clients.work` replaces these keys of the file. With their values the scenario would be
// written as a file that is refused.
void forget_replaced(ClientsSpec& clients) {
  if (clients.work.empty()) return;
  const ClientsSpec usual;
  clients.hold = usual.hold;
  clients.writes = usual.writes;
  clients.nested_after = usual.nested_after;
}

// A lock on one server is on one for each client, but they need not agree on it.
void check_count_of_servers(const Value& root, const Scenario& scenario,
                            const Vocabulary& vocabulary) {
  for (const Setup& setup : setups(scenario)) {
    const AlgorithmWords& words = *vocabulary.find(setup.lock.algorithm);
    if (words.uses.servers || servers_of(scenario, setup.clients) == 1) continue;
    if (!setup.clients.servers.empty())
      root.at("clients").at("servers").fail(
          fmt::format("must be one server: {} uses one", words.name));
    const servers::Kind& home = lock_server(scenario);
    root.at("servers")
        .at(home.server.key)
        .at(home.primaries_key)
        .fail(fmt::format("must be 1: {} uses one server", words.name));
  }
}

void check_threads(const Value& root, const Scenario& scenario) {
  std::uint64_t threads = 0;
  std::uint64_t ends = 0;
  const auto add = [&](const ClientsSpec& clients, std::uint64_t count) {
    threads += count * clients.threads;
    ends += count * clients.threads * servers_of(scenario, clients);
  };
  add(scenario.clients, scenario.clients.count - scenario.unlike.size());
  for (const OneClient& one : scenario.unlike) add(setup_of(scenario, one).clients, 1);
  if (ends <= kMostThreads) return;
  const Value clients = root.at("clients");
  const std::string what =
      threads > kMostThreads
          ? fmt::format("{} threads of clients", threads)
          : fmt::format("{} pairs of a thread and a primary that it talks to", ends);
  clients.at(clients.find("threads") ? "threads" : "count")
      .fail(fmt::format("makes {}, more than a run can have, which is {}", what, kMostThreads));
}

}  // namespace

const AlgorithmWords& algorithm_in(const Value& lock, const LockSpec& spec,
                                   const Vocabulary& vocabulary) {
  if (const AlgorithmWords* words = vocabulary.find(spec.algorithm)) return *words;
  Words names;
  for (const AlgorithmWords& words : vocabulary.algorithms) names.push_back(words.name);
  lock.at("algorithm")
      .fail(fmt::format("there is no algorithm \"{}\"", printable(spec.algorithm)), spec.algorithm,
            names, "`picklock list algorithms` lists them all");
}

void check_setups(const Value& root, Scenario& scenario, const Vocabulary& vocabulary,
                  const servers::FindProcess& find) {
  const AlgorithmWords& words = *vocabulary.find(scenario.lock.algorithm);
  const Setup common = common_setup(scenario);
  if (const auto lock = root.find("lock")) check_options(root, *lock, common, scenario, words);
  if (const auto clients = root.find("clients")) {
    check_clients(*clients, scenario.clients, scenario, words);
    check_locks(*clients, common, scenario, words);
    check_knows(*clients, scenario.clients, scenario, words, find);
  }
  if (const auto unlike = root.find("client")) {
    const std::vector<Value> tables = unlike->tables();
    for (std::size_t i = 0; i < tables.size(); ++i)
      check_one(root, tables[i], scenario.unlike[i], scenario, vocabulary, find);
  }
  for (const Setup& setup : setups(scenario)) {
    const models::Algorithm& algorithm = *find_algorithm(setup.lock);
    if (algorithm.uses.outside && setup.clients.program.empty())
      root.fail_missing("clients.program",
                        fmt::format("must be given: {} is the lock of a program", algorithm.name));
    // A grant is told from the entries of any client.
    if (has_programs(scenario) &&
        quorum_of(scenario, setup) != quorum_of(scenario, common_setup(scenario)))
      root.at("client").fail(fmt::format(
          "{} must have its lock on as many servers as the others: beside programs, all grants "
          "need the same number",
          algorithm.name));
  }
  check_count_of_servers(root, scenario, vocabulary);
  check_threads(root, scenario);
  forget_replaced(scenario.clients);
}

}  // namespace picklock::scenarios
