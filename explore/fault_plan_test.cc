#include "explore/fault_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "models/redis/spec.h"
#include "models/servers/verbs.h"
#include "scenarios/fault_classes.h"
#include "scenarios/promises.h"
#include "scenarios/shipped.h"
#include "scenarios/verbs/kind.h"
#include "scenarios/writer.h"
#include "testing/same_plan.h"
#include "testing/whole.h"

namespace picklock::explore {
namespace {

using namespace std::chrono_literals;
using scenarios::Scenario;
using scenarios::shipped_vocabulary;
using sim::Fault;
using sim::Verb;
using testing::same_plan;

constexpr std::uint64_t kSeed = 7;

Scenario shipped(const std::string& name) {
  Scenario scenario = scenarios::shipped::document(name).scenario(shipped_vocabulary());
  scenario.faults.clear();
  scenario.twins.clear();
  scenario.neighbours.clear();
  return scenario;
}

FaultPlans plans_for(const Scenario& scenario) {
  return FaultPlans(scenario, profile(scenario, scenario.seed));
}

std::vector<sim::Plan> drawn(FaultPlans& plans, const FaultLimits& limits, std::uint64_t count) {
  std::vector<sim::Plan> all(count);
  for (std::uint64_t i = 0; i < count; ++i) plans.draw(kSeed, i, limits, all[i]);
  return all;
}

TEST(FaultPlans, AreTakenByTheLoaderAndComeBackTheSame) {
  std::uint64_t faults = 0;
  const std::uint64_t runs = shortened(60, 6);
  for (const std::string& name : scenarios::shipped::names()) {
    Scenario scenario = shipped(name);
    FaultPlans plans = plans_for(scenario);
    for (sim::Plan& plan : drawn(plans, {.classes = plans.possible(), .most = 3}, runs)) {
      scenario.faults = std::move(plan);
      const std::string text = file_text(scenario);
      const Scenario again = scenarios::parse(text, name, shipped_vocabulary());
      ASSERT_TRUE(same_plan(again.faults, scenario.faults)) << text;
      ASSERT_EQ(file_text(again), text);
      faults += again.faults.size();
    }
  }
  EXPECT_GT(faults, 160 * runs);
}

TEST(FaultPlans, KeepAwayFromTheResourceWhereTheyStrikeAtLocks) {
  FaultPlans plans = plans_for(shipped("plain/lua-check-delete"));
  const FaultLimits limits{.classes = plans.possible().without({FaultClass::late_write}),
                           .strikes = Strikes::at_locks};
  for (const sim::Plan& plan : drawn(plans, limits, 1000)) {
    for (const Fault& fault : plan) {
      EXPECT_NE(fault.target, "resource");
      EXPECT_EQ(std::count(fault.from.begin(), fault.from.end(), "resource"), 0);
      const bool everyone = fault.verb == Verb::partition && fault.from.empty();
      EXPECT_FALSE(everyone && fault.target.starts_with("client-"));
      const bool writes = fault.trigger.role == Role::write;
      EXPECT_FALSE(writes && verbs::kind_of(fault.verb).on_message);
    }
  }
}

// docs/facts/failures.md B-04 against B-06.
TEST(FaultPlans, PauseClientsThatHaveNotLookedAtTheirClocks) {
  FaultPlans plans = plans_for(shipped("plain/redlock"));
  const FaultLimits limits{.classes = {FaultClass::pause}, .strikes = Strikes::while_asking};
  std::set<std::string> marks;
  for (const sim::Plan& plan : drawn(plans, limits, 1000)) {
    for (const Fault& fault : plan) {
      EXPECT_EQ(fault.verb, Verb::pause);
      EXPECT_TRUE(fault.target.starts_with("client-"));
      EXPECT_TRUE(fault.trigger.by.empty() || fault.trigger.by == fault.target);
      marks.insert(fault.trigger.mark);
      const bool acquires = fault.trigger.role == Role::acquire;
      const bool before_mark =
          !fault.trigger.mark.empty() && fault.trigger.side == sim::Side::before;
      EXPECT_TRUE(before_mark || (fault.trigger.mark.empty() && acquires));
    }
  }
  EXPECT_EQ(marks, (std::set<std::string>{"", "answers-counted", "elapsed-checked"}));
}

TEST(FaultPlans, StepClocksAndLeaveTheirRatesAlone) {
  FaultPlans plans = plans_for(shipped("plain/redlock"));
  const FaultLimits limits{.classes = {FaultClass::client_clock}, .strikes = Strikes::by_steps};
  for (const sim::Plan& plan : drawn(plans, limits, 300)) {
    for (const Fault& fault : plan) EXPECT_EQ(fault.verb, Verb::step_clock);
  }
}

TEST(FaultPlans, TellDeathsOfProcessesFromThoseOfThreads) {
  FaultPlans plans = plans_for(shipped("plain/redisson-lock"));
  FaultLimits limits{.classes = {FaultClass::crash}, .strikes = Strikes::at_processes};
  for (const sim::Plan& plan : drawn(plans, limits, 300)) {
    for (const Fault& fault : plan) {
      EXPECT_TRUE(fault.verb == Verb::crash || fault.verb == Verb::restart);
      EXPECT_TRUE(fault.target.starts_with("client-"));
    }
  }
  limits.strikes = Strikes::at_threads;
  for (const sim::Plan& plan : drawn(plans, limits, 300)) {
    for (const Fault& fault : plan) EXPECT_EQ(fault.verb, Verb::end_thread);
  }
}

// docs/facts/failures.md B-05: a server that has forgotten must stay away for a lease.
TEST(FaultPlans, KeepServersAwayForALeaseAndMore) {
  const Scenario scenario = shipped("plain/redlock");
  FaultPlans plans = plans_for(scenario);
  const FaultLimits limits{.classes = {FaultClass::amnesia}, .strikes = Strikes::by_outages};
  for (const sim::Plan& plan : drawn(plans, limits, 300)) {
    for (const Fault& fault : plan) {
      EXPECT_TRUE(fault.target.starts_with("redis-"));
      ASSERT_TRUE(fault.lasts.has_value());
      EXPECT_GE(*fault.lasts, scenario.lock.options.ttl);
    }
  }
}

// By class, what is drawn and whom it strikes, or why nothing is.
std::string drawn_by_class(const Scenario& scenario) {
  FaultPlans plans = plans_for(scenario);
  std::string table;
  for (const scenarios::FaultClassRow& row : scenarios::fault_classes()) {
    table += picklock::name(row.fault_class);
    if (!plans.possible().has(row.fault_class)) {
      table += ": " + plans.why_impossible(row.fault_class) + "\n";
      continue;
    }
    std::set<Verb> verbs;
    std::set<std::string> targets;
    for (const sim::Plan& plan : drawn(plans, {.classes = {row.fault_class}, .most = 3}, 2000)) {
      for (const Fault& fault : plan) {
        EXPECT_EQ(scenarios::class_of(fault, scenario), row.fault_class) << verbs::name(fault.verb);
        verbs.insert(fault.verb);
        targets.insert(fault.target);
      }
    }
    for (const Verb verb : verbs) table += " " + std::string(verbs::name(verb));
    table += ";";
    for (const std::string& target : targets) table += " " + target;
    table += "\n";
  }
  return table;
}

TEST(FaultPlans, DrawEveryVerbOfEveryClassThatCanActAndNothingElse) {
  EXPECT_EQ(drawn_by_class(shipped("plain/set-px-check-delete")),
            R"(pause pause slow; client-1 client-2 client-3 redis-1 redis-1-replica-1 resource
late-write hold delay; client-1 client-2 client-3 resource
late-command hold delay; client-1 client-2 client-3 redis-1
client-clock step-clock set-clock-rate; client-1 client-2 client-3
server-clock step-clock set-clock-rate; redis-1 redis-1-replica-1
failover fail-over; redis-1
amnesia crash restart evict; redis-1 redis-1-replica-1
partition partition heal; client-1 client-2 client-3 redis-1 redis-1-replica-1 resource
lost-reply drop duplicate; client-1 client-2 client-3 redis-1 resource
crash crash restart end-thread interrupt; client-1 client-2 client-3 redis-1 redis-1-replica-1 resource
)");
}

TEST(FaultPlans, StrikeTheLeaseStoreAndTheSessionsThatItKeeps) {
  EXPECT_EQ(drawn_by_class(shipped("plain/lease-store-lock")),
            R"(pause pause slow; client-1 client-2 client-3 resource store
late-write hold delay; client-1 client-2 client-3 resource
late-command hold delay; client-1 client-2 client-3 store
client-clock step-clock set-clock-rate; client-1 client-2 client-3
server-clock set-clock-rate; store
failover: a lease store is one server to its clients, and never loses what it has acknowledged
amnesia: a lease store is one server to its clients, and never loses what it has acknowledged
partition partition heal; client-1 client-2 client-3 resource store
lost-reply drop duplicate; client-1 client-2 client-3 resource store
crash crash restart end-thread kill-session interrupt; client-1 client-2 client-3 resource store
)");
}

Scenario with_replicas(std::uint32_t sentinels) {
  Scenario scenario = shipped("plain/set-px-check-delete");
  scenario.servers.of<redis::Spec>().replicas = 2;
  scenario.servers.of<redis::Spec>().sentinels = sentinels;
  return scenario;
}

TEST(FaultPlans, PromoteAnyReplicaWhereThereAreSeveral) {
  FaultPlans plans = plans_for(with_replicas(0));
  std::set<std::string> promoted;
  for (const sim::Plan& plan : drawn(plans, {.classes = {FaultClass::failover}, .most = 1}, 200))
    promoted.insert(plan.at(0).to);
  EXPECT_EQ(promoted, (std::set<std::string>{"", "redis-1-replica-1", "redis-1-replica-2"}));
}

TEST(FaultPlans, FailOverAPrimaryOnceAtMost) {
  FaultPlans plans = plans_for(with_replicas(0));
  ASSERT_TRUE(plans.possible().has(FaultClass::failover));
  std::size_t alone = 0;
  for (const sim::Plan& plan : drawn(plans, {.classes = {FaultClass::failover}, .most = 3}, 500)) {
    ASSERT_EQ(plan.size(), 1u);
    EXPECT_EQ(plan[0].verb, models::kFailOver);
    EXPECT_EQ(plan[0].target, "redis-1");
    ++alone;
  }
  EXPECT_EQ(alone, 500u);
  std::size_t among_others = 0;
  for (const sim::Plan& plan : drawn(plans, {.classes = plans.possible(), .most = 5}, 2000)) {
    const auto failovers = std::count_if(plan.begin(), plan.end(), [](const Fault& fault) {
      return fault.verb == models::kFailOver;
    });
    ASSERT_LE(failovers, 1);
    among_others += failovers > 0 && plan.size() > 1 ? 1u : 0u;
  }
  EXPECT_GT(among_others, 0u);
}

TEST(FaultPlans, FailOverEachOfSeveralPrimaries) {
  Scenario scenario = with_replicas(0);
  scenario.servers.of<redis::Spec>().masters = 2;
  FaultPlans plans = plans_for(scenario);
  std::set<std::string> together;
  for (const sim::Plan& plan : drawn(plans, {.classes = {FaultClass::failover}, .most = 3}, 500)) {
    std::set<std::string> targets;
    for (const Fault& fault : plan) targets.insert(fault.target);
    ASSERT_EQ(targets.size(), plan.size());
    if (plan.size() > 1) together.insert(targets.begin(), targets.end());
  }
  EXPECT_EQ(together, (std::set<std::string>{"redis-1", "redis-2"}));
}

TEST(FaultPlans, LeaveTheDecisionToSentinels) {
  const FaultPlans plans = plans_for(with_replicas(1));
  EXPECT_FALSE(plans.possible().has(FaultClass::failover));
  EXPECT_EQ(plans.why_impossible(FaultClass::failover),
            "Sentinels alone decide; they do when a primary crashes, stands still or is cut off");
}

TEST(FaultPlans, StrikeReplicasAndSentinelsWhereThereAreSome) {
  const auto struck = [](std::uint32_t sentinels, FaultClass one) {
    FaultPlans plans = plans_for(with_replicas(sentinels));
    std::set<std::string> others;
    for (const sim::Plan& plan : drawn(plans, {.classes = {one}, .most = 3}, 2000)) {
      for (const Fault& fault : plan) {
        if (fault.target.starts_with("redis-1-")) others.insert(fault.target);
      }
    }
    return others;
  };
  const std::set<std::string> replicas = {"redis-1-replica-1", "redis-1-replica-2"};
  std::set<std::string> both = replicas;
  both.insert("redis-1-sentinel-1");
  for (const FaultClass one :
       {FaultClass::pause, FaultClass::server_clock, FaultClass::partition, FaultClass::crash}) {
    EXPECT_EQ(struck(0, one), replicas) << picklock::name(one);
    EXPECT_EQ(struck(1, one), both) << picklock::name(one);
  }
  EXPECT_EQ(struck(1, FaultClass::amnesia), replicas);
}

// The file that a find is written to must load: it names processes that are there.
TEST(FaultPlans, AreTakenByTheLoaderWhereThereAreReplicas) {
  for (const std::uint32_t sentinels : {0u, 3u}) {
    Scenario scenario = with_replicas(sentinels);
    FaultPlans plans = plans_for(scenario);
    for (sim::Plan& plan : drawn(plans, {.classes = plans.possible(), .most = 3}, 300)) {
      scenario.faults = std::move(plan);
      const std::string text = file_text(scenario);
      const Scenario again = scenarios::parse(text, "x", shipped_vocabulary());
      ASSERT_TRUE(same_plan(again.faults, scenario.faults)) << text;
    }
  }
}

// Else it would begin with data that it cannot have.
TEST(FaultPlans, LetAServerKeepItsDataOnlyWhereItHasADisk) {
  const auto keeps_something = [](const std::vector<std::string>& config) {
    Scenario scenario = with_replicas(0);
    scenario.servers.of<redis::Spec>().config = config;
    FaultPlans plans = plans_for(scenario);
    const FaultClasses deaths = {FaultClass::crash, FaultClass::amnesia};
    bool keeps = false;
    for (const sim::Plan& plan : drawn(plans, {.classes = deaths, .most = 3}, 2000)) {
      for (const Fault& fault : plan)
        keeps = keeps || (fault.target.starts_with("redis-") && fault.keeps != sim::Keeps::none);
    }
    return keeps;
  };
  EXPECT_FALSE(keeps_something({}));
  EXPECT_TRUE(keeps_something({"appendonly yes"}));
}

TEST(FaultPlans, FindNoLateWriteWhereNobodyWrites) {
  Scenario scenario = shipped("plain/lua-check-delete");
  scenario.clients.writes = 0;
  const FaultPlans plans = plans_for(scenario);
  EXPECT_FALSE(plans.possible().has(FaultClass::late_write));
  EXPECT_TRUE(plans.possible().has(FaultClass::late_command));
  EXPECT_EQ(plans.why_impossible(FaultClass::late_write),
            "no client of this scenario sends such a message");
}

TEST(FaultPlans, DependOnSeedAndNumberAlone) {
  const Scenario scenario = shipped("plain/lua-check-delete");
  FaultPlans forwards = plans_for(scenario);
  FaultPlans backwards = plans_for(scenario);
  const FaultLimits limits{.classes = forwards.possible(), .most = 3};
  const std::vector<sim::Plan> all = drawn(forwards, limits, 500);
  sim::Plan plan;
  for (std::uint64_t i = 500; i-- > 0;) {
    backwards.draw(kSeed, i, limits, plan);
    ASSERT_TRUE(same_plan(plan, all[i])) << i;
  }
  std::uint64_t different = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    backwards.draw(kSeed + 1, i, limits, plan);
    if (!same_plan(plan, all[i])) ++different;
  }
  EXPECT_GT(different, 490u);
}

TEST(FaultPlans, HaveAsManyFaultsAsAreAllowed) {
  const Scenario scenario = shipped("plain/lua-check-delete");
  FaultPlans plans = plans_for(scenario);
  const auto sizes = [&](const FaultLimits& limits) {
    std::set<std::size_t> all;
    for (const sim::Plan& plan : drawn(plans, limits, 200)) all.insert(plan.size());
    return all;
  };
  const FaultClasses pause = {FaultClass::pause};
  EXPECT_EQ(sizes({.classes = pause, .most = 3}), (std::set<std::size_t>{1, 2, 3}));
  EXPECT_EQ(sizes({.classes = pause, .most = 1}), (std::set<std::size_t>{1}));
  EXPECT_EQ(sizes({.classes = pause, .none = true, .most = 2}), (std::set<std::size_t>{0, 1, 2}));
  EXPECT_EQ(sizes({.classes = {}, .none = true, .most = 3}), (std::set<std::size_t>{0}));
}

// The kinds of triggers that were drawn, one word each.
std::set<std::string> triggers(FaultPlans& plans, FaultClasses classes) {
  std::set<std::string> seen;
  for (const sim::Plan& plan : drawn(plans, {.classes = classes, .most = 1}, 4000)) {
    const sim::Trigger& trigger = plan.at(0).trigger;
    if (trigger.at) {
      seen.insert("at");
      continue;
    }
    seen.insert(trigger.side == sim::Side::before ? "before" : "after");
    if (trigger.mark.empty()) seen.insert(std::string(name(trigger.phase)));
    for (const std::string* word : {&trigger.mark, &trigger.by, &trigger.on, &trigger.command}) {
      if (!word->empty()) seen.insert(*word);
    }
    if (trigger.nth > 1) seen.insert("nth");
  }
  return seen;
}

TEST(FaultPlans, NameEveryKindOfTrigger) {
  const Scenario scenario = shipped("plain/lua-check-delete");
  Profile profile{.processes = {"client-1", "client-2", "client-3", "redis-1", "resource"},
                  .roles = {},
                  .marks = {{0, "elapsed-checked", 2}},
                  .length = 20s};
  const auto acquire = Role::acquire;
  profile.roles = {{0, 3, acquire, {3, 3, 2}, {{"SETNX", 2}, {"EXPIRE", 1}}},
                   {0, 4, acquire, {1, 1, 1}, {{"WRITE", 1}}},
                   {1, 3, acquire, {1, 0, 0}, {{"SETNX", 1}}}};
  FaultPlans plans(scenario, profile);
  const auto has = [](const std::set<std::string>& all, const std::string& word) {
    return all.find(word) != all.end();
  };
  const std::set<std::string> seen = triggers(plans, {FaultClass::pause});
  for (const char* word :
       {"at", "before", "after", "sent", "applied", "replied", "nth", "elapsed-checked", "client-1",
        "client-2", "redis-1", "resource", "SETNX", "EXPIRE"}) {
    EXPECT_TRUE(has(seen, word)) << word;
  }
  EXPECT_FALSE(has(seen, "client-3")) << "a client that reaches no step";

  const std::set<std::string> on_messages = triggers(plans, {FaultClass::late_command});
  for (const char* word : {"at", "after", "replied", "elapsed-checked"})
    EXPECT_FALSE(has(on_messages, word)) << word;
  for (const char* word : {"before", "sent", "applied", "client-1"})
    EXPECT_TRUE(has(on_messages, word)) << word;
}

TEST(FaultPlans, TakeLengthsFromBothSidesOfTheLease) {
  const Scenario scenario = shipped("plain/lua-check-delete");
  FaultPlans plans = plans_for(scenario);
  int under = 0;
  int over = 0;
  int beyond = 0;
  int brief = 0;
  for (const sim::Plan& plan : drawn(plans, {.classes = {FaultClass::pause}, .most = 1}, 1000)) {
    if (plan[0].verb != Verb::pause) continue;
    const Duration length = plan[0].lasts.value();
    under += length > 9s && length < 10s ? 1 : 0;
    over += length > 10s && length < 11s ? 1 : 0;
    beyond += length > 12s ? 1 : 0;
    brief += length < 200ms ? 1 : 0;
  }
  for (const int count : {under, over, beyond, brief}) EXPECT_GT(count, 20);
}

// A lock in a session of MySQL breaks if its client stands still for longer than the session may be
// idle: A-25.
TEST(FaultPlans, TakeLengthsOfASessionThatIdlesTooLong) {
  const auto idles = [](const char* name) {
    const Scenario scenario = shipped(name);
    FaultPlans plans = plans_for(scenario);
    int count = 0;
    for (const sim::Plan& plan : drawn(plans, {.classes = {FaultClass::pause}, .most = 1}, 3000)) {
      const Duration length = plan[0].lasts.value_or(Duration{});
      count += length > 8h && length < 9h ? 1 : 0;
    }
    return count;
  };
  EXPECT_GT(idles("plain/mysql-row-lock"), 20);
  EXPECT_GT(idles("plain/mysql-get-lock"), 20);
  EXPECT_EQ(idles("plain/mysql-insert-lock"), 0) << "its lease is all that it has";
  EXPECT_EQ(idles("plain/lua-check-delete"), 0);
}

TEST(FaultPlans, StayWithinWhatAFileCanSayHoweverLongTheLease) {
  Scenario scenario = shipped("plain/lua-check-delete");
  scenario.lock.options.ttl = 876'000h;
  scenario.clients.write_timeout = 876'000h;
  scenario.clients.hold = Duration(1);
  scenario.clients.count = 1;
  FaultPlans plans = plans_for(scenario);
  for (sim::Plan& plan : drawn(plans, {.classes = plans.possible(), .most = 3}, 1000)) {
    scenario.faults = std::move(plan);
    const std::string text = file_text(scenario);
    ASSERT_TRUE(
        same_plan(scenarios::parse(text, "long", shipped_vocabulary()).faults, scenario.faults));
  }
}

}  // namespace
}  // namespace picklock::explore
