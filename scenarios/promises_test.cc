#include "scenarios/promises.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/locks/catalogue.h"
#include "scenarios/fault_classes.h"
#include "scenarios/runner.h"
#include "scenarios/sample.h"

namespace picklock::scenarios {
namespace {

using models::FaultClass;

FaultClass class_of_fault(const std::string& keys) {
  const Scenario scenario = sample::parsed(sample::with_fault(keys));
  return class_of(scenario.faults.at(0), scenario);
}

TEST(Promises, TellALateWriteFromALateCommandByTheStepThatIsLate) {
  EXPECT_EQ(class_of_fault("delay = 'client-1'\nbefore = 'write.sent'\nfor = '1s'\n"),
            FaultClass::late_write);
  EXPECT_EQ(class_of_fault("hold = 'resource'\nbefore = 'write.applied'\nfor = '1s'\n"),
            FaultClass::late_write);
  EXPECT_EQ(class_of_fault("delay = 'client-1'\nbefore = 'release.sent'\nfor = '1s'\n"),
            FaultClass::late_command);
}

TEST(Promises, TellClocksApartByWhoReadsThem) {
  EXPECT_EQ(class_of_fault("step-clock = 'client-1'\nat = '1s'\nstep = '1s'\n"),
            FaultClass::client_clock);
  EXPECT_EQ(class_of_fault("step-clock = 'redis-1'\nat = '1s'\nstep = '1s'\n"),
            FaultClass::server_clock);
}

TEST(Promises, CallALossOfDataAmnesiaAndAnyOtherDeathACrash) {
  EXPECT_EQ(class_of_fault("restart = 'redis-1'\nat = '1s'\n"), FaultClass::amnesia);
  EXPECT_EQ(class_of_fault("crash = 'redis-1'\nat = '1s'\nfor = '1s'\n"), FaultClass::amnesia);
  EXPECT_EQ(class_of_fault("evict = 'redis-1'\nat = '1s'\n"), FaultClass::amnesia);
  const std::string keeps_all = "restart = 'redis-1'\nat = '1s'\nkeeps = 'all'\n";
  const std::string has_log = "[servers.redis]\nconfig = ['appendonly yes']\n";
  EXPECT_EQ(class_of_fault(keeps_all), FaultClass::amnesia);
  EXPECT_EQ(class_of_fault(keeps_all + has_log), FaultClass::crash);
  EXPECT_EQ(class_of_fault("crash = 'redis-1'\nat = '1s'\n"), FaultClass::crash);
  EXPECT_EQ(class_of_fault("restart = 'client-1'\nat = '1s'\n"), FaultClass::crash);
  EXPECT_EQ(class_of_fault("end-thread = 'client-1'\nbefore = 'write.sent'\n"), FaultClass::crash);
}

// A search draws from the rows, and reports by the class: they must not disagree.
TEST(Promises, PutEveryVerbIntoAClassThatDrawsIt) {
  for (std::size_t v = 0; v < sim::kVerbCount; ++v) {
    for (const char* target : {"client-1", "redis-1", "resource"}) {
      sim::Fault fault;
      fault.verb = static_cast<sim::Verb>(v);
      fault.target = target;
      const auto rows = fault_classes();
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const FaultClassRow& one) {
        return one.fault_class == class_of(fault, Scenario{});
      });
      ASSERT_NE(row, rows.end());
      EXPECT_NE(std::find(row->verbs.begin(), row->verbs.end(), fault.verb), row->verbs.end())
          << sim::name(fault.verb) << " " << target << " in " << models::name(row->fault_class);
    }
  }
}

TEST(Promises, CountCollectionsAsPausesAndAClockThatRunsWrongAsAFault) {
  const auto met = [](const std::string& more) {
    return classes_met(sample::parsed(sample::head() + more));
  };
  EXPECT_TRUE(met("").empty());
  EXPECT_TRUE(met("[clients.gc]\nevery = '20s'\n").has(FaultClass::pause));
  EXPECT_TRUE(met("[servers.redis.gc]\nevery = '20s'\n").has(FaultClass::pause));
  EXPECT_TRUE(met("[servers.redis]\nclock_rate_ppb = 1000\n").has(FaultClass::server_clock));
}

TEST(Promises, HoldOnlyUnderEveryClassMetAndNameTheClassesBeyond) {
  const models::Algorithm& lock = *models::locks::named("set-px-check-delete");
  const auto mutual_exclusion = [&](models::FaultClasses met) {
    return promises(lock, {}, met).at(static_cast<std::size_t>(Property::mutual_exclusion));
  };
  const Promised undisturbed = mutual_exclusion({});
  EXPECT_TRUE(undisturbed.promised);
  EXPECT_FALSE(undisturbed.premise.empty());

  const Promised paused = mutual_exclusion({FaultClass::crash, FaultClass::pause});
  EXPECT_FALSE(paused.promised);
  EXPECT_TRUE(paused.beyond.has(FaultClass::pause));
  EXPECT_FALSE(paused.beyond.has(FaultClass::crash));
  EXPECT_TRUE(paused.premise.empty());
}

TEST(Promises, AreMadeOfNothingThatALockDoesNotMention) {
  const models::Algorithm& lock = *models::locks::named("lua-check-delete");
  const Promised loss = promises(lock, {}, {}).at(static_cast<std::size_t>(Property::loss_noticed));
  EXPECT_FALSE(loss.promised);
  EXPECT_TRUE(loss.beyond.empty());
}

}  // namespace
}  // namespace picklock::scenarios
