#include "scenarios/measures.h"

#include <gtest/gtest.h>

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;
using history::HistoryEvent;
using history::What;
using sim::Duration;

history::History history(std::initializer_list<HistoryEvent> events) { return events; }

HistoryEvent of(history::TenureId tenure, What what, Duration at, sim::ProcessId process = 0) {
  return {.at = sim::kStart + at, .what = what, .process = process, .tenure = tenure};
}

HistoryEvent woken(history::TenureId waiter, history::TenureId by, Duration at) {
  HistoryEvent event = of(waiter, What::wait_ended, at);
  event.owner = by;
  return event;
}

TEST(LongestWait, IsThatOfAnAnswerOrOfTheEndButNotOfTheDead) {
  const auto answered = history({of(1, What::acquire_invoked, 0s), of(1, What::acquire_ok, 2s)});
  EXPECT_EQ(longest_wait(answered, sim::kStart + 9s).length, 2s);
  const auto open = history({of(1, What::acquire_invoked, 1s, 4)});
  EXPECT_EQ(longest_wait(open, sim::kStart + 9s).length, 8s);
  EXPECT_EQ(longest_wait(open, sim::kStart + 9s).process, 4u);
  const auto dead =
      history({of(1, What::acquire_invoked, 1s, 4), of(0, What::process_crashed, 3s, 4)});
  EXPECT_EQ(longest_wait(dead, sim::kStart + 9s).length, 0s);
}

TEST(Wakeups, AreCountedByWhoseReleaseItWas) {
  const Wakeups herd = wakeups(history({woken(2, 1, 1s), woken(3, 1, 1s), woken(3, 2, 2s)}));
  EXPECT_EQ(herd.all, 3u);
  EXPECT_EQ(herd.by, 2u);
  EXPECT_EQ(herd.most, 2u);
}

TEST(Wakeups, AreNoTimeOutsAndNoSecondWordOfTheSameRelease) {
  const Wakeups one = wakeups(history({woken(2, 0, 1s), woken(2, 1, 2s), woken(2, 1, 3s)}));
  EXPECT_EQ(one.all, 1u);
  EXPECT_EQ(one.most, 1u);
}

// One that undoes its entries on a quorum, or crashes before it reads the answer, never held it.
TEST(Grants, AreCountedByTenuresThatLearnOfSuccessHoweverOftenTheyTry) {
  EXPECT_EQ(grants(history({of(1, What::acquire_invoked, 0s), of(1, What::entry_created, 1s, 9),
                            of(1, What::entry_removed, 2s, 9), of(1, What::entry_created, 3s, 9)})),
            0u);
  EXPECT_EQ(grants(history({of(1, What::acquire_ok, 0s), of(1, What::acquire_ok, 1s),
                            of(1, What::release_ok, 2s), of(2, What::acquire_ok, 3s)})),
            2u);
}

TEST(ContendedGrants, AreThoseThatOverlapAnotherTenure) {
  const auto apart = history({of(1, What::acquire_invoked, 0s), of(1, What::acquire_ok, 1s),
                              of(1, What::release_ok, 2s), of(2, What::acquire_invoked, 3s),
                              of(2, What::acquire_ok, 4s)});
  EXPECT_EQ(contended_grants(apart), 0u);
  const auto waiting = history({of(1, What::acquire_invoked, 0s), of(1, What::acquire_ok, 1s),
                                of(2, What::acquire_invoked, 2s), of(1, What::release_ok, 3s),
                                of(2, What::acquire_ok, 4s)});
  EXPECT_EQ(contended_grants(waiting), 2u);
  const auto refused = history({of(1, What::acquire_invoked, 0s), of(1, What::acquire_ok, 1s),
                                of(2, What::acquire_invoked, 2s), of(2, What::acquire_failed, 3s)});
  EXPECT_EQ(contended_grants(refused), 1u);
}

TEST(WorkingClients, AreThoseThatBelieveInTheLockOrWhomTheResourceAccepts) {
  history::History of_programs = {of(1, What::write_accepted, 1s, 9),
                                  of(1, What::write_rejected, 2s, 9)};
  of_programs[0].peer = 4;
  of_programs[1].peer = 5;
  EXPECT_EQ(working_clients(of_programs), 1u);
  of_programs.push_back(of(2, What::acquire_ok, 3s));
  EXPECT_EQ(working_clients(of_programs), 2u);
}

TEST(ContendedGrants, AreNotThoseThatOnlyTheirOwnNestedAcquiresContend) {
  const auto nested = history({of(1, What::acquire_invoked, 0s), of(1, What::acquire_ok, 1s),
                               of(1, What::acquire_invoked, 2s), of(1, What::acquire_ok, 3s),
                               of(1, What::release_ok, 4s)});
  EXPECT_EQ(contended_grants(nested), 0u);
  history::History behind = nested;
  behind.push_back(of(2, What::acquire_invoked, 5s));
  behind.push_back(of(1, What::release_ok, 6s));
  behind.push_back(of(2, What::acquire_ok, 7s));
  EXPECT_EQ(contended_grants(behind), 2u);
}

}  // namespace
}  // namespace picklock::scenarios
