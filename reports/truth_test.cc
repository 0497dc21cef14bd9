// The reports of a run against what happened in it: each scenario here was once told wrongly.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "reports/narrator.h"
#include "reports/story.h"
#include "reports/timeline.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"
#include "scenarios/shipped.h"

namespace picklock::reports {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// The timeline of a scenario, on lines as long as they need to be.
std::string timeline_of(const scenarios::Scenario& scenario) {
  scenarios::Outcome outcome;
  outcome.run = scenarios::Runner().run(scenario, scenario.seed, true);
  TextOptions options;
  options.width = 200;
  return timeline(outcome, options);
}

std::string timeline_of(const std::string& more) {
  return timeline_of(scenarios::parse("format = 1\n" + more, "x", scenarios::shipped_vocabulary()));
}

TEST(Truth, TheOwnerOfAnEntryIsTheClientThatSetItLast) {
  const std::string text = timeline_of(scenarios::shipped::document("setnx-timestamp-double-steal")
                                           .twin(0, scenarios::shipped_vocabulary()));
  EXPECT_THAT(text, ContainsRegex("►┃3 [^\n]*GETSET lock:order-42 1735689620403"));
  EXPECT_THAT(text, ContainsRegex("►┃2 [^\n]*GETSET lock:order-42 1735689621099"));
  EXPECT_THAT(text, HasSubstr("the lock was granted twice;"));
}

TEST(Truth, TheOwnerOfAnEntryThatAnotherRenewsStaysItsOwner) {
  const std::string text = timeline_of(scenarios::shipped::document("unconditional-renewal")
                                           .scenario(scenarios::shipped_vocabulary()));
  EXPECT_THAT(text, HasSubstr("own-release: client-1 altered client-2's entry"));
  EXPECT_THAT(text, ContainsRegex("►┃2 [^\n]*PEXPIRE lock:order-42"));
}

TEST(Truth, AGrantThatItsClientUndoesIsNotCounted) {
  EXPECT_THAT(timeline_of("[lock]\nalgorithm = 'redlock'\ndrift_ppm = 1000000\n[servers.redis]\n"
                          "masters = 3\n[clients]\ncount = 2\n"),
              HasSubstr("no client learned that it had the lock;"));
}

TEST(Truth, OfAConditionThatWasNotKeptOnlyThePartThatFailedIsNamed) {
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'setnx-timestamp'\nttl = '5s'\n[clients]\ncount = 2\nhold = '7s'\n");
  EXPECT_THAT(text, HasSubstr("promised on a condition that this run did not keep: every critical "
                              "section ends within its lease\n"));
  EXPECT_THAT(text, Not(HasSubstr("ends within its lease, and the clients' clocks agree")));
}

constexpr const char* kTwoClients =
    "[lock]\nalgorithm = 'lua-check-delete'\nttl = '10s'\nretry_every = '1s'\n[clients]\n"
    "count = 2\nhold = '4s'\n";

std::string with_replica(const std::string& clock_offset) {
  return std::string(kTwoClients) +
         "[servers.redis]\nreplicas = 1\n[[servers.redis.node]]\nname = 'redis-1-replica-1'\n"
         "clock_offset = '" +
         clock_offset + "'\n[[fault]]\nfail-over = 'redis-1'\nat = '2s'\n";
}

TEST(Truth, AnEntryThatThePromotedReplicaHasIsNotLost) {
  const std::string text = timeline_of(with_replica("0s"));
  EXPECT_THAT(text, HasSubstr("redis-1-replica-1 has client-1's entry of lock:order-42"));
  EXPECT_THAT(text, Not(HasSubstr("lost in the failover")));
}

TEST(Truth, AnEntryThatThePromotedReplicaFindsDeadByItsClockHasExpired) {
  const std::string text = timeline_of(with_replica("20s"));
  EXPECT_THAT(text, HasSubstr("client-1's entry expires\n"));
  EXPECT_THAT(text, HasSubstr("client-1's entry expired at 2.000s;"));
  EXPECT_THAT(text, Not(HasSubstr("lost in the failover")));
}

// The former primary has the entry on its disk, and keeps it until it follows the new one.
TEST(Truth, AFormerPrimaryLosesNothingThatIsKeptElsewhere) {
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'lua-check-delete'\nttl = '20s'\n[clients]\ncount = 2\nhold = '12s'\n"
      "find_by = 'sentinel'\n[servers.redis]\nreplicas = 2\nsentinels = 3\n"
      "sentinel.down_after = '1s'\nconfig = ['appendonly yes']\n[[fault]]\ncrash = 'redis-1'\n"
      "before = 'write.applied'\nby = 'client-1'\nfor = '6s'\nkeeps = 'all'\n");
  EXPECT_THAT(text, HasSubstr("redis-1 restarts\n"));
  EXPECT_THAT(text, HasSubstr("redis-1 has client-1's entry of lock:order-42\n"));
  EXPECT_THAT(text, Not(HasSubstr("without client-1's entry")));
  EXPECT_THAT(text, Not(HasSubstr("lost in the failover")));
}

std::string row_with_replica(const std::string& lock, const std::string& clock_step) {
  return "[lock]\nalgorithm = '" + lock +
         "'\n[clients]\ncount = 2\nhold = '12s'\n[servers.mysql]\nreplicas = 1\n[[fault]]\n"
         "step-clock = 'mysql-2'\nat = '1s'\nstep = '" +
         clock_step + "'\n[[fault]]\nfail-over = 'mysql-1'\nat = '2s'\n";
}

TEST(Truth, ARowThatThePromotedReplicaHasIsStillThatOfItsOwner) {
  for (const std::string lock : {"mysql-insert-lock", "shedlock"}) {
    const std::string text = timeline_of(row_with_replica(lock, "1ms"));
    EXPECT_THAT(text, HasSubstr("mysql-2 has client-1's entry of lock:order-42")) << lock;
    EXPECT_THAT(text, Not(HasSubstr("lost in the failover"))) << lock;
    EXPECT_THAT(text, Not(HasSubstr("an unknown client"))) << lock;
    EXPECT_THAT(text, HasSubstr("client-1's entry expired at 10.00")) << lock;
  }
}

TEST(Truth, ARowThatThePromotedReplicaFindsOverdueByItsClockHasExpired) {
  const std::string text = timeline_of(row_with_replica("mysql-insert-lock", "20s"));
  EXPECT_THAT(text, HasSubstr("client-1's entry expires\n"));
  EXPECT_THAT(text, HasSubstr("client-1's entry expired at 2.000s;"));
  EXPECT_THAT(text, Not(HasSubstr("lost in the failover")));
}

TEST(Truth, TheOutcomeOfAReleaseIsToldAfterItBegins) {
  const std::string text = timeline_of(std::string(kTwoClients) +
                                       "[[fault]]\ncrash = 'redis-1'\nat = '2s'\nfor = '3s'\n");
  const std::size_t begins = text.find("client-1 begins to release");
  ASSERT_NE(begins, std::string::npos);
  EXPECT_LT(begins, text.find("client-1 cannot know whether it released"));
}

TEST(Truth, AnEntryThatACrashHasLostDoesNotExpireAfterwards) {
  const std::string crash =
      std::string(kTwoClients) + "[[fault]]\ncrash = 'redis-1'\nat = '2s'\nfor = '3s'\n";
  const std::string step = "[[fault]]\nstep-clock = 'redis-1'\nat = '3s'\nstep = '20s'\n";
  const std::string text = timeline_of(crash + step);
  EXPECT_THAT(text, HasSubstr("redis-1 restarts, without client-1's entry"));
  EXPECT_THAT(text, HasSubstr("client-1's entry was lost in the crash of redis-1 at 2.000s;"));
  EXPECT_THAT(text, Not(HasSubstr("expire")));
  EXPECT_THAT(timeline_of(crash + "keeps = 'fsynced'\n" + step), Not(HasSubstr("expire")))
      << "its disk is empty";
  const std::string logs = "[servers.redis]\nconfig = ['appendonly yes', 'appendfsync always']\n";
  for (const std::string keeps : {"all", "fsynced"})
    EXPECT_THAT(timeline_of(fmt::format("{}keeps = '{}'\n{}{}", crash, keeps, step, logs)),
                HasSubstr("client-1's entry expires\n"));
}

TEST(Truth, AnEntryOfAServerThatCrashesForGoodIsLostWithItsMemory) {
  const std::string crash = std::string(kTwoClients) + "[[fault]]\ncrash = 'redis-1'\nat = '2s'\n";
  const std::string text = timeline_of(crash);
  EXPECT_THAT(text, HasSubstr("redis-1 crashes, and client-1's entry is lost\n"));
  EXPECT_THAT(text, Not(HasSubstr("expire")));
}

TEST(Truth, AnEntryThatTheDiskOfADeadServerHasExpiresThere) {
  EXPECT_THAT(
      timeline_of(std::string(kTwoClients) + "[[fault]]\ncrash = 'redis-1'\nat = '2s'\n"
                                             "[servers.redis]\nconfig = ['appendonly yes']\n"),
      HasSubstr("client-1's entry expires\n"));
}

TEST(Truth, WhatAReplicaIgnoresOfADeadPrimaryIsToldAsIgnored) {
  EXPECT_THAT(timeline_of(std::string(kTwoClients) +
                          "[servers.redis]\nreplicas = 1\n[[network.link]]\nfrom = 'redis-1'\n"
                          "to = 'redis-1-replica-1'\nlatency = '50ms'\n[[fault]]\n"
                          "fail-over = 'redis-1'\nat = '20ms'\n"),
              HasSubstr("PXAT 1735689610000, ignored: the connection was closed\n"));
}

TEST(Truth, TheEntryOfAnEnsembleLeavesTheColumnOfAServerThatIsCutOff) {
  const scenarios::Run run = scenarios::Runner().run(
      scenarios::parse(
          "format = 1\n[lock]\nalgorithm = 'zk-sequential'\n[clients]\ncount = 1\nhold = '8s'\n"
          "[[fault]]\npartition = 'zookeeper-1'\nfrom = ['zookeeper-2', 'zookeeper-3']\nat = '2s'\n"
          "for = '100s'\n",
          "x", scenarios::shipped_vocabulary()),
      1, true);
  std::vector<std::string> columns;
  for (const Change& change : tell(run, Narrator(run)).changes) {
    if (change.shift == Shift::entry_is) columns.push_back(run.processes[change.process]);
  }
  EXPECT_THAT(columns, ::testing::ElementsAre("zookeeper-1", "zookeeper-2"));
}

TEST(Truth, AClientThatGetsNoTokenSaysWhyItGivesTheLockBack) {
  EXPECT_THAT(timeline_of(std::string(kTwoClients) +
                          "[servers.resource]\nfencing = 'after'\n[[fault]]\ndrop = 'client-1'\n"
                          "before = 'acquire.sent'\ncommand = 'INCR'\n"),
              HasSubstr("client-1 has no fencing token, so it gives the lock back"));
}

TEST(Truth, APauseThatOverlapsAnotherLastsFromTheBeginningOfTheFirst) {
  const std::string pause = "[[fault]]\npause = 'client-1'\nfor = '";
  EXPECT_THAT(timeline_of(kTwoClients + pause + "3s'\nat = '1s'\n" + pause + "4s'\nat = '2s'\n"),
              HasSubstr("client-1 runs again after 5s"));
}

TEST(Truth, APartitionIsNotOverAgainAfterItIsHealed) {
  const std::string text = timeline_of(
      std::string(kTwoClients) +
      "[[fault]]\npartition = 'client-1'\nat = '1s'\nfor = '7s'\n[[fault]]\nheal = 'client-1'\n"
      "at = '3s'\n");
  EXPECT_THAT(text, HasSubstr("fault 2: heal client-1 at 3s"));
  EXPECT_THAT(text, Not(HasSubstr("is over")));
}

TEST(Truth, ColumnsStandStillFromTenThousandSecondsOn) {
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'lua-check-delete'\nttl = '20000s'\n[clients]\ncount = 1\n"
      "hold = '12000s'\n");
  const std::size_t first = text.find("WRITE 1");
  const std::size_t last = text.find("WRITE 2");
  ASSERT_NE(last, std::string::npos);
  const auto column = [&](std::size_t at) { return at - text.rfind('\n', at); };
  EXPECT_EQ(column(first), column(last));
}

// A dead waiter heads the queue: no acquire ends, so `available` has nothing to judge.
TEST(Truth, ALockThatIsFreeAndYetRefusedIsMeasured) {
  const std::string text = timeline_of(scenarios::shipped::document("fair-lock-dead-waiters")
                                           .twin(1, scenarios::shipped_vocabulary()));
  EXPECT_THAT(text, ContainsRegex("✓ [^\n]*properties hold"));
  EXPECT_THAT(text,
              HasSubstr("nobody had the lock for 25.1s, until 27.075s, although clients waited, "
                        "client-5 to the end\n"));
  EXPECT_THAT(timeline_of(kTwoClients), Not(HasSubstr("nobody had the lock")))
      << "a handover takes no longer than an attempt";
}

// The verdict is made up: the judge excuses an answer that a fault has taken.
TEST(Truth, AnAcquireWithoutAnAnswerWasNotRefused) {
  using history::What;
  const scenarios::Scenario scenario = scenarios::parse(
      "format = 1\n[lock]\nalgorithm = 'naive-setnx'\nattempts = 1\n[clients]\ncount = 2\n"
      "hold = '1s'\n[[fault]]\ncrash = 'redis-1'\nafter = 'write.applied'\nfor = '1s'\n"
      "silent = true\n",
      "x", scenarios::shipped_vocabulary());
  scenarios::Outcome outcome;
  outcome.run = scenarios::Runner().run(scenario, scenario.seed, true);
  const history::History& history = outcome.run.history;
  const auto position_of = [&history](What what) {
    const auto found = std::find_if(history.begin(), history.end(), [what](const auto& event) {
      return event.what == what && event.tenure == 2;
    });
    return static_cast<std::uint32_t>(found - history.begin());
  };
  properties::Verdict& verdict =
      outcome.run.verdicts[static_cast<std::size_t>(Property::available)];
  verdict.outcome = properties::Outcome::violated;
  verdict.count = 1;
  verdict.witnesses = {{position_of(What::acquire_unknown), position_of(What::acquire_invoked)}};
  TextOptions options;
  options.width = 200;
  const std::string text = timeline(outcome, options);
  EXPECT_THAT(
      text,
      HasSubstr("available: client-2 (tenure 2) was left without an answer although the lock was "
                "available"));
  EXPECT_THAT(text, Not(HasSubstr("refused although")));
}

TEST(Truth, AReleaseThatAlwaysFailsIsNamedAsTheLocksFailure) {
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'lua-check-delete'\n[lock.release_script]\n"
      "lua = \"return redis.error_reply('ERR no')\"\n[clients]\ncount = 2\n");
  EXPECT_THAT(text, HasSubstr("no client ever finished its work with the lock"));
  EXPECT_THAT(text,
              HasSubstr("no critical section was finished in the whole run: at 4.004s client-1 "
                        "failed to release the lock, although its entry was still there\n"));
}

TEST(Truth, AReleaseThatTellsItsHolderNothingWasThereAfterItFreedTheLockIsNamed) {
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'lua-check-delete'\n[lock.release_script]\n"
      "lua = \"redis.call('del', KEYS[1]) return 0\"\n[clients]\ncount = 1\n");
  EXPECT_THAT(text, HasSubstr("balanced-holds: client-1's release freed the lock, yet reported "
                              "nothing to release"));
  EXPECT_THAT(text,
              HasSubstr("client-1 was told at 4.004s that it had nothing to release, although "
                        "its release had removed its entry on redis-1 at 4.004s\n"));
}

TEST(Truth, AThreadThatNoConnectionIsLeftForIsStuck) {
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'mysql-row-lock'\nconnections = 1\n[clients]\ncount = 1\nthreads = 2\n"
      "[[fault]]\nend-thread = 'client-1'\nafter = 'write.replied'\n");
  EXPECT_THAT(text, HasSubstr("client-1 has no connection left: each is lent to a thread that has "
                              "ended\n"));
  EXPECT_THAT(text, ContainsRegex("not-stuck +violated"));
  EXPECT_THAT(text, HasSubstr("to the end of the run, without a connection: each of its process is "
                              "lent to a thread that has ended\n"));
}

// The wait begins at 1 s, and its cause comes later.
TEST(Truth, AWaitThatDoesNotEndIsToldAtTheEndOfTheRun) {
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'naive-setnx'\n[clients]\ncount = 2\nhold = '4s'\n[[fault]]\n"
      "crash = 'client-1'\nat = '3s'\n");
  const std::size_t fault = text.find("fault 1: crash client-1 at 3s");
  const std::size_t stuck = text.find("not-stuck: client-2 waits forever");
  ASSERT_NE(stuck, std::string::npos);
  EXPECT_LT(fault, stuck);
  EXPECT_LT(stuck, text.find("the run ends"));
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(Truth, OneStepAtSeveralServersIsOneRow) {
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'redlock'\n[servers.redis]\nmasters = 5\n[clients]\ncount = 1\n"
      "hold = '1s'\n[[fault]]\npartition = 'client-1'\nfrom = ['redis-4', 'redis-5']\nat = '0s'\n"
      "for = '500ms'\n");
  EXPECT_EQ(count(text, "SET lock:order-42 d9bf324812f4 NX PX 10000 →"), 1U) << text;
  EXPECT_THAT(text, HasSubstr("├────────►╂───────►╂───────►┃1")) << text;
  EXPECT_THAT(text, HasSubstr("→ redis-1, redis-2 and redis-3: OK; still on its way to redis-4 and "
                              "redis-5\n"));
  EXPECT_THAT(text, HasSubstr("► more than one in a row: the same request to several servers"));
  EXPECT_THAT(text, HasSubstr("client-1 stops waiting for the answer to SET from redis-4 and "
                              "redis-5; client-1 holds the lock\n"));
}

TEST(Truth, RenewalsAtSeveralServersAreFoldedWithTheirAnswers) {
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'redlock'\nttl = '3s'\nrenew = 'conditional'\n"
      "renew_every = '500ms'\n[servers.redis]\nmasters = 3\n"
      "[clients]\ncount = 1\nhold = '9s'\n");
  EXPECT_THAT(text, HasSubstr("client-1 renewed its lease 16 times more (until 8.517s)\n"));
}

TEST(Truth, RetriesAfterAFailoverAreFoldedToo) {
  const std::string text = timeline_of(scenarios::shipped::document("released-lock-reappears")
                                           .scenario(scenarios::shipped_vocabulary()));
  EXPECT_THAT(text, HasSubstr("client-2 retried"));
  EXPECT_LT(count(text, "→ nil, refused"), 5U) << text;
}

TEST(Truth, TheColumnOfAServerShowsTheEntriesOfSeveralLocks) {
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'lua-check-delete'\n[clients]\ncount = 2\nkeys = ['a', 'b']\n"
      "[[fault]]\nevict = 'redis-1'\nkey = 'a'\nat = '2s'\n");
  EXPECT_THAT(text, ContainsRegex("►┃1 [^\n]*SET b [^\n]*client-1 holds the lock b"));
  EXPECT_THAT(text, ContainsRegex("►┃  [^\n]*SET a [^\n]*client-2 holds the lock a"))
      << "each client has an entry";
  EXPECT_THAT(text, HasSubstr("┃ entries of several clients"));
}

TEST(Truth, ALengthBelowAMicrosecondIsToldInNanoseconds) {
  EXPECT_THAT(timeline_of(std::string(kTwoClients) +
                          "[[fault]]\ndelay = 'client-1'\nbefore = 'acquire.sent'\nfor = '1ns'\n"),
              HasSubstr("by 1ns"));
}

TEST(Truth, ARepeatedMessageIsToldAsACopyAndIsNoStepOfItsClient) {
  const std::string text =
      timeline_of(std::string(kTwoClients) +
                  "[[fault]]\nduplicate = 'client-1'\nbefore = 'release.sent'\nfor = '1s'\n"
                  "[[fault]]\npause = 'client-1'\nbefore = 'release.sent'\nnth = 2\nfor = '1s'\n");
  EXPECT_THAT(text, HasSubstr("copy of EVAL {script} 1 lock:order-42 d9bf324812f4 leaves"));
  EXPECT_THAT(text, HasSubstr("copy of EVAL {script} 1 lock:order-42 d9bf324812f4 arrives → 0"));
  EXPECT_THAT(text, HasSubstr("fault 2 did not fire"));
  EXPECT_THAT(text, HasSubstr("client-1 release.sent x1"));
}

// The server that answers last refuses, and the two before it make the quorum.
TEST(Truth, AGrantBesideARefusalNamesTheServersThatGrantedToo) {
  const std::string step = "[[fault]]\nat = '1s'\nstep = '10s'\nstep-clock = 'redis-";
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'redlock'\nttl = '5s'\n[servers.redis]\nmasters = 3\n[clients]\n"
      "count = 2\nhold = '3s'\n" +
      step + "1'\n" + step + "2'\n");
  EXPECT_THAT(text, HasSubstr("→ redis-1 and redis-2: OK; redis-3: nil, refused; client-2 holds "
                              "the lock\n"));
}

TEST(Truth, ALockThatCutsEverySectionOffDoesNoWork) {
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'redisson-lock-fixed'\nrenew_script = { lua = 'return {0}' }\n"
      "ttl = '3s'\n[clients]\ncount = 3\ncycles = 2\nhold = '6s'\n");
  EXPECT_THAT(text, ContainsRegex("progress +violated"));
  EXPECT_THAT(text, HasSubstr("no client ever finished its work with the lock"));
  EXPECT_THAT(text,
              HasSubstr("no critical section was finished in the whole run: at 1.006s client-1 "
                        "was told that it had lost the lock, although nothing had taken its "
                        "entry\n"));
}

TEST(Truth, AMessageComparesLengthsInOneUnit) {
  EXPECT_THAT(timeline_of(std::string(kTwoClients) + "[expect]\nlongest_wait = ['3s', '3s']\n"),
              ContainsRegex("the longest wait was [0-9.]+s, not 3s to 3s as expected\n"));
}

// The words of the section on faults about a fault in vain.
std::string in_vain(const std::string& faults) {
  const std::string text = timeline_of(kTwoClients + faults);
  const std::size_t at = text.find("; changed nothing at ");
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(Truth, AFaultThatChangesNothingIsToldAsHavingChangedNothing) {
  const std::string crash = "[[fault]]\ncrash = 'client-1'\nat = '1s'\n";
  EXPECT_EQ(in_vain(crash), "");
  EXPECT_EQ(in_vain(crash + "[[fault]]\ncrash = 'client-1'\nat = '2s'\n"),
            "; changed nothing at 2.000s: it had crashed already");
  EXPECT_EQ(in_vain(crash + "[[fault]]\npause = 'client-1'\nat = '2s'\nfor = '1s'\n"),
            "; changed nothing at 2.000s: it had crashed already");
  EXPECT_EQ(in_vain(crash + "[[fault]]\nend-thread = 'client-1'\nat = '2s'\n"),
            "; changed nothing at 2.000s: it had crashed already");
  EXPECT_EQ(in_vain("[[fault]]\nheal = 'client-1'\nat = '2s'\n"),
            "; changed nothing at 2.000s: nothing of it was cut off or held up");
  EXPECT_EQ(in_vain("[[fault]]\nevict = 'redis-1'\nkey = 'none'\nat = '2s'\n"),
            "; changed nothing at 2.000s: the key was not there");
  EXPECT_EQ(in_vain("[[fault]]\nevict = 'redis-1'\nat = '2s'\n"), "");
}

std::string at_2s(const std::string& fault) { return "[[fault]]\nat = '2s'\n" + fault; }

TEST(Truth, AFaultOfAClientThatHasCrashedForGoodIsInVain) {
  const std::string crash = "[[fault]]\ncrash = 'client-1'\nat = '1s'\n";
  const std::string again = "[[fault]]\nrestart = 'client-1'\nat = '3s'\n";
  const std::string words = "; changed nothing at 2.000s: it had crashed already";
  for (const char* const fault :
       {"partition = 'client-1'\n", "slow = 'client-1'\nstep = '1s'\nfor = '3s'\n",
        "step-clock = 'client-1'\nstep = '1h'\n", "set-clock-rate = 'client-1'\nrate = 2.0\n"}) {
    EXPECT_EQ(in_vain(crash + at_2s(fault)), words) << fault;
  }
  EXPECT_EQ(in_vain(crash + at_2s("step-clock = 'client-1'\nstep = '1h'\n") + again), "")
      << "its clock matters again once it restarts";
}

TEST(Truth, AMessageInFlightFromACrashedClientMeetsAPartition) {
  const std::string crash = "[[fault]]\ncrash = 'client-1'\nafter = 'write.sent'\n";
  EXPECT_EQ(in_vain(crash + "[[fault]]\npartition = 'client-1'\nat = '1200us'\n"), "");
}

TEST(Truth, AnEvictionAtACrashedServerIsInVain) {
  const std::string crash = "[[fault]]\ncrash = 'redis-1'\nat = '1s'\n";
  EXPECT_EQ(in_vain(crash + at_2s("evict = 'redis-1'\n")),
            "; changed nothing at 2.000s: the server had crashed already");
}

TEST(Truth, AClockRateThatIsTheSameIsInVain) {
  EXPECT_EQ(in_vain(at_2s("set-clock-rate = 'redis-1'\nrate = 1.0\n")),
            "; changed nothing at 2.000s: its clocks ran at this rate already");
  EXPECT_EQ(in_vain(at_2s("set-clock-rate = 'redis-1'\nrate = 1.1\n")), "");
  EXPECT_EQ(in_vain("[[fault]]\nset-clock-rate = 'redis-1'\nrate = 1.0\nat = '1s'\nfor = '3s'\n" +
                    at_2s("set-clock-rate = 'redis-1'\nrate = 1.1\n")),
            "")
      << "the first fault ends the second";
}

TEST(Truth, APartitionThatStopsNothingIsInVain) {
  EXPECT_EQ(in_vain(at_2s("partition = 'client-1'\nfrom = 'client-2'\n")),
            "; changed nothing at 2.000s: the two sides never talk to each other");
  EXPECT_EQ(in_vain(at_2s("partition = 'client-1'\nfor = '1s'\n")),
            "; changed nothing at 2.000s: nothing was sent that it could stop");
  EXPECT_EQ(in_vain(at_2s("partition = 'client-2'\nfor = '3s'\n")), "");
}

TEST(Truth, APartitionWithinAnotherIsInVain) {
  const std::string outer = "[[fault]]\npartition = 'client-2'\nat = '1s'\nfor = '10s'\n";
  EXPECT_EQ(in_vain(outer + at_2s("partition = 'client-2'\nfor = '3s'\n")),
            "; changed nothing at 2.000s: all of it was cut off already");
  EXPECT_EQ(in_vain(outer + at_2s("partition = 'client-2'\nfor = '20s'\n")), "")
      << "it lasts longer";
}

TEST(Truth, APauseWithinALongerOneIsInVain) {
  const std::string outer = "[[fault]]\npause = 'client-1'\nat = '1s'\nfor = '30s'\n";
  EXPECT_EQ(in_vain(outer + at_2s("pause = 'client-1'\nfor = '3s'\n")),
            "; changed nothing at 2.000s: it was paused already, and for longer");
  EXPECT_EQ(in_vain(outer + at_2s("pause = 'client-1'\nfor = '30s'\n")), "");
  EXPECT_EQ(in_vain(outer + at_2s("pause = 'client-2'\nfor = '3s'\n")), "");
}

TEST(Truth, AnInterruptOfAThreadThatWaitsForNoLockAnyMoreIsInVain) {
  EXPECT_EQ(in_vain(at_2s("interrupt = 'client-1'\n")),
            "; changed nothing at 2.000s: its thread began no wait from then on that could be "
            "interrupted");
  EXPECT_EQ(in_vain(at_2s("interrupt = 'client-2'\n")), "");
  EXPECT_EQ(in_vain("cycles = 2\nthink = '2s'\n" + at_2s("interrupt = 'client-1'\n")), "")
      << "it gives up its next wait";
}

TEST(Truth, AFaultInVainHasItsReasonInItsRowAndFailsTheRun) {
  const std::string text = timeline_of(
      "[lock]\nalgorithm = 'mysql-get-lock'\n[clients]\ncount = 1\n[[fault]]\n"
      "kill-session = 'client-1'\nat = '0s'\n");
  EXPECT_THAT(text, ContainsRegex("fault 1: kill the session of client-1 at 0s: no server had a "
                                  "session of it"));
  EXPECT_THAT(text, HasSubstr("0 faults;"));
  EXPECT_THAT(text, HasSubstr("fault 1 changed nothing: no server had a session of it\n"));
}

}  // namespace
}  // namespace picklock::reports
