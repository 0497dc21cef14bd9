#include "models/locks/promises.h"

#include <gtest/gtest.h>

namespace picklock::models::locks::promises_tests {
namespace {

FaultClasses own_release_under(const LockOptions& options) {
  return own_release(options, GivesBack::its_own).under;
}

TEST(LockPromises, LeaveAForeignLockAloneWhateverHappensWithATokenPerAcquisition) {
  EXPECT_TRUE(own_release_under({}).covers(FaultClasses::all()));
}

// docs/facts/failures.md.
TEST(LockPromises, AreFewerWithATokenThatTenuresShare) {
  const FaultClasses client = own_release_under({.value = TokenPer::client});
  EXPECT_FALSE(client.has(FaultClass::late_command));
  EXPECT_FALSE(client.has(FaultClass::lost_reply));
  EXPECT_TRUE(client.has(FaultClass::crash));
  EXPECT_FALSE(own_release_under({.value = TokenPer::machine}).has(FaultClass::crash));
  EXPECT_FALSE(own_release_under({.value = TokenPer::client, .recognise_own = RecogniseOwn::always})
                   .has(FaultClass::crash));
}

// docs/facts/failures.md C-11.
TEST(LockPromises, AreFewerWithBlindRenewal) {
  const FaultClasses blind = own_release_under({.renew = Renew::blind});
  EXPECT_FALSE(blind.has(FaultClass::late_command));
  EXPECT_FALSE(blind.has(FaultClass::crash));
  EXPECT_TRUE(own_release_under({.renew = Renew::conditional}).covers(FaultClasses::all()));
}

// docs/facts/failures.md C-10.
TEST(LockPromises, DoNotOutlastACrashOnceBlindCommandsAreSentAgain) {
  EXPECT_TRUE(unhurried({}, GivesBack::blindly).has(FaultClass::crash));
  EXPECT_FALSE(unhurried({.resend = 1}, GivesBack::blindly).has(FaultClass::crash));
  EXPECT_TRUE(unhurried({.resend = 1}, GivesBack::its_own).has(FaultClass::crash));
}

// docs/facts/failures.md A-12: the renewing thread outlives the one that works.
TEST(LockPromises, CountOnTheEndOfALeaseUnlessItIsRenewed) {
  EXPECT_TRUE(while_leases_end({}).has(FaultClass::crash));
  EXPECT_FALSE(while_leases_end({.renew = Renew::conditional}).has(FaultClass::crash));
}

TEST(LockPromises, CountOnNoThreadToEndWithAMutexOfItsProcess) {
  EXPECT_FALSE(while_leases_end({.local_mutex = LocalMutex::freed}).has(FaultClass::crash));
  EXPECT_TRUE(while_leases_end({.local_mutex = LocalMutex::freed}).has(FaultClass::partition));
}

// A replica that does not acknowledge has the effect of a server that refuses.
TEST(LockPromises, GrantAFreeKeyUnderFewerFaultsWhereReplicasMustHaveIt) {
  EXPECT_TRUE(available({}).under.covers(FaultClasses::all()));
  const FaultClasses waiting = available({.wait_replicas = 1}).under;
  EXPECT_TRUE(waiting.covers({FaultClass::late_write, FaultClass::client_clock}));
  EXPECT_FALSE(waiting.has(FaultClass::partition));
  EXPECT_FALSE(waiting.has(FaultClass::pause));
  EXPECT_FALSE(waiting.has(FaultClass::crash));
}

TEST(LockPromises, GrantAFreeKeyOnlyWhileNoClockThatStepsEndsTheWait) {
  LockOptions options{.acquire_timeout = std::chrono::seconds(3)};
  EXPECT_TRUE(available(options).under.has(FaultClass::client_clock));
  options.clock = ClientClock::wall;
  EXPECT_FALSE(available(options).under.has(FaultClass::client_clock));
  options.acquire_timeout = {};
  EXPECT_TRUE(available(options).under.has(FaultClass::client_clock));
}

TEST(LockPromises, AreOtherwiseTheSameWhereReplicasMustHaveTheKey) {
  const auto made = [](const LockOptions& options) {
    return leased(options, GivesBack::its_own, FaultClasses::all());
  };
  const std::vector<Promise> one = made({});
  const std::vector<Promise> other = made({.wait_replicas = 1});
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].property, other[i].property);
    if (one[i].property == Property::available) continue;
    EXPECT_TRUE(one[i].under.covers(other[i].under) && other[i].under.covers(one[i].under));
  }
}

TEST(LockPromises, GiveAnAttemptThatWaitsForReplicasItsTime) {
  using namespace std::chrono_literals;
  const LockOptions waiting{.wait_replicas = 1, .wait_timeout = 2s};
  EXPECT_EQ(lease_and_one_attempt(waiting), lease_and_one_attempt({}) + 2s);
  EXPECT_EQ(lease_and_one_attempt({.wait_timeout = 2s}), lease_and_one_attempt({}));
}

}  // namespace
}  // namespace picklock::models::locks::promises_tests
