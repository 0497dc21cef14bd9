#include "serve/account.h"

#include <map>
#include <set>
#include <utility>

#include "outside/account.h"
#include "properties/judge.h"
#include "scenarios/setup.h"
#include "scenarios/topology.h"

namespace picklock::serve {
namespace {

using history::What;
using scenarios::Run;
using sim::ProcessId;
using sim::TraceKind;
using sim::TraceRecord;

class Accountant {
 public:
  explicit Accountant(Deployment& deployment)
      : deployment_(deployment),
        trace_(deployment.simulation().scheduler.record().tracer().trace()) {
    number_clients();
    number_receivers();
    number_processes();
  }

  Account account() {
    account_.outcome.run.keys = deployment_.keys().names();
    cast_.keys = account_.outcome.run.keys;
    cast_.takes = deployment_.takes();
    cast_.named = deployment_.named_locks();
    outside::Account told =
        outside::account_of(deployment_.simulation().recorder.history(), trace_, cast_);
    account_.outcome.run.history = std::move(told.history);
    account_.outcome.run.trace = std::move(told.trace);
    finish();
    judge();
    list_held(told.left);
    list_wakeups(told.releases);
    for (const outside::LateRenewal& one : told.late_renewals) {
      account_.late_renewals.push_back({.key = account_.outcome.run.keys[one.key],
                                        .client = names_[one.client],
                                        .at = one.at,
                                        .released = one.released});
    }
    for (const history::KeyId key : told.other_keys)
      account_.other_keys.push_back(account_.outcome.run.keys[key]);
    return std::move(account_);
  }

 private:
  // ---------------------------------------------------------------- the clients

  void number_clients() {
    const std::vector<Caller>& callers = deployment_.callers();
    std::map<std::string, std::uint32_t, std::less<>> by_name;
    std::map<std::uint32_t, std::uint32_t> by_connection;
    cast_.client_of.assign(callers.size(), outside::kNobody);
    names_.assign(1, std::string(kClients));
    there_.assign(1, true);
    // A connection that gives itself a name has been that client from its beginning.
    std::map<std::uint32_t, std::string> named;
    for (const Caller& caller : callers) {
      if (!caller.name.empty()) named.emplace(caller.connection, caller.name);
    }
    std::set<sim::Tag> spoke;
    for (const TraceRecord& record : trace_.records) {
      if (record.kind == TraceKind::sent && !record.reply && record.process == 0)
        spoke.insert(record.tag);
    }
    for (sim::Tag tag = 1; tag < callers.size(); ++tag) {
      if (!spoke.contains(tag)) continue;
      Caller caller = callers[tag];
      if (const auto name = named.find(caller.connection);
          caller.name.empty() && name != named.end())
        caller.name = name->second;
      std::uint32_t& client =
          caller.name.empty() ? by_connection[caller.connection] : by_name[caller.name];
      if (client == 0) {
        client = static_cast<std::uint32_t>(names_.size());
        names_.push_back(name_of(caller));
        there_.push_back(false);
      }
      cast_.client_of[tag] = client;
      there_[client] = there_[client] || caller.there;
    }
  }

  void number_receivers() {
    for (const auto& [message, caller] : deployment_.receivers())
      cast_.receiver_of[message] = cast_.client(caller);
  }

  // No client has the name of a server.
  std::string name_of(const Caller& caller) const {
    if (caller.name.empty()) return "connection-" + std::to_string(caller.connection);
    bool taken = caller.name == kClients;
    for (std::size_t i = 0; i < deployment_.size(); ++i)
      taken = taken || caller.name == deployment_.served(i).name;
    return taken ? "client-" + caller.name : caller.name;
  }

  void number_processes() {
    Run& run = account_.outcome.run;
    run.outside = static_cast<std::uint32_t>(names_.size());
    run.processes = names_;
    // Behind the process that stands for all clients.
    for (std::size_t i = 0; i + 1 < deployment_.size(); ++i)
      run.processes.push_back(deployment_.served(i).name);
    first_resource_ = static_cast<ProcessId>(run.processes.size());
    const std::vector<std::string>& things = deployment_.resource().names();
    if (things.empty()) run.processes.emplace_back("resource");
    for (const std::string& thing : things) run.processes.push_back("resource-" + thing);
    cast_.number_of.assign(1, 0);
    for (ProcessId i = run.outside; i <= first_resource_; ++i) cast_.number_of.push_back(i);
    const scenarios::Scenario& scenario = deployment_.scenario();
    cast_.quorum = scenarios::quorum_of(scenario, scenario.clients, scenario.lock);
    cast_.group_of.assign(1, scenarios::primaries(scenario));
    for (std::size_t i = 0; i + 1 < deployment_.size(); ++i)
      cast_.group_of.push_back(scenarios::group_of(scenario, deployment_.served(i)));
    cast_.first_server = 1;
    cast_.clients = run.outside;
    cast_.resource = static_cast<ProcessId>(deployment_.size());
    cast_.things = things;
    cast_.second_thing = first_resource_ + 1;
  }

  void finish() {
    Run& run = account_.outcome.run;
    const sim::Instant now = deployment_.simulation().now();
    run.trace.records.push_back({.at = now,
                                 .kind = TraceKind::recorded,
                                 .message = static_cast<std::uint32_t>(run.history.size())});
    run.history.push_back({.at = now, .what = What::horizon});
    run.ended = now;
    run.seed = deployment_.seed();
    run.scenario = deployment_.scenario();
    scenarios::Scenario& scenario = run.scenario;
    scenario.clients.count = run.outside;
    scenario.clients.keys = run.keys;
    scenario.servers.resource.nodes =
        static_cast<std::uint32_t>(run.processes.size()) - first_resource_;
    scenario.faults = deployment_.faults_told();
    for (const auto& firing : deployment_.simulation().nemesis.fired())
      run.fired.push_back({firing.fault, firing.at, firing.in_vain, firing.healed});
    account_.idle = names_.size() == 1 && run.fired.empty() && deployment_.knows_the_beginning();
  }

  void judge() {
    Run& run = account_.outcome.run;
    const scenarios::Scenario& scenario = deployment_.scenario();
    properties::Context context{.quorum = cast_.quorum,
                                .servers = scenarios::primaries(scenario),
                                .first_server = run.outside,
                                .group_of = {}};
    // The parts of the resource, which follow, are each alone.
    context.group_of.assign(run.outside, scenarios::primaries(scenario));
    context.group_of.insert(context.group_of.end(), cast_.group_of.begin() + 1,
                            cast_.group_of.end());
    properties::Judge judge;
    const properties::Verdicts& verdicts = judge.judge(run.history, context);
    for (std::size_t i = 0; i < properties::kPropertyCount; ++i) {
      run.verdicts[i].property = static_cast<Property>(i);
      run.verdicts[i].outcome = properties::Outcome::unknown;
    }
    for (const Property property : kJudged) {
      const auto index = static_cast<std::size_t>(property);
      run.verdicts[index] = verdicts[index];
      // An event that is forgotten may have violated it.
      if (!deployment_.knows_the_beginning() &&
          verdicts[index].outcome == properties::Outcome::holds)
        run.verdicts[index].outcome = properties::Outcome::unknown;
    }
  }

  void list_held(const std::vector<outside::Left>& left) {
    const Run& run = account_.outcome.run;
    for (const outside::Left& one : left) {
      account_.held.push_back({.key = run.keys[one.key],
                               .server = run.processes[one.server],
                               .client = names_[one.client],
                               .there = there_[one.client],
                               .until = one.until});
    }
  }

  void list_wakeups(const std::vector<outside::Release>& releases) {
    const Run& run = account_.outcome.run;
    for (const outside::Release& one : releases) {
      if (one.woken.size() < 2 && one.lost == 0) continue;
      account_.wakeups.push_back({.key = run.keys[one.key],
                                  .server = run.processes[one.server],
                                  .client = names_[one.client],
                                  .at = one.at,
                                  .woken = {},
                                  .lost = one.lost});
      for (const ProcessId client : one.woken)
        account_.wakeups.back().woken.push_back(names_[client]);
    }
  }

  Deployment& deployment_;
  const sim::Trace& trace_;
  Account account_;

  std::vector<std::string> names_;  // of the clients; the first stands for all
  std::vector<bool> there_;         // whether they are connected
  outside::Cast cast_;
  ProcessId first_resource_ = 0;  // in the account
};

}  // namespace

Account account_of(Deployment& deployment) { return Accountant(deployment).account(); }

}  // namespace picklock::serve
