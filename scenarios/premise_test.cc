#include "scenarios/premise.h"

#include <gtest/gtest.h>

#include <set>

#include "models/locks/catalogue.h"
#include "models/locks/lease_store_lock.h"
#include "models/locks/promises.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"
#include "scenarios/world.h"

namespace picklock::scenarios {
namespace {

// The promises of every lock, under every choice of options that they may depend on.
TEST(Premise, IsJudgedWhereverALockPromisesOnOne) {
  using models::RecogniseOwn;
  using models::Renew;
  using models::TokenPer;
  std::set<std::string_view> judged;
  for (const models::Algorithm* lock : models::locks::all()) {
    for (const TokenPer value : {TokenPer::acquisition, TokenPer::client, TokenPer::machine}) {
      for (const Renew renew : {Renew::none, Renew::blind, Renew::conditional}) {
        for (const RecogniseOwn own : {RecogniseOwn::never, RecogniseOwn::always}) {
          models::LockOptions options;
          options.value = value;
          options.renew = renew;
          options.recognise_own = own;
          options.of<models::locks::LeaseStoreOptions>().lock_delay =
              std::chrono::seconds(own == RecogniseOwn::always ? 15 : 0);
          for (const Promise& promise : lock->promises(options)) {
            EXPECT_TRUE(is_judged(promise.premise)) << lock->name << ": " << promise.premise;
            judged.insert(promise.premise);
          }
        }
      }
    }
  }
  EXPECT_GE(judged.size(), 5u);
  EXPECT_FALSE(is_judged("the moon is full"));
  EXPECT_TRUE(is_judged("one lock, taken once at a time, and the clients' clocks agree"));
  EXPECT_FALSE(is_judged("one lock, taken once at a time, and the moon is full"));
  EXPECT_FALSE(is_judged("one lock, taken once at a time by moonlight"));
  EXPECT_TRUE(was_kept("the moon is full", {}, {}));
}

bool kept(std::string_view premise, const std::string& algorithm, const std::string& more) {
  const Scenario scenario = parse("format = 1\n[lock]\nalgorithm = '" + algorithm + "'\n" + more,
                                  "x", shipped_vocabulary());
  World world;
  world.set(scenario);
  world.run(1);
  return was_kept(premise, scenario, world.history());
}

bool within_lease(const std::string& more) {
  return kept(models::locks::kWithinLease, "lua-check-delete", more);
}

// The session ends when the store has granted the lock, and before the client knows.
TEST(Premise, OfTheSessionIsJudgedFromTheGrantOn) {
  const auto within_session = [](const std::string& more) {
    return kept("every critical section ends while its session lives, according to the store",
                "lease-store-lock", more);
  };
  EXPECT_TRUE(within_session(""));
  EXPECT_FALSE(within_session("[[fault]]\nkill-session = 'client-1'\nat = '1s'\n"));
  EXPECT_FALSE(
      within_session("[[fault]]\nkill-session = 'client-1'\nafter = 'acquire.applied'\n"
                     "command = 'ACQUIRE'\n"));
}

// A dead client's write is in time until its session's lock-delay is over.
TEST(Premise, OfTheLockDelayIsJudgedByWhenTheWriteArrives) {
  const auto within_delay = [](const std::string& delay) {
    return kept(
        "every critical section ends while its session lives, according to the store, and every "
        "write arrives before its client gives up on it or, if the client has crashed, within the "
        "lock-delay",
        "lease-store-lock",
        "lock_delay = '" + delay +
            "'\n[clients]\nwrites = 1\n[[fault]]\ndelay = 'client-1'\n"
            "before = 'write.sent'\nfor = '20s'\n[[fault]]\ncrash = 'client-1'\n"
            "after = 'write.sent'\n");
  };
  EXPECT_TRUE(within_delay("15s"));
  EXPECT_FALSE(within_delay("5s"));
}

// A promoted replica has the entry until the deadline that the primary gave it.
TEST(Premise, OfTheLeaseIsJudgedAlikeWhereAReplicaTakesOver) {
  const std::string over =
      "[servers.redis]\nreplicas = 1\n[[fault]]\nfail-over = 'redis-1'\n"
      "at = '500ms'\n";
  EXPECT_TRUE(within_lease("ttl = '10s'\n[clients]\nhold = '4s'\n" + over));
  EXPECT_FALSE(within_lease("ttl = '10s'\n[clients]\nhold = '11s'\n" + over));
}

TEST(Premise, OfTheLeaseIsBrokenByASectionThatOutlastsIt) {
  EXPECT_TRUE(within_lease("ttl = '10s'\n[clients]\nhold = '4s'\n"));
  EXPECT_FALSE(within_lease("ttl = '10s'\n[clients]\nhold = '11s'\n"));
  EXPECT_FALSE(
      within_lease("ttl = '10s'\n[clients]\nhold = '4s'\n[[fault]]\npause = 'client-1'\n"
                   "before = 'write.sent'\nfor = '11s'\n"));
}

// Without any fault, a lease that a lock renews is not over before its holder's work, however long
// that is; and no lease is over before its time.
TEST(Premise, OfTheLeaseIsNotBrokenByALockThatShortensItsLeasesOrDoesNotRenewThem) {
  const std::string renews = "ttl = '3s'\nrenew = 'conditional'\n";
  const std::string work = "[clients]\nhold = '6s'\n";
  const std::string idle = "renew_script = { lua = 'return 1' }\n";
  EXPECT_TRUE(within_lease(renews + work));
  EXPECT_TRUE(within_lease(renews + idle + work));
  EXPECT_FALSE(within_lease(renews + idle + "renew_every = '4s'\n" + work)) << "too late anyway";
  EXPECT_FALSE(within_lease(renews + idle + work +
                            "[[fault]]\npause = 'client-1'\n"
                            "after = 'acquire.replied'\nfor = '5s'\n"));
  const std::string idles = renews + idle + work;
  for (const char* lock : {"redlock", "redsync"})
    EXPECT_TRUE(kept(models::locks::kWithinLease, lock, idles)) << lock;
  const std::string takes_shorter =
      "acquire_script = { lua = \"if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', 1000) then "
      "return 1 end return 0\" }\n";
  EXPECT_TRUE(kept(models::locks::kWithinLease, "redlock", takes_shorter));
  EXPECT_FALSE(kept(models::locks::kWithinLease, "redlock", "[clients]\nhold = '11s'\n"));
}

// A dead client believes nothing, and a client that has released no longer holds.
TEST(Premise, OfTheLeaseIsKeptByHoldersThatNoLongerBelieve) {
  EXPECT_TRUE(
      within_lease("ttl = '10s'\n[clients]\nhold = '4s'\n[[fault]]\ncrash = 'client-1'\n"
                   "before = 'write.sent'\n"));
  EXPECT_TRUE(
      within_lease("ttl = '10s'\n[clients]\nhold = '4s'\n[[fault]]\nend-thread = "
                   "'client-1'\nbefore = 'write.sent'\n"));
  EXPECT_TRUE(
      within_lease("ttl = '10s'\n[clients]\nhold = '4s'\n[[fault]]\ndrop = 'client-1'\n"
                   "before = 'release.sent'\n"));
}

TEST(Premise, OfATokenForEachAcquisitionIsWhatTheScenarioSays) {
  Scenario scenario;
  EXPECT_TRUE(was_kept("every acquisition has a token of its own", scenario, {}));
  scenario.lock.options.value = models::TokenPer::client;
  EXPECT_FALSE(was_kept("every acquisition has a token of its own", scenario, {}));
}

bool naive_kept(std::string_view premise, const std::string& more) {
  return kept(premise, "naive-setnx", more);
}

std::string fault(const std::string& keys) { return "[[fault]]\n" + keys + "\n"; }

TEST(Premise, OfAnswersIsBrokenByAHolderThatDoesNotKnow) {
  constexpr std::string_view kAnswered =
      "every command is answered before its client gives up on it";
  EXPECT_TRUE(naive_kept(kAnswered, ""));
  EXPECT_FALSE(naive_kept(kAnswered, fault("drop = 'client-1'\nbefore = 'acquire.applied'")));
  EXPECT_FALSE(naive_kept(kAnswered, fault("drop = 'client-1'\nbefore = 'release.applied'")));
  EXPECT_TRUE(naive_kept(kAnswered, fault("crash = 'client-1'\nbefore = 'acquire.replied'")));
  EXPECT_FALSE(naive_kept("a command takes effect before its client gives up on it",
                          fault("drop = 'client-1'\nbefore = 'release.applied'")));
}

TEST(Premise, OfAServerThatIsThereIsBrokenByOneThatCannotAnswerInTime) {
  constexpr std::string_view kThere =
      "the clients' clocks agree, and the server is eventually available";
  EXPECT_TRUE(naive_kept(kThere, "[servers.redis]\nservice = '10ms'\n"));
  EXPECT_FALSE(naive_kept(kThere, "[servers.redis]\nservice = '2s'\n"));
}

TEST(Premise, OfAServerThatDoesNotStayAwayLooksAtTheEnd) {
  constexpr std::string_view kThere =
      "the clients' clocks agree, and the server is eventually available";
  EXPECT_TRUE(naive_kept(kThere, fault("crash = 'redis-1'\nat = '1s'\nfor = '1s'")));
  EXPECT_FALSE(naive_kept(kThere, fault("crash = 'redis-1'\nat = '1s'")));
  EXPECT_TRUE(naive_kept(kThere, fault("partition = 'client-1'\nat = '1s'\nfor = '1s'")));
  EXPECT_FALSE(naive_kept(kThere, fault("partition = 'client-1'\nat = '1s'")));
  EXPECT_TRUE(naive_kept(kThere, fault("partition = 'client-1'\nfrom = 'resource'\nat = '1s'")));
  EXPECT_FALSE(naive_kept(kThere, "[servers.redis]\nreplicas = 1\n" +
                                      fault("fail-over = 'redis-1'\nat = '1s'") +
                                      fault("restart = 'redis-1'\nat = '2s'\nkeeps = 'none'") +
                                      fault("crash = 'redis-1-replica-1'\nat = '3s'")));
}

TEST(Premise, OfThreadsThatLastIsBrokenByOneThatEnds) {
  constexpr std::string_view kLast = models::locks::kServerThereThreadsLast;
  EXPECT_TRUE(naive_kept(kLast, fault("crash = 'client-1'\nbefore = 'release.sent'")));
  EXPECT_FALSE(naive_kept(kLast, fault("end-thread = 'client-1'\nbefore = 'release.sent'")));
  EXPECT_FALSE(naive_kept(kLast, fault("crash = 'redis-1'\nat = '1s'")));
}

// Two clients lock the gap of a missing row: the server makes one of them the victim.
TEST(Premise, OfNoVictimIsBrokenByAServerThatBreaksACircle) {
  constexpr std::string_view kAtOnce = "[clients]\ncount = 2\narrive_every = '0s'\n";
  const std::string alike =
      std::string(kAtOnce) + "[[network.link]]\nfrom = 'client-1'\nto = 'mysql-1'\n" +
      "latency = '1ms'\n[[network.link]]\nfrom = 'client-2'\nto = 'mysql-1'\nlatency = '1ms'\n";
  EXPECT_FALSE(kept(models::locks::kOneLockNoVictim, "mysql-probe-insert", alike));
  EXPECT_TRUE(kept(models::locks::kOneLockNoVictim, "mysql-row-lock", alike));
  EXPECT_FALSE(kept(models::locks::kOneLockNoVictim, "mysql-row-lock",
                    std::string(kAtOnce) + "nested = true\n"));
}

// Making a timestamp takes time: up to two commands.
TEST(Premise, OfALeaseThatClientsTellEachOtherLeavesRoomForTheCommandsThatMakeIt) {
  constexpr std::string_view kTold =
      "every critical section ends within its lease, and the clients' clocks agree";
  const auto told = [&](const std::string& hold) {
    return kept(kTold, "setnx-timestamp",
                "ttl = '10s'\ncommand_timeout = '1s'\n[clients]\nhold = '" + hold + "'\n");
  };
  EXPECT_TRUE(told("7s"));
  EXPECT_FALSE(told("9s"));
}

TEST(Premise, OfTheLeaseIsBrokenByAnInnerReleaseThatGivesBackTheOuterLock) {
  const std::string own = "recognise_own = 'always'\nvalue = 'client'\n[clients]\ncount = 1\n";
  EXPECT_TRUE(within_lease(own));
  EXPECT_FALSE(within_lease(own + "nested = true\n"));
}

TEST(Premise, OfCommandsInTimeIsBrokenByOneThatActsWhenItsTenureIsOver) {
  constexpr std::string_view kInTime = "a command takes effect before its client gives up on it";
  constexpr std::string_view kAnswered =
      "every command is answered before its client gives up on it";
  const auto late = [](std::string_view premise, const std::string& length) {
    return kept(premise, "set-px-blind-delete",
                "[clients]\nhold = '2s'\n[[fault]]\ndelay = 'client-1'\nbefore = "
                "'release.sent'\nfor = '" +
                    length + "'\n");
  };
  EXPECT_TRUE(late(kInTime, "1s"));
  EXPECT_TRUE(late(kAnswered, "1s"));
  EXPECT_FALSE(late(kInTime, "4s"));
  EXPECT_FALSE(late(kAnswered, "4s"));
}

TEST(Premise, OfWritesInTimeIsBrokenByOneThatArrivesAfterTheRelease) {
  constexpr std::string_view kWrites = "every write arrives before its client gives up on it";
  const auto late = [&](const std::string& length) {
    return kept(kWrites, "lua-check-delete",
                "[clients]\nhold = '2s'\n[[fault]]\ndelay = 'client-1'\nbefore = "
                "'write.sent'\nfor = '" +
                    length + "'\n");
  };
  EXPECT_TRUE(late("1s"));
  EXPECT_FALSE(late("20s"));
}

TEST(Premise, OfTwoPartsNamesThePartThatWasNotKept) {
  Scenario scenario;
  scenario.clients.progress = Progress::set;
  const std::string_view two =
      "every command is answered before its client gives up on it, and nothing but the lock's "
      "commands sets its key";
  EXPECT_EQ(part_not_kept(two, scenario, {}), "nothing but the lock's commands sets its key");
  scenario.clients.progress = Progress::none;
  EXPECT_EQ(part_not_kept(two, scenario, {}), "");
}

TEST(Premise, OfTheUsersConductIsWhatTheScenarioSays) {
  Scenario scenario;
  EXPECT_TRUE(was_kept(models::locks::kOneLock, scenario, {}));
  scenario.clients.nested = true;
  EXPECT_FALSE(was_kept(models::locks::kOneLock, scenario, {}));
}

// A renewal that sets a shorter lease, or deletes the key, is the lock's work and not its user's.
TEST(Premise, OfTheLeaseIsNotBrokenByALockThatEndsItsOwnLease) {
  using namespace std::chrono_literals;
  using history::Cause;
  using history::What;
  const auto at = [](sim::Duration since) { return sim::kStart + since; };
  const auto entry = [&](sim::Duration since, What what, Cause cause, sim::Duration until) {
    return history::HistoryEvent{.at = at(since),
                                 .what = what,
                                 .cause = cause,
                                 .process = 2,
                                 .tenure = cause == Cause::command ? 1U : 0U,
                                 .owner = 1,
                                 .until = at(until)};
  };
  const history::HistoryEvent granted{.at = at(0s), .what = What::acquire_ok, .tenure = 1};
  const auto created = entry(0s, What::entry_created, Cause::command, 10s);
  const auto renewed = [&](sim::Duration until) {
    return entry(1s, What::entry_altered, Cause::command, until);
  };
  const auto removed = [&](Cause cause, sim::Duration since) {
    return entry(since, What::entry_removed, cause, since);
  };
  const auto kept_by = [](const history::History& history, const Scenario& scenario = {}) {
    return was_kept(models::locks::kWithinLease, scenario, history);
  };
  EXPECT_FALSE(kept_by({created, granted, removed(Cause::expiry, 10s)}));
  EXPECT_TRUE(kept_by({created, granted, renewed(2s), removed(Cause::expiry, 2s)}));
  EXPECT_TRUE(kept_by({created, granted, removed(Cause::command, 1s)}));
  // A nested release ends the lease of the section around it.
  EXPECT_FALSE(kept_by({created,
                        granted,
                        granted,
                        {.at = at(1s), .what = What::release_invoked, .tenure = 1},
                        removed(Cause::command, 1s)}));
  // A lock that renews its leases must do so as long as there is no fault.
  const history::History unrenewed = {created, granted, renewed(11s), removed(Cause::expiry, 11s)};
  EXPECT_TRUE(kept_by(unrenewed));
  Scenario paused;
  paused.faults.push_back({.verb = sim::Verb::pause, .target = "client-1"});
  EXPECT_FALSE(kept_by(unrenewed, paused));
}

// A lease that is given with the acquire is not renewed, although a script sets it in two steps.
TEST(Premise, OfTheLeaseIsBrokenByASectionThatOutlastsALeaseOfItsOwn) {
  const auto in_time = [](const std::string& lock, const std::string& lease) {
    return kept(models::locks::kWithinLease, lock,
                "[clients]\ncount = 2\nhold = '4s'\nleases = ['" + lease + "']\n");
  };
  for (const char* lock :
       {"redisson-lock", "redisson-spin-lock", "redisson-multilock", "setnx-expire"}) {
    EXPECT_FALSE(in_time(lock, "2s")) << lock;
    EXPECT_TRUE(in_time(lock, "8s")) << lock;
  }
}

TEST(Premise, OfTheLeaseIsBrokenByAnOperatorWhoTakesTheLockFromItsHolder) {
  for (const char* lock : {"node-redlock-v4", "lua-check-delete", "redisson-lock"}) {
    EXPECT_FALSE(kept(models::locks::kWithinLease, lock, "[clients]\ncount = 3\noperators = 1\n"))
        << lock;
    EXPECT_TRUE(kept(models::locks::kWithinLease, lock, "[clients]\ncount = 3\n")) << lock;
  }
}

// The operator's command arrives before it can mean any holder, or hits a later one.
TEST(Premise, OfTheLeaseIsBrokenByAnOperatorWhoComesBeforeTheHolderKnowsOfItsGrant) {
  for (const char* force : {"unconditional", "conditional"}) {
    for (const char* lock : {"set-px-blind-delete", "redis-py-lock"}) {
      EXPECT_FALSE(kept(models::locks::kWithinLease, lock,
                        "[network]\nlatency = '5ms'\n[clients]\ncount = 2\noperators = 1\n"
                        "arrive_every = '2ms'\nforce = '" +
                            std::string(force) + "'\n"))
          << lock << ", " << force;
    }
  }
}

// Where each server is asked for its holder, the holders may differ.
TEST(Premise, OfOnesOwnCommandsIsBrokenByAnOperatorOfSeveralServers) {
  Scenario scenario;
  scenario.clients.operators = 1;
  scenario.clients.force = ForceUnlock::conditional;
  EXPECT_TRUE(was_kept(models::locks::kOwnToken, scenario, {}));
  scenario.clients.servers = {"redis-1", "redis-2", "redis-3"};
  EXPECT_FALSE(was_kept(models::locks::kOwnToken, scenario, {}));
}

TEST(Premise, OfWakeUpsIsBrokenByAnyOperator) {
  Scenario scenario;
  EXPECT_TRUE(was_kept(models::locks::kNoForce, scenario, {}));
  scenario.clients.operators = 1;
  EXPECT_FALSE(was_kept(models::locks::kNoForce, scenario, {}));
}

TEST(Premise, OfOwnerNamesIsBrokenByThreadsThatShareOne) {
  Scenario scenario;
  EXPECT_EQ(part_not_kept(models::locks::kInTimeOwnName, scenario, {}), "");
  scenario.clients.threads = 2;
  EXPECT_EQ(part_not_kept(models::locks::kInTimeOwnName, scenario, {}), models::locks::kOwnName);
}

TEST(Premise, OfPlacesInAQueueIsBrokenByAWaitThatIsLonger) {
  const auto in_place = [](const std::string& life) {
    return kept(models::locks::kInPlace, "redisson-fair-lock-fixed",
                "place_expires = '" + life + "'\n[clients]\ncount = 3\nhold = '2s'\n");
  };
  EXPECT_TRUE(in_place("20s"));
  EXPECT_FALSE(in_place("1s"));
}

// A client that keeps its progress in the lock's key overwrites an entry of any client's.
TEST(Premise, OfEveryPromiseIsBrokenByAClientThatWritesIntoTheKey) {
  for (const std::string_view premise : {std::string_view(), models::locks::kOneLock,
                                         models::locks::kOwnCommands, models::locks::kOwnToken}) {
    Scenario scenario;
    EXPECT_TRUE(was_kept(premise, scenario, {})) << premise;
    scenario.clients.progress = Progress::set;
    EXPECT_FALSE(was_kept(premise, scenario, {})) << premise;
    Promised promised{.promised = true, .beyond = {}, .premise = premise};
    judge_premise(promised, scenario, {});
    EXPECT_FALSE(promised.premise_kept) << premise;
    EXPECT_EQ(promised.premise, models::locks::kOwnCommands);
  }
}

// docs/facts/failures.md B-16.
TEST(Premise, OfOnesOwnCommandsIsBrokenByAnOperatorWhoForcesWhateverHeFinds) {
  for (const std::string_view premise : {models::locks::kOwnToken, models::locks::kInTime}) {
    Scenario scenario;
    scenario.clients.operators = 1;
    EXPECT_FALSE(was_kept(premise, scenario, {})) << premise;
    scenario.clients.force = ForceUnlock::conditional;
    EXPECT_TRUE(was_kept(premise, scenario, {})) << premise;
  }
}

}  // namespace
}  // namespace picklock::scenarios
