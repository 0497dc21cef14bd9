#include "explore/strategies/exhaustive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "explore/campaign.h"
#include "explore/moments.h"
#include "explore/search.h"
#include "explore/signature.h"
#include "scenarios/bounds.h"
#include "scenarios/promises.h"
#include "scenarios/shipped.h"
#include "testing/whole.h"

namespace picklock::explore {
namespace {

using scenarios::Scenario;
using scenarios::shipped::plain;
using strategies::Decided;
using ::testing::IsSupersetOf;

// Two clients that take the lock once: all that most violations need.
Scenario small(const std::string& lock) {
  Scenario scenario = plain(lock);
  scenario.clients.count = 2;
  scenario.clients.cycles = 1;
  return scenario;
}

SearchOptions every_plan(std::uint32_t most, FaultClasses classes = {}) {
  return {.strategy = "exhaustive",
          .faults = {.classes = classes, .most = most},
          .all_classes = classes.empty(),
          .command = "a search"};
}

std::unique_ptr<Search> made(const Scenario& scenario, const SearchOptions& options) {
  auto search = std::make_unique<Search>(scenario, options);
  while (search->run_next()) {
  }
  return search;
}

TEST(Exhaustive, TriesEveryPlanOfOneFaultAndSaysSo) {
  const auto searched = made(small("lua-check-delete"), every_plan(1));
  const Search& search = *searched;
  EXPECT_TRUE(search.clean());
  const Decided decided = *search.decided();
  EXPECT_TRUE(decided.begun);
  EXPECT_EQ(decided.most, 1u);
  EXPECT_EQ(decided.plans, search.tally().runs);
  EXPECT_EQ(decided.unjudged, 0u);
  EXPECT_GT(decided.different, 100u);
  EXPECT_LT(decided.different, decided.plans);
  EXPECT_EQ(search.tally().fired, decided.plans - 1) << "the run without faults is a plan as well";
  EXPECT_EQ(search.tally().dropped, 0u) << "each fault is placed at a step that the run reaches";
  EXPECT_THAT(decided.verbs, IsSupersetOf({"pause", "crash", "drop", "evict", "fail-over"}));
  for (std::size_t i = 0; i < kFaultClassCount; ++i)
    EXPECT_GT(search.tally().fired_of[i], 0u) << kFaultClassNames[i];
}

TEST(Exhaustive, FindsWhatNeedsNoFaultBeforeWhatNeedsOne) {
  Scenario scenario = small("lua-check-delete");
  scenario.lock.options.ttl = scenario.clients.hold / 2;
  SearchOptions options = every_plan(2);
  options.properties = {Property::mutual_exclusion};
  const auto searched = made(scenario, options);
  const Search& search = *searched;
  ASSERT_EQ(search.finds().size(), 1u);
  EXPECT_TRUE(search.finds()[0].story.faults.empty());
  EXPECT_EQ(search.tally().runs, 1u);
}

// A release that checks and then deletes is broken by a pause between the two. No plan of one fault
// remains untried, and none of two is begun.
TEST(Exhaustive, EndsWithTheFewestFaultsThatBreakAProperty) {
  SearchOptions options = every_plan(2, {FaultClass::pause});
  options.properties = {Property::own_release};
  const auto searched = made(small("set-px-check-delete"), options);
  const Search& search = *searched;
  ASSERT_FALSE(search.clean());
  EXPECT_EQ(search.decided()->most, 1u);
  EXPECT_EQ(search.tally().runs, search.decided()->plans);
  for (const Find& find : search.finds()) {
    EXPECT_EQ(find.faults, 1u);
    EXPECT_TRUE(find.minimal);
    EXPECT_THAT(find.story.expect.violated, ::testing::Contains(Property::own_release));
  }
}

// The signatures of the runs that have one of the faults each.
std::set<std::uint64_t> signatures(Scenario scenario, const std::vector<sim::Fault>& faults) {
  scenarios::World world;
  world.set(scenario);
  std::set<std::uint64_t> all;
  for (const sim::Fault& fault : faults) {
    scenario.faults = {fault};
    world.run(1);
    all.insert(signature(world));
  }
  return all;
}

void expect_same_runs_of_fewer(const char* lock, FaultClasses classes) {
  const Scenario scenario = small(lock);
  scenarios::World world;
  world.set(scenario);
  world.run(1, true);
  const Course reached = course(world, false);
  const auto faults = [&](bool alike) {
    return Vocabulary(Ways(scenario, profile(scenario, 1)), classes, alike).after(reached, {});
  };
  EXPECT_LT(faults(false).size(), faults(true).size());
  EXPECT_EQ(signatures(scenario, faults(false)), signatures(scenario, faults(true)));
}

TEST(Exhaustive, TriesOneOfTheFaultsThatDoTheSame) {
  expect_same_runs_of_fewer("lua-check-delete", {FaultClass::crash, FaultClass::failover});
  // A cut link holds up what was sent before the request was applied, or what is sent by it.
  expect_same_runs_of_fewer("naive-setnx", {FaultClass::partition});
  // Three servers answer at one instant.
  expect_same_runs_of_fewer("redlock", {FaultClass::pause});
}

// All faults that can be added to the run without any.
std::vector<sim::Fault> first_faults(const char* lock, FaultClasses classes) {
  const Scenario scenario = small(lock);
  scenarios::World world;
  world.set(scenario);
  world.run(1, true);
  return Vocabulary(Ways(scenario, profile(scenario, 1)), classes, false)
      .after(course(world, false), {});
}

// The steps like this one, counted from 1, at which a fault of the verb hits the target.
std::set<std::uint32_t> struck(const std::vector<sim::Fault>& faults, sim::Verb verb,
                               const char* target, const sim::Trigger& step) {
  std::set<std::uint32_t> all;
  for (const sim::Fault& fault : faults) {
    sim::Trigger any = fault.trigger;
    any.nth = step.nth;
    if (fault.verb == verb && fault.target == target && any == step) all.insert(fault.trigger.nth);
  }
  return all;
}

// BEGIN, SELECT and INSERT are one step. A SELECT that comes late does something else than a late
// BEGIN.
TEST(Exhaustive, PlacesAFaultAtEachCommandOfAStep) {
  const auto late = first_faults("mysql-probe-insert", {FaultClass::late_command});
  EXPECT_THAT(struck(late, sim::Verb::delay, "client-1", {.role = Role::acquire}),
              IsSupersetOf({1u, 2u, 3u}));
}

// Three servers apply the requests of client-1 at one instant.
TEST(Exhaustive, StrikesOnceAtAnInstantUnlessSomethingHappensToTheTarget) {
  const auto pauses = first_faults("redlock", {FaultClass::pause});
  const sim::Trigger applied = {
      .role = Role::acquire, .phase = sim::Phase::applied, .by = "client-1"};
  const auto of_waiter = struck(pauses, sim::Verb::pause, "client-2", applied);
  EXPECT_TRUE(of_waiter.contains(1));
  EXPECT_FALSE(of_waiter.contains(2) || of_waiter.contains(3));
  EXPECT_TRUE(struck(pauses, sim::Verb::pause, "redis-3", applied).contains(3));
  // Each request may be held up, although all of them leave at once.
  const auto late = first_faults("redlock", {FaultClass::late_command});
  EXPECT_THAT(struck(late, sim::Verb::hold, "client-1", {.role = Role::acquire}),
              IsSupersetOf({1u, 2u, 3u}));
}

// Its clients measure their time by a monotonic clock, unlike those of `setnx-timestamp`.
TEST(Exhaustive, LeavesAClockAloneThatNobodyReads) {
  const auto steps = [](const char* lock) {
    const auto faults = first_faults(lock, {FaultClass::client_clock});
    return std::count_if(faults.begin(), faults.end(), [](const sim::Fault& fault) {
      return fault.verb == sim::Verb::step_clock;
    });
  };
  EXPECT_EQ(steps("redlock"), 0);
  EXPECT_GT(steps("setnx-timestamp"), 0);
}

bool is_host(const sim::Fault& fault) { return fault.host && !fault.silent; }

// The messages that a blocked link holds are lost with the machine, and not with the process.
TEST(Exhaustive, CrashesAHostWhereSomethingIsStillToBeSent) {
  Scenario scenario = small("lua-check-delete");
  Vocabulary vocabulary(Ways(scenario, profile(scenario, 1)), {FaultClass::crash}, false);
  scenarios::World world;
  const auto hosts = [&](const sim::Plan& plan) {
    scenario.faults = plan;
    world.set(scenario);
    world.run(1, true);
    std::vector<sim::Fault> all = vocabulary.after(course(world, false), plan);
    std::erase_if(all, [](const sim::Fault& fault) { return !is_host(fault); });
    return all;
  };
  EXPECT_TRUE(hosts({}).empty());
  sim::Fault cut{
      .verb = sim::Verb::partition, .target = "client-1", .lasts = scenario.clients.hold};
  cut.trigger.role = Role::acquire;
  EXPECT_FALSE(hosts({cut}).empty());
}

TEST(Exhaustive, PlacesASecondFaultInTheRunThatTheFirstHasDisturbed) {
  Scenario once = small("lua-check-delete");
  scenarios::World world;
  world.set(once);
  world.run(1, true);
  const std::size_t undisturbed = course(world, false).moments.size();
  const Profile reached = profile(once, 1);
  Vocabulary vocabulary(Ways(once, reached), {FaultClass::crash}, false);
  for (const sim::Fault& fault : vocabulary.after(course(world, false), {})) {
    if (fault.target != "client-1" || fault.lasts) continue;
    Scenario crashed = once;
    crashed.faults = {fault};
    scenarios::World after;
    after.set(crashed);
    after.run(1, true);
    const std::vector<Moment> moments = course(after, false).moments;
    ASSERT_FALSE(moments.empty());
    EXPECT_LT(moments.size(), undisturbed);
    const sim::Trigger& first = moments.front().trigger;
    EXPECT_EQ(first.nth, fault.trigger.nth) << "they begin where the first has struck";
    EXPECT_EQ(first.role, fault.trigger.role);
    break;
  }
}

TEST(Exhaustive, SaysTheSameWithAnyNumberOfProcesses) {
  if (tests_are_short()) GTEST_SKIP() << "the strategy of chance does";
  const auto counted = [](unsigned jobs) {
    SearchOptions options = every_plan(2, {FaultClass::failover, FaultClass::lost_reply});
    options.properties = {Property::not_stuck};
    Search search(small("set-px-check-delete"), options);
    make(search, {.jobs = jobs, .runs = UINT64_MAX},
         {.found = [](const Find&) {},
          .crashed = [](const Crash&) {},
          .progress = [](const Progress&) {},
          .interrupted = [] { return false; }});
    std::vector<std::uint64_t> all = {search.tally().runs, search.tally().events,
                                      search.decided()->different, search.decided()->most};
    for (const Find& find : search.finds()) all.push_back(*find.story.expect.digest);
    return all;
  };
  EXPECT_EQ(counted(1), counted(3));
}

TEST(Exhaustive, DoesNotBeginWhatIsTooLargeAndSaysHowLargeItIs) {
  SearchOptions options = every_plan(2, {FaultClass::pause});
  options.most_plans = 10'000;
  const auto searched = made(small("lua-check-delete"), options);
  const Search& search = *searched;
  const Decided decided = *search.decided();
  EXPECT_EQ(decided.most, 1u);
  EXPECT_EQ(decided.plans, search.tally().runs);
  EXPECT_GT(decided.too_many, 10'000u);
  options.most_plans = 100;
  const auto none = made(small("lua-check-delete"), options);
  EXPECT_EQ(none->tally().runs, 1u);
  EXPECT_EQ(none->decided()->too_many, decided.plans - 1);
}

// long_exhaustive_test.cc does so for every lock and class, and for two faults.
TEST(Exhaustive, BreaksTheSamePropertiesWithThePlansThatAreAlike) {
  for (const FaultClass one : {FaultClass::failover, FaultClass::lost_reply}) {
    const auto broken = [one](bool alike) {
      SearchOptions options = every_plan(1, {one});
      for (std::size_t i = 0; i < kPropertyCount; ++i)
        options.properties.push_back(static_cast<Property>(i));
      options.alike = alike;
      options.shrinking.runs = 1;
      std::set<std::string_view> all;
      const auto searched = made(small("lua-check-delete"), options);
      for (const Find& find : searched->finds())
        all.insert(picklock::name(find.violation.property));
      return all;
    };
    EXPECT_EQ(broken(false), broken(true)) << picklock::name(one);
    EXPECT_FALSE(broken(false).empty()) << picklock::name(one);
  }
}

TEST(Signature, IsThatOfTheEventsAndNotOfTheirTimes) {
  Scenario scenario = small("lua-check-delete");
  const auto sign = [&] {
    scenarios::World world;
    world.set(scenario);
    world.run(1);
    return signature(world);
  };
  const std::uint64_t undisturbed = sign();
  scenario.clients.hold += std::chrono::milliseconds(1);
  EXPECT_EQ(sign(), undisturbed);
  scenario.clients.hold = scenario.lock.options.ttl * 2;
  EXPECT_NE(sign(), undisturbed);
}

// ---------------------------------------------------------------- orders of messages

// The check of a release answers late, the grant was late as well: together they outlast the lease.
Scenario open_order() {
  using namespace std::chrono_literals;
  Scenario scenario = small("set-px-check-delete");
  scenario.lock.options.ttl = 100ms;
  scenario.lock.options.retry_every = 5ms;
  scenario.clients.hold = 60ms;
  scenario.clients.arrive_every = 1ms;
  scenario.network.order = scenarios::Order::any;
  scenario.network.latency = {.low = 1ms, .high = 30ms};
  return scenario;
}

SearchOptions every_order(std::uint32_t most) {
  SearchOptions options = every_plan(most);
  options.all_classes = false;
  options.properties = {Property::own_release};
  return options;
}

TEST(Exhaustive, FindsTheOrderOfMessagesThatBreaksALockWithoutAnyFault) {
  EXPECT_TRUE(made(open_order(), every_order(1))->clean()) << "one late message is too few";
  const auto searched = made(open_order(), every_order(2));
  ASSERT_EQ(searched->finds().size(), 1u);
  const Scenario& story = searched->finds()[0].story;
  EXPECT_EQ(story.faults.size(), 2u);
  for (const sim::Fault& fault : story.faults) {
    EXPECT_EQ(fault.verb, sim::Verb::delay);
    EXPECT_EQ(scenarios::class_of(fault, story), std::nullopt) << "the network may do that";
  }
}

TEST(Exhaustive, TriesNoOrderWhereNoneIsOpen) {
  Scenario scenario = open_order();
  scenario.network.order = scenarios::Order::drawn;
  const auto searched = made(scenario, every_order(2));
  EXPECT_EQ(searched->decided()->plans, 1u);
  EXPECT_FALSE(searched->decided()->orders);
}

// Each of them is there, and as late as is said; the last is as late as the link allows.
TEST(Exhaustive, LetsAMessageComeJustAfterSomethingElseOrAsLateAsItMay) {
  const Scenario scenario = open_order();
  scenarios::World world;
  world.set(scenario);
  world.run(1, true);
  const std::vector<sim::Fault> late = course(world, false).late;
  EXPECT_GT(late.size(), 10u);
  std::size_t at_limit = 0;
  for (const sim::Fault& fault : late) {
    Scenario disturbed = scenario;
    disturbed.faults = {fault};
    world.set(disturbed);
    world.run(1);
    EXPECT_EQ(world.fired().size(), 1u);
    const Duration most = scenarios::order_slack(disturbed, fault);
    EXPECT_LE(*fault.lasts, most);
    if (*fault.lasts == most) ++at_limit;
  }
  EXPECT_GT(at_limit, 5u);
  EXPECT_LT(at_limit, late.size());
}

Scenario with_open_order(scenarios::Document document) {
  document.set({"network.latency", "['1ms', '30ms']"});
  document.set({"network.order", "any"});
  return document.scenario(scenarios::shipped_vocabulary());
}

TEST(Exhaustive, LetsACoordinatorBeLate) {
  Scenario scenario =
      with_open_order(scenarios::shipped::document("region-server-zombie-freed-first"));
  scenarios::World world;
  world.set(scenario);
  world.run(1, true);
  std::size_t of_coordinator = 0;
  const sim::Plan given = scenario.faults;
  for (const sim::Fault& fault : course(world, false).late) {
    if (fault.target != "coordinator") continue;
    scenario.faults = given;
    scenario.faults.push_back(fault);
    world.set(scenario);
    world.run(1);
    EXPECT_EQ(world.fired().size(), scenario.faults.size());
    if (!fault.trigger.is_message()) ++of_coordinator;
  }
  EXPECT_GT(of_coordinator, 2u);
}

TEST(Exhaustive, LetsWhatServersTellEachOtherBeLate) {
  scenarios::Document document = scenarios::shipped::document("plain/lua-check-delete");
  document.set({"servers.redis.replicas", "1"});
  document.set({"network.link", "[]"});
  const Scenario scenario = with_open_order(std::move(document));
  scenarios::World world;
  world.set(scenario);
  world.run(1, true);
  const std::uint64_t undisturbed = signature(world);
  std::set<std::uint64_t> seen;
  for (const sim::Fault& fault : course(world, false).late) {
    if (!fault.trigger.is_message()) continue;
    EXPECT_THAT(fault.target, ::testing::StartsWith("redis-1"));
    EXPECT_THAT(fault.trigger.on, ::testing::StartsWith("redis-1"));
    Scenario disturbed = scenario;
    disturbed.faults = {fault};
    world.set(disturbed);
    world.run(1, true);
    EXPECT_EQ(world.fired().size(), 1u);
    EXPECT_EQ(scenarios::class_of(fault, disturbed), std::nullopt) << "the network may do that";
    seen.insert(signature(world));
    world.set(scenario);
    world.run(1, true);
  }
  seen.erase(undisturbed);
  EXPECT_GT(seen.size(), 3u);
}

}  // namespace
}  // namespace picklock::explore
