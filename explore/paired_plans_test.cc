#include "explore/paired_plans.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/promises.h"
#include "scenarios/shipped.h"
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

constexpr std::uint64_t kPairedSeed = 7;

Scenario compared(const std::string& algorithm) {
  Scenario scenario =
      scenarios::shipped::document("plain/" + algorithm).scenario(shipped_vocabulary());
  if (models::takes(*scenarios::find_algorithm(scenario), "ttl")) scenario.lock.options.ttl = 9s;
  scenario.clients.count = 3;
  scenario.clients.cycles = 2;
  scenario.clients.hold = 4s;
  scenario.clients.arrive_every = 1s;
  scenario.clients.think = 1s;
  scenario.control = false;
  return scenario;
}

std::vector<std::string> every_lock() {
  std::vector<std::string> all;
  constexpr std::string_view kPlain = "plain/";
  for (const std::string& name : scenarios::shipped::names()) {
    if (name.starts_with(kPlain)) all.push_back(name.substr(kPlain.size()));
  }
  return all;
}

std::vector<Scenario> compared(const std::vector<std::string>& algorithms) {
  std::vector<Scenario> all;
  for (const std::string& algorithm : algorithms) all.push_back(compared(algorithm));
  return all;
}

PairedPlans paired(const std::vector<Scenario>& locks) { return {locks, profiles(locks, 1)}; }

TEST(PairedPlans, AreTakenByTheLoaderForEveryLock) {
  const std::vector<std::string> names = every_lock();
  std::vector<Scenario> locks = compared(names);
  PairedPlans plans = paired(locks);
  std::uint64_t faults = 0;
  const std::uint64_t runs = shortened(200, 20);
  for (std::size_t lock = 0; lock < locks.size(); ++lock) {
    Scenario& scenario = locks[lock];
    for (std::uint64_t run = 0; run < runs; ++run) {
      plans.draw(kPairedSeed, run, {.classes = FaultClasses::all(), .most = 3}, lock,
                 scenario.faults);
      faults += scenario.faults.size();
      const std::string text = file_text(scenario);
      ASSERT_TRUE(same_plan(scenarios::parse(text, names[lock], shipped_vocabulary()).faults,
                            scenario.faults))
          << text;
    }
  }
  EXPECT_GT(faults, locks.size() * runs / 2);
}

TEST(PairedPlans, AreTheSameForLocksWithTheSameSteps) {
  PairedPlans plans = paired(compared({"set-px-blind-delete", "redlock", "lua-check-delete"}));
  for (std::uint64_t run = 0; run < 500; ++run) {
    sim::Plan blind;
    sim::Plan lua;
    plans.draw(kPairedSeed, run, {.classes = FaultClasses::all(), .most = 3}, 0, blind);
    plans.draw(kPairedSeed, run, {.classes = FaultClasses::all(), .most = 3}, 2, lua);
    ASSERT_TRUE(same_plan(blind, lua)) << run;
  }
}

TEST(PairedPlans, DoNotDependOnTheOrderOfTheLocks) {
  PairedPlans plans = paired(compared({"redlock", "zk-sequential", "mysql-row-lock"}));
  PairedPlans turned = paired(compared({"mysql-row-lock", "zk-sequential", "redlock"}));
  for (std::uint64_t run = 0; run < 500; ++run) {
    for (std::size_t lock = 0; lock < 3; ++lock) {
      sim::Plan one;
      sim::Plan other;
      plans.draw(kPairedSeed, run, {.classes = FaultClasses::all(), .most = 3}, lock, one);
      turned.draw(kPairedSeed, run, {.classes = FaultClasses::all(), .most = 3}, 2 - lock, other);
      ASSERT_TRUE(same_plan(one, other)) << run;
    }
  }
}

// The common plan in the words of a quorum, an ensemble and a database.
TEST(PairedPlans, HitTheServersThatALockHas) {
  const std::vector<Scenario> locks = compared({"redlock", "zk-sequential", "mysql-row-lock"});
  PairedPlans plans = paired(locks);
  for (std::size_t lock = 0; lock < locks.size(); ++lock) {
    const std::string prefix = std::vector<std::string>{"redis-", "zookeeper-", "mysql-"}[lock];
    std::uint64_t at_servers = 0;
    for (std::uint64_t run = 0; run < 500; ++run) {
      sim::Plan plan;
      plans.draw(kPairedSeed, run, {.classes = {FaultClass::pause}, .most = 1}, lock, plan);
      for (const Fault& fault : plan) at_servers += fault.target.starts_with(prefix) ? 1U : 0U;
    }
    EXPECT_GT(at_servers, 50U) << prefix;
  }
}

TEST(PairedPlans, StayInTheirClassAndCountWhatHasNoCounterpart) {
  const std::vector<Scenario> locks = compared(every_lock());
  PairedPlans plans = paired(locks);
  for (std::size_t c = 0; c < kFaultClassCount; ++c) {
    const auto wanted = static_cast<FaultClass>(c);
    for (std::size_t lock = 0; lock < locks.size(); ++lock) {
      std::uint64_t told = 0;
      std::uint64_t left_out = 0;
      for (std::uint64_t run = 0; run < 100; ++run) {
        sim::Plan plan;
        left_out += plans.draw(kPairedSeed, run, {.classes = {wanted}, .most = 2}, lock, plan);
        told += plan.size();
        for (const Fault& fault : plan) ASSERT_EQ(scenarios::class_of(fault, locks[lock]), wanted);
      }
      EXPECT_GE(told + left_out, 100U);
      // Locks that wait have steps that others lack, and yet each is hit in one case of seven.
      FaultPlans own(locks[lock], profile(locks[lock], 1));
      if (own.possible().has(wanted)) {
        EXPECT_GT(6 * told, left_out) << locks[lock].lock.algorithm << " under " << name(wanted);
      } else {
        EXPECT_EQ(told, 0U) << locks[lock].lock.algorithm << " under " << name(wanted);
      }
    }
  }
}

}  // namespace
}  // namespace picklock::explore
