#include "reports/violation.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "testing/sample_run.h"

namespace picklock::reports {
namespace {

using testing::at_ms;

TEST(Violation, TellsWhoWhenAndAtWhichStep) {
  const scenarios::Run run = testing::blind_delete();
  const Narrator narrator(run);
  const auto first = [&](Property property) {
    return Violation(narrator, property,
                     run.verdicts[static_cast<std::size_t>(property)].witnesses.front())
        .sentence();
  };
  EXPECT_EQ(first(Property::mutual_exclusion),
            "client-2 was told at 10.051s that it holds the lock, but client-1 had believed the "
            "same since 0.001s");
  EXPECT_EQ(
      first(Property::own_release),
      "client-1 removed client-2's entry of lock:order-42 on redis-1 at 12.003s, with its release");
  EXPECT_EQ(
      first(Property::loss_noticed),
      "client-1's entry expired at 10.002s; its owner believed that it held the lock until it "
      "began to release at 12.003s and never learned of the loss");
}

TEST(Violation, TellsTenuresOfOneClientApart) {
  testing::RunBuilder b({"client-1", "redis-1"});
  const auto first = b.client(at_ms(1), history::What::acquire_ok, 0, 1);
  const auto second = b.client(at_ms(2), history::What::acquire_ok, 0, 2);
  const Narrator narrator(b.run);
  EXPECT_EQ(Violation(narrator, Property::mutual_exclusion, {second, first}).headline(),
            "client-1 (tenure 1) and client-1 (tenure 2) both believe they hold the lock");
}

TEST(Violation, TellsWhoWasTheVictimOfADeadlockAndWhoWaitedInVain) {
  testing::RunBuilder b({"client-1", "client-2", "mysql-1"});
  b.client(at_ms(0), history::What::acquire_invoked, 1, 2);
  const auto broken = b.happens(
      {.at = at_ms(1), .what = history::What::deadlock_broken, .process = 2, .tenure = 2});
  const auto refused = b.happens(
      {.at = at_ms(2000), .what = history::What::refused_free, .process = 2, .tenure = 2});
  const Narrator narrator(b.run);
  EXPECT_EQ(Violation(narrator, Property::no_deadlock, {broken, broken}).headline(),
            "client-2 (tenure 2) is the victim of a deadlock");
  EXPECT_EQ(Violation(narrator, Property::no_deadlock, {broken, broken}).sentence(),
            "mysql-1 found a deadlock at 0.001s, and client-2 (tenure 2) was its victim");
  EXPECT_EQ(Violation(narrator, Property::available, {refused, refused}).headline(),
            "client-2 (tenure 2) was refused although the lock was available");
}

TEST(Violation, TellsWhoSleptOnAndWhoFreedTheLock) {
  testing::RunBuilder b({"client-1", "client-2", "redis-1"});
  b.client(at_ms(0), history::What::acquire_ok, 0, 1);
  b.client(at_ms(0), history::What::acquire_invoked, 1, 2);
  const auto sleeps = b.client(at_ms(1000), history::What::wait_begun, 1, 2);
  const auto freed = b.happens({.at = at_ms(4000),
                                .what = history::What::entry_removed,
                                .process = 2,
                                .tenure = 1,
                                .owner = 1});
  const Narrator narrator(b.run);
  EXPECT_EQ(Violation(narrator, Property::no_lost_wakeup, {sleeps, freed}).headline(),
            "client-2 keeps sleeping while the lock is free");
  EXPECT_EQ(
      Violation(narrator, Property::no_lost_wakeup, {sleeps, freed}).sentence(),
      "client-2 began to wait for the lock at 1.000s and kept sleeping, although it could have "
      "had it since 4.000s");
  EXPECT_EQ(
      Violation(narrator, Property::no_lost_wakeup, {sleeps, sleeps}).sentence(),
      "client-2 began to wait for the lock at 1.000s and kept sleeping, although it could have "
      "had it since then");
}

TEST(Violation, TellsWhoWokeTooMany) {
  testing::RunBuilder b({"client-1", "client-2", "client-3"});
  b.client(at_ms(0), history::What::acquire_ok, 0, 1);
  b.client(at_ms(0), history::What::acquire_invoked, 1, 2);
  b.client(at_ms(0), history::What::acquire_invoked, 2, 3);
  const auto release = b.client(at_ms(2000), history::What::release_invoked, 0, 1);
  const auto wakes = [&b](sim::ProcessId process) {
    return b.happens({.at = at_ms(2001),
                      .what = history::What::wait_ended,
                      .process = process,
                      .thread = process + 1,
                      .tenure = process + 1,
                      .owner = 1});
  };
  const auto first = wakes(1);
  const auto second = wakes(2);
  const Narrator narrator(b.run);
  EXPECT_EQ(Violation(narrator, Property::bounded_wakeups, {second, release}).headline(),
            "client-1 wakes more waiters than allowed");
  EXPECT_EQ(
      Violation(narrator, Property::bounded_wakeups, {second, release}).sentence(),
      "client-3 was woken at 2.001s, one waiter more than client-1's release at 2.000s may wake");
  EXPECT_EQ(Violation(narrator, Property::bounded_wakeups, {second, first}).sentence(),
            "client-3 was woken at 2.001s by client-1, one waiter more than client-1 may wake");
}

TEST(Violation, TellsOfALostUpdateAndOfAHolderThatIsRefused) {
  testing::RunBuilder b({"client-1", "client-2", "redis-1", "resource"});
  b.client(at_ms(0), history::What::acquire_invoked, 0, 1);
  b.client(at_ms(0), history::What::acquire_invoked, 1, 2);
  const auto grant =
      b.happens({.at = at_ms(1), .what = history::What::entry_created, .process = 2, .tenure = 2});
  const auto at_resource = [&b](int at, history::What what, history::TenureId tenure,
                                std::uint32_t version, std::uint32_t base) {
    return b.happens({.at = at_ms(at),
                      .what = what,
                      .process = 3,
                      .peer = tenure - 1,
                      .tenure = tenure,
                      .version = version,
                      .base = base});
  };
  const auto update = at_resource(2000, history::What::write_accepted, 2, 2, 1);
  const auto write = at_resource(3000, history::What::write_accepted, 1, 3, 1);
  const auto rejected = at_resource(4000, history::What::write_rejected, 2, 3, 2);
  b.run.history[rejected].cause = history::Cause::version;
  const Narrator narrator(b.run);
  EXPECT_EQ(Violation(narrator, Property::no_lost_update, {write, update}).headline(),
            "client-1's write replaced an update of client-2 that it had not read");
  EXPECT_EQ(Violation(narrator, Property::no_lost_update, {write, update}).sentence(),
            "resource accepted client-1's write at 3.000s, based on version 1, in place of version "
            "2, which client-2 had written at 2.000s");
  EXPECT_EQ(Violation(narrator, Property::no_holder_refused, {rejected, grant}).headline(),
            "client-2 holds the lock, but its write was rejected");
  EXPECT_EQ(Violation(narrator, Property::no_holder_refused, {rejected, grant}).sentence(),
            "resource rejected client-2's write at 4.000s because version 3 was current, although "
            "no grant is newer than client-2's, at 0.001s");
}

TEST(Violation, TellsWhoOvertookWhom) {
  testing::RunBuilder b({"client-1", "client-2", "redis-1"});
  b.client(at_ms(0), history::What::acquire_invoked, 0, 1);
  b.client(at_ms(0), history::What::acquire_invoked, 1, 2);
  const auto queued =
      b.happens({.at = at_ms(1), .what = history::What::queued, .process = 2, .tenure = 1});
  const auto believed = b.client(at_ms(2000), history::What::acquire_ok, 1, 2);
  const Narrator narrator(b.run);
  EXPECT_EQ(Violation(narrator, Property::fair_order, {believed, queued}).headline(),
            "client-2 overtakes client-1 once more than allowed");
  EXPECT_EQ(
      Violation(narrator, Property::fair_order, {believed, queued}).sentence(),
      "client-2 was told at 2.000s that it holds the lock, although client-1 had requested it "
      "earlier, at 0.001s, and had already been overtaken as often as allowed");
  EXPECT_EQ(Violation(narrator, Property::fair_order, {believed, queued}).concerned(),
            (std::vector<sim::ProcessId>{1, 0}));
}

TEST(Violation, TellsWhichServerMiscounts) {
  testing::RunBuilder b({"client-1", "redis-1"});
  b.client(at_ms(0), history::What::acquire_invoked, 0, 1);
  const auto set = b.happens({.at = at_ms(1),
                              .what = history::What::entry_altered,
                              .holds = 2,
                              .process = 1,
                              .tenure = 1,
                              .owner = 1});
  const auto told = b.client(at_ms(2), history::What::acquire_ok, 0, 1);
  const auto released = b.client(at_ms(3), history::What::release_ok, 0, 1);
  const Narrator narrator(b.run);
  EXPECT_EQ(Violation(narrator, Property::balanced_holds, {told, set}).headline(),
            "redis-1 miscounts the holds of client-1");
  EXPECT_EQ(Violation(narrator, Property::balanced_holds, {told, set}).sentence(),
            "when client-1 was told that it holds the lock at 0.002s, redis-1 counted 2 of "
            "its holds, a number set at 0.001s");
  EXPECT_EQ(
      Violation(narrator, Property::balanced_holds, {released, set}).sentence(),
      "when client-1 had released the lock at 0.003s, redis-1 counted 2 of its holds, a number "
      "set at 0.001s");
}

TEST(Violation, TellsOfAMutexThatNoLiveThreadCanRelease) {
  testing::RunBuilder b({"client-1", "redis-1"});
  b.client(at_ms(0), history::What::acquire_invoked, 0, 1);
  const auto mutex =
      b.happens({.at = at_ms(1), .what = history::What::entry_created, .process = 0, .tenure = 1});
  const auto waits = b.client(at_ms(2), history::What::acquire_invoked, 0, 2);
  EXPECT_EQ(
      Violation(Narrator(b.run), Property::not_stuck, {waits, mutex}).sentence(),
      "client-1 (tenure 2) has waited for the lock since 0.002s, to the end of the run, behind "
      "a mutex of its own process that no live thread can release");
}

TEST(Violation, SurvivesWitnessesThatDoNotFit) {
  const scenarios::Run run = testing::blind_delete();
  const Narrator narrator(run);
  constexpr std::uint32_t kBeyond = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    const auto property = static_cast<Property>(i);
    EXPECT_FALSE(Violation(narrator, property, {kBeyond, 0}).sentence().empty());
    EXPECT_TRUE(Violation(narrator, property, {kBeyond, 0}).headline().empty());
    for (std::uint32_t event = 0; event < run.history.size(); ++event) {
      EXPECT_FALSE(Violation(narrator, property, {event, kBeyond}).sentence().empty());
      EXPECT_FALSE(Violation(narrator, property, {event, event}).headline().empty());
      EXPECT_FALSE(Violation(narrator, property, {event, 0}).sentence().empty());
    }
  }
}

}  // namespace
}  // namespace picklock::reports
