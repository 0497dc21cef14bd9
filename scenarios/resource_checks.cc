#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "models/servers/kind.h"
#include "scenarios/checks.h"
#include "scenarios/program_locks.h"
#include "scenarios/setup.h"

namespace picklock::scenarios {

using keys::Value;

namespace {

std::vector<std::string> coordinated_servers() {
  std::vector<std::string> all;
  for (const servers::Kind* kind : servers::kinds()) {
    if (kind->coordinated != nullptr)
      all.push_back(fmt::format("{} with `{}`", kind->title, kind->coordinated_by));
  }
  return all;
}

// At the first step that would announce a token.
[[noreturn]] void refuse_announcements(const Value& root, const Scenario& scenario) {
  const auto refuse_in = [](const Value& clients, const std::vector<WorkStep>& work) {
    for (std::size_t i = 0; i < work.size(); ++i) {
      if (work[i].deed == WorkStep::Deed::fence)
        clients.at("work").tables()[i].at("do").fail(
            "there is no token to announce unless `servers.resource.fencing` gives one");
    }
  };
  refuse_in(root.at("clients"), scenario.clients.work);
  for (std::size_t i = 0; i < scenario.unlike.size(); ++i)
    refuse_in(root.at("client").tables()[i], scenario.unlike[i].clients.work);
  root.at("clients").fail("no step of `work` can announce a token");
}

// Refuses keys of a replicated resource where it is one process, and the other way round.
void check_nodes(const std::optional<Value>& table, const Scenario& scenario) {
  const ResourceSpec& resource = scenario.servers.resource;
  if (!table) return;
  const auto nodes = table->find("nodes");
  const auto check = [&](std::string_view key, const char* why) {
    const auto given = table->find(key);
    if (given && !(nodes && nodes->line() == 0 && given->line() != 0)) given->fail(why);
  };
  if (resource.nodes == 1) {
    for (const std::string_view key : {"recover_by", "force_promises", "restarted_log"})
      check(key, "has no effect unless `nodes` is more than 1");
    return;
  }
  for (const std::string_view key : {"checks", "equal_token"})
    check(key, "has no effect on a replicated resource, whose nodes promise epochs");
  if (lock_keys(scenario).size() > 1)
    nodes->fail(
        "must be 1: a replicated resource is guarded by one lock, and clients have several");
  const bool numbered = resource.fencing == Fencing::after ||
                        resource.fencing == Fencing::in_script ||
                        resource.fencing == Fencing::ideal;
  if (!numbered)
    nodes->fail("needs epochs: `fencing` must be \"after\", \"in-script\" or \"ideal\"");
}

// The table [servers.resource] is checked in combination with the steps of `clients.work`.
void check_tokens(const Value& root, const Scenario& scenario) {
  const ResourceSpec& resource = scenario.servers.resource;
  const std::vector<Setup> all = setups(scenario);
  const bool announces = std::any_of(all.begin(), all.end(), [](const Setup& setup) {
    return has_step(setup.clients.work, WorkStep::Deed::fence);
  });
  const auto servers = root.find("servers");
  const auto table = servers ? servers->find("resource") : std::nullopt;
  const auto fencing = table ? table->find("fencing") : std::nullopt;
  const bool replaced = fencing && fencing->line() == 0;
  check_nodes(table, scenario);
  if (!has_tokens(resource)) {
    for (const std::string_view key : {"checks", "equal_token"}) {
      const auto given = table ? table->find(key) : std::nullopt;
      if (given && !(replaced && given->line() != 0))
        given->fail("has no effect: requests have no token unless `fencing` gives them one");
    }
    if (announces && !replaced) refuse_announcements(root, scenario);
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

// Programs show tokens of their own, and know no other resource than one of named values.
void check_for_programs(const Value& root, const ResourceSpec& resource) {
  const auto servers = root.find("servers");
  const auto table = servers ? servers->find("resource") : std::nullopt;
  if (!table) return;
  if (resource.fencing != Fencing::none && resource.fencing != Fencing::after)
    table->at("fencing").fail(
        "must be \"none\" or \"after\": programs show tokens of their own, or none");
  if (resource.nodes > 1) table->at("nodes").fail("must be 1: programs know one resource");
  if (resource.checks == models::Checks::announced)
    table->at("checks").fail("must not be \"announced\": no program can announce a token");
}

}  // namespace

void check_fencing(const Value& root, const Scenario& scenario, const AlgorithmWords& words) {
  if (has_programs(scenario)) check_for_programs(root, scenario.servers.resource);
  const std::vector<Setup> clients = setups(scenario);
  const bool all_are_programs = std::all_of(clients.begin(), clients.end(), [](const Setup& setup) {
    return find_algorithm(setup.lock)->uses.outside;
  });
  if (all_are_programs) return;
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

}  // namespace picklock::scenarios
