#include "scenarios/promises.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/locks/catalogue.h"
#include "models/redis/spec.h"
#include "models/servers/verbs.h"
#include "scenarios/fault_classes.h"
#include "scenarios/runner.h"
#include "scenarios/verbs/kind.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {
namespace {

std::optional<FaultClass> class_of_fault(const std::string& keys) {
  const Scenario scenario = testing::parsed(testing::with_fault(keys));
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

TEST(Promises, TakeADelayWithinTheBoundsOfAnOpenOrderForNoFault) {
  const std::string delay = "delay = 'client-1'\nbefore = 'release.sent'\nfor = '29ms'\n";
  const std::string open = "[network]\norder = 'any'\nlatency = ['1ms', '30ms']\n";
  EXPECT_EQ(class_of_fault(delay + open), std::nullopt);
  EXPECT_EQ(class_of_fault(delay), FaultClass::late_command) << "the order is not open";
  const std::string longer = "delay = 'client-1'\nbefore = 'release.sent'\nfor = '30ms'\n";
  EXPECT_EQ(class_of_fault(longer + open), FaultClass::late_command);
  // The way to the server counts, the way back does not.
  const std::string link =
      "[[network.link]]\nfrom = 'client-1'\nto = 'redis-1'\nlatency = ['1ms', '9ms']\n";
  EXPECT_EQ(class_of_fault(delay + open + link), FaultClass::late_command);
  const std::string back =
      "[[network.link]]\nfrom = 'redis-1'\nto = 'client-1'\nlatency = ['1ms', '9ms']\n"
      "both = false\n";
  EXPECT_EQ(class_of_fault(delay + open + back), std::nullopt);
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

// A replica that comes back without its data has lost some; a Sentinel has none of the lock's.
TEST(Promises, TellAReplicaFromASentinelWhereItStartsAgain) {
  const std::string watched = "[servers.redis]\nreplicas = 1\nsentinels = 1\n";
  EXPECT_EQ(class_of_fault("restart = 'redis-1-replica-1'\nat = '1s'\n" + watched),
            FaultClass::amnesia);
  EXPECT_EQ(class_of_fault("restart = 'redis-1-sentinel-1'\nat = '1s'\n" + watched),
            FaultClass::crash);
  EXPECT_EQ(class_of_fault("step-clock = 'redis-1-sentinel-1'\nat = '1s'\nstep = '1s'\n" + watched),
            FaultClass::server_clock);
}

TEST(Promises, AskTheServerThatIsStruckWhetherItKeepsItsData) {
  const auto restart = [](const char* who, sim::Keeps keeps) {
    Scenario scenario;
    scenario.servers.of<redis::Spec>().config = {"appendonly yes"};
    redis::NodeSpec second;
    second.name = "redis-2";
    second.config = {"appendonly no"};
    scenario.servers.of<redis::Spec>().nodes = {second};
    sim::Fault fault;
    fault.verb = sim::Verb::restart;
    fault.target = who;
    fault.keeps = keeps;
    return class_of(fault, scenario);
  };
  EXPECT_EQ(restart("redis-1", sim::Keeps::all), FaultClass::crash);
  EXPECT_EQ(restart("redis-1", sim::Keeps::fsynced), FaultClass::amnesia);
  EXPECT_EQ(restart("redis-2", sim::Keeps::all), FaultClass::amnesia);
}

// A search draws from the rows, and reports by the class: they must not disagree. It draws no fault
// on a message of no step.
TEST(Promises, PutEveryVerbIntoAClassThatDrawsIt) {
  for (const verbs::Kind& verb : verbs::kinds()) {
    for (const char* target :
         {"client-1", "redis-1", "resource", "redis-1-replica-1", "redis-1-sentinel-1"}) {
      sim::Fault fault;
      fault.verb = verb.verb;
      fault.target = target;
      fault.trigger.role = Role::acquire;
      const auto rows = fault_classes();
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const FaultClassRow& one) {
        return one.fault_class == class_of(fault, Scenario{});
      });
      ASSERT_NE(row, rows.end());
      EXPECT_NE(std::find(row->verbs.begin(), row->verbs.end(), fault.verb), row->verbs.end())
          << verb.name << " " << target << " in " << picklock::name(row->fault_class);
    }
  }
}

TEST(Promises, CountCollectionsAsPausesAndAClockThatRunsWrongAsAFault) {
  const auto met = [](const std::string& more) {
    return classes_met(testing::parsed(testing::head() + more));
  };
  EXPECT_TRUE(met("").empty());
  EXPECT_TRUE(met("[clients.gc]\nevery = '20s'\n").has(FaultClass::pause));
  EXPECT_TRUE(met("[servers.redis.gc]\nevery = '20s'\n").has(FaultClass::pause));
  EXPECT_TRUE(met("[servers.redis]\nclock_rate_ppb = 1000\n").has(FaultClass::server_clock));
}

TEST(Promises, CountTheClockOfOneServerAsThoseOfAll) {
  const auto met = [](const std::string& node) {
    return classes_met(testing::parsed(
        testing::head() + "[servers.redis]\nreplicas = 1\nsentinels = 1\nnode = [{ name = '" +
        node + " }]\n"));
  };
  const FaultClass clock = FaultClass::server_clock;
  EXPECT_TRUE(met("redis-1', clock_offset = '1s'").has(clock));
  EXPECT_TRUE(met("redis-1-replica-1', clock_offset = '-1s'").has(clock));
  EXPECT_TRUE(met("redis-1-sentinel-1', clock_rate_ppb = 1000").has(clock));
  EXPECT_TRUE(met("redis-1', config = ['appendonly yes']").empty());
}

// Sentinels replace a primary that is silent, whatever the cause.
TEST(Promises, CountAFailoverWhereverSentinelsMayDecideOnOne) {
  const auto met = [](const std::string& fault, const std::string& sentinels) {
    return classes_met(testing::parsed(testing::with_fault(fault) +
                                       "[servers.redis]\nreplicas = 1\nsentinels = " + sentinels));
  };
  const auto fails_over = [&](const std::string& fault) {
    return met(fault, "1\n").has(FaultClass::failover);
  };
  const std::string at = "at = '1s'\nfor = '1s'\n";
  EXPECT_TRUE(fails_over("pause = 'redis-1'\n" + at));
  EXPECT_TRUE(fails_over("crash = 'redis-1'\n" + at));
  EXPECT_TRUE(fails_over("partition = 'redis-1-replica-1'\n" + at));
  EXPECT_TRUE(fails_over("pause = 'redis-1-sentinel-1'\n" + at));
  EXPECT_FALSE(met("crash = 'redis-1'\n" + at, "0\n").has(FaultClass::failover));
  EXPECT_FALSE(fails_over("pause = 'client-1'\n" + at));
  EXPECT_FALSE(fails_over("crash = 'resource'\n" + at));
  EXPECT_TRUE(met("pause = 'client-1'\n" + at, "1\ngc.every = '20s'\n").has(FaultClass::failover));
}

// For example the faults that have fired.
TEST(Promises, CountTheFaultsOfAPlanAloneWhereOneIsNamed) {
  const Scenario scenario = testing::parsed(testing::with_fault("crash = 'redis-1'\nat = '1s'\n") +
                                            "[servers.redis]\nreplicas = 1\n"
                                            "sentinels = 1\n");
  EXPECT_TRUE(classes_met(scenario).has(FaultClass::failover));
  EXPECT_TRUE(classes_met(scenario, {}).empty());
}

TEST(Promises, HoldOnlyUnderEveryClassMetAndNameTheClassesBeyond) {
  const models::Algorithm& lock = *models::locks::named("set-px-check-delete");
  const auto mutual_exclusion = [&](FaultClasses met) {
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

scenarios::Run run_of(const std::string& algorithm, const std::string& more) {
  return Runner().run(parse("format = 1\n[lock]\nalgorithm = '" + algorithm + "'\n" + more, "x",
                            shipped_vocabulary()),
                      1, false);
}

const Promised& promised(const scenarios::Run& run, Property property) {
  return run.promised.at(static_cast<std::size_t>(property));
}

bool is_violated(const scenarios::Run& run, Property property) {
  return run.verdicts.at(static_cast<std::size_t>(property)).outcome ==
         properties::Outcome::violated;
}

// Found by a search: the undoing of client-2's first attempt removes the key of a later one.
TEST(Promises, AreNotBrokenByAnUndoingThatRemovesTheKeyOfALaterAttempt) {
  const auto run = run_of("redlock",
                          "[servers.redis]\nmasters = 3\n[clients]\nhold = '2s'\nwrites = 1\n"
                          "[[fault]]\nhold = 'redis-1'\nbefore = 'release.sent'\nfor = '2s'\n"
                          "[[fault]]\nhold = 'redis-3'\nbefore = 'acquire.sent'\nnth = 7\n"
                          "for = '2s'\n");
  EXPECT_TRUE(is_violated(run, Property::mutual_exclusion));
  EXPECT_FALSE(promised(run, Property::mutual_exclusion).answers);
}

TEST(Promises, CountANetworkThatIsSlowerThanClientsArePatientAsLateMessages) {
  const auto met = [](const std::string& algorithm, const std::string& more) {
    return classes_met(parse("format = 1\n[lock]\nalgorithm = '" + algorithm + "'\n" + more, "x",
                             shipped_vocabulary()));
  };
  const auto latency = [](const std::string& length) {
    return "[network]\nlatency = '" + length + "'\n";
  };
  EXPECT_TRUE(met("lua-check-delete", latency("1s")).empty());
  const FaultClasses slow = met("lua-check-delete", latency("2s"));
  EXPECT_TRUE(slow.covers({FaultClass::late_command, FaultClass::late_write}));
  EXPECT_FALSE(met("lua-check-delete", latency("2s") + "[clients]\nwrite_timeout = '5s'\n")
                   .has(FaultClass::late_write));
  EXPECT_TRUE(met("redlock", latency("30ms")).has(FaultClass::late_command));
  EXPECT_TRUE(met("redlock", "[servers.redis]\nservice = '20ms'\n").has(FaultClass::late_command));
  EXPECT_TRUE(met("redisson-multilock", latency("1s")).has(FaultClass::late_command));
  EXPECT_TRUE(met("zk-sequential", latency("2s")).has(FaultClass::late_command));
  EXPECT_TRUE(met("mysql-row-lock", latency("2s")).has(FaultClass::late_command));
  const std::string link = "[[network.link]]\nlatency = '5s'\nfrom = 'redis-1'\n";
  const std::string replica = "[servers.redis]\nreplicas = 1\n";
  EXPECT_TRUE(met("lua-check-delete", replica + link + "to = 'redis-1-replica-1'\n").empty());
  EXPECT_TRUE(met("lua-check-delete", link + "to = 'client-2'\n").has(FaultClass::late_command));
}

TEST(Promises, OfProgressAreNotMadeOnANetworkOnWhichNoCommandIsAnsweredInTime) {
  const auto run = run_of("redisson-multilock", "[network]\nlatency = '30s'\n");
  EXPECT_TRUE(is_violated(run, Property::progress));
  EXPECT_FALSE(promised(run, Property::progress).answers);
}

TEST(Promises, LeaveTwoHoldersInARunWithoutFaultsToBeToldEvenOnASlowNetwork) {
  const auto run = run_of("lua-check-delete",
                          "ttl = '5s'\ncommand_timeout = '10s'\n"
                          "[clients]\nhold = '15s'\nwrites = 0\n[network]\nlatency = '2s'\n");
  EXPECT_TRUE(is_violated(run, Property::mutual_exclusion));
  EXPECT_FALSE(promised(run, Property::mutual_exclusion).promised);
  EXPECT_TRUE(promised(run, Property::mutual_exclusion).answers);
}

// A replica's acknowledgements, one in each second, take their time too.
TEST(Promises, CountTheTimeThatAServerSpendsOnItsReplicas) {
  const auto late = [](const std::string& service, std::uint32_t replicas) {
    return classes_met(testing::parsed("format = 1\n[lock]\nalgorithm = 'lua-check-delete'\n"
                                       "[servers.redis]\nreplicas = " +
                                       std::to_string(replicas) + "\nservice = '" + service +
                                       "'\n"))
        .has(FaultClass::late_command);
  };
  EXPECT_FALSE(late("600ms", 0));
  EXPECT_TRUE(late("600ms", 1));
  EXPECT_FALSE(late("200ms", 1));
  EXPECT_TRUE(late("200ms", 5)) << "no time is left";
}

// Its waiters load scripts and keep their places, and the head of the queue gives up late.
TEST(Promises, OfAnAvailableLockGiveASlowServerTheTimeForAllCommandsInItsQueue) {
  const auto run = run_of("redisson-fair-lock-fixed",
                          "acquire_timeout = '5s'\nttl = '9s'\nplace_expires = '20s'\n"
                          "[servers.redis]\nreplicas = 1\nservice = '300ms'\n"
                          "[clients]\nhold = '1s'\nwrites = 1\n");
  EXPECT_FALSE(is_violated(run, Property::available));
}

// All three ask at once, and none has a second attempt.
TEST(Promises, OfProgressAreNotMadeToClientsThatMaySplitTheServersInEveryAttempt) {
  const auto progress_of = [](const std::string& keys) {
    return promised(run_of("redlock", keys + "[clients]\narrive_every = '0s'\n"),
                    Property::progress)
        .promised;
  };
  EXPECT_TRUE(progress_of(""));
  EXPECT_FALSE(progress_of("attempts = 1\n"));
  EXPECT_FALSE(progress_of("retry_jitter = '0s'\n"));
  EXPECT_FALSE(progress_of("acquire_timeout = '1s'\n"));
}

// A grant that no replica has in time is undone, and its client queues again.
TEST(Promises, OfAFairOrderAreNotMadeWherePlacesInTheQueueMayBeLost) {
  const auto is_fair = [](const std::string& keys) {
    return promised(run_of("redisson-fair-lock-fixed", keys), Property::fair_order).promised;
  };
  EXPECT_TRUE(is_fair("wait_at_most = '3s'\n"));
  EXPECT_FALSE(is_fair("wait_at_most = '3s'\nsync_replicas = true\n"));
  EXPECT_FALSE(is_fair("place_expires = '2s'\n"));
}

TEST(Promises, AreNotBrokenByAHolderThatWaitsForItself) {
  for (const char* lock : {"naive-setnx", "zk-sequential"}) {
    const auto run = run_of(lock, "[clients]\nnested = true\n");
    EXPECT_TRUE(is_violated(run, Property::not_stuck)) << lock;
    EXPECT_FALSE(promised(run, Property::not_stuck).answers) << lock;
    EXPECT_EQ(promised(run, Property::not_stuck).part_not_kept, "one lock, taken once at a time");
  }
  const auto mutex = run_of("redisson-lock", "local_mutex = 'freed'\n[clients]\nnested = true\n");
  EXPECT_FALSE(promised(mutex, Property::not_stuck).premise_kept) << "its mutex is not re-entrant";
  EXPECT_TRUE(promised(run_of("redisson-lock", "[clients]\nnested = true\n"), Property::not_stuck)
                  .premise_kept);
  const auto abandoned =
      run_of("naive-setnx", "[[fault]]\ncrash = 'client-1'\nbefore = 'write.sent'\n");
  EXPECT_FALSE(promised(abandoned, Property::not_stuck).promised) << "a crash is beyond it";
}

}  // namespace
}  // namespace picklock::scenarios
