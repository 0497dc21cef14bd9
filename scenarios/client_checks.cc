#include <fmt/format.h>

#include "keys/duration_text.h"
#include "keys/key_kinds.h"
#include "models/servers/kind.h"
#include "scenarios/checks.h"

namespace picklock::scenarios {

using keys::in_seconds;
using keys::listed;
using keys::Value;
using keys::words_of;

namespace {

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

}  // namespace

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
                          in_seconds(clients.nested_after), in_seconds(clients.hold)));
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

}  // namespace picklock::scenarios
