#include <gtest/gtest.h>

#include "testing/operations.h"

namespace picklock::properties::linearizable {
namespace {

using Mutexes = Script<Mutex>;
using Locks = Script<ReentrantLock>;
using ReadWriteLocks = Script<ReadWriteLock>;
using Semaphores = Script<Semaphore>;
using Tokens = Script<FencingToken>;

TEST(MutexSpecification, LetsOwnersFollowEachOther) {
  using enum Mutex::Verb;
  EXPECT_TRUE(Mutexes()
                  .does(0, 1, {acquire, 1})
                  .does(2, 3, {release, 1})
                  .does(4, 5, {acquire, 2})
                  .does(6, 7, {release, 2})
                  .is_linearizable());
}

TEST(MutexSpecification, RefusesASecondOwner) {
  using enum Mutex::Verb;
  EXPECT_FALSE(Mutexes().does(0, 1, {acquire, 1}).does(2, 3, {acquire, 2}).is_linearizable());
}

TEST(MutexSpecification, HandsOverWhileReleaseAndAcquireOverlap) {
  using enum Mutex::Verb;
  EXPECT_TRUE(Mutexes()
                  .does(0, 1, {acquire, 1})
                  .does(2, 9, {release, 1})
                  .does(0, 3, {acquire, 2})
                  .is_linearizable());
  EXPECT_FALSE(Mutexes()
                   .does(0, 1, {acquire, 1})
                   .does(4, 9, {release, 1})
                   .does(0, 3, {acquire, 2})
                   .is_linearizable());
}

TEST(MutexSpecification, ReleasesOnlyForItsOwner) {
  using enum Mutex::Verb;
  EXPECT_FALSE(Mutexes().does(0, 1, {acquire, 1}).does(2, 3, {release, 2}).is_linearizable());
  EXPECT_FALSE(Mutexes().does(0, 1, {release, 1}).is_linearizable());
}

TEST(MutexSpecification, RefusesAnAttemptOnlyWhileItIsHeld) {
  using enum Mutex::Verb;
  EXPECT_TRUE(Mutexes().does(0, 1, {acquire, 1}).does(2, 3, {refused, 2}).is_linearizable());
  EXPECT_TRUE(Mutexes().does(0, 3, {acquire, 1}).does(1, 2, {refused, 2}).is_linearizable());
  EXPECT_FALSE(Mutexes().does(0, 1, {refused, 2}).does(2, 3, {acquire, 1}).is_linearizable());
}

TEST(ReentrantLockSpecification, IsFreeAfterAsManyReleasesAsAcquires) {
  using enum ReentrantLock::Verb;
  const auto after_releases = [](int releases) {
    Locks lock;
    lock.does(0, 1, {acquire, 1}).does(2, 3, {acquire, 1});
    for (int i = 0; i < releases; ++i) lock.does(4 + 2 * i, 5 + 2 * i, {release, 1});
    return lock.does(20, 21, {acquire, 2}).is_linearizable();
  };
  EXPECT_FALSE(after_releases(1));
  EXPECT_TRUE(after_releases(2));
  EXPECT_FALSE(after_releases(3));
}

TEST(ReentrantLockSpecification, LosesAllHoldsAtOnce) {
  using enum ReentrantLock::Verb;
  EXPECT_TRUE(Locks()
                  .does(0, 1, {acquire, 1})
                  .does(2, 3, {acquire, 1})
                  .leaves_open(4, {lose, 1})
                  .does(5, 6, {acquire, 2})
                  .is_linearizable());
  EXPECT_FALSE(Locks().does(0, 1, {acquire, 1}).does(2, 3, {lose, 2}).is_linearizable());
}

TEST(ReentrantLockSpecification, RefusesAnAttemptOnlyWhileAnotherHasIt) {
  using enum ReentrantLock::Verb;
  EXPECT_TRUE(Locks().does(0, 1, {acquire, 1}).does(2, 3, {refused, 2}).is_linearizable());
  EXPECT_FALSE(Locks().does(0, 1, {acquire, 1}).does(2, 3, {refused, 1}).is_linearizable());
}

TEST(ReadWriteLockSpecification, LetsReadersBeTogether) {
  using enum ReadWriteLock::Verb;
  EXPECT_TRUE(ReadWriteLocks()
                  .does(0, 1, {read, 2})
                  .does(2, 3, {read, 1})
                  .does(4, 5, {end_read, 2})
                  .does(6, 7, {end_read, 1})
                  .does(8, 9, {write, 3})
                  .is_linearizable());
}

TEST(ReadWriteLockSpecification, KeepsTheWriterAlone) {
  using enum ReadWriteLock::Verb;
  EXPECT_FALSE(ReadWriteLocks().does(0, 1, {read, 1}).does(2, 3, {write, 2}).is_linearizable());
  EXPECT_FALSE(ReadWriteLocks().does(0, 1, {write, 1}).does(2, 3, {read, 2}).is_linearizable());
  EXPECT_FALSE(ReadWriteLocks().does(0, 1, {write, 1}).does(2, 3, {write, 2}).is_linearizable());
  EXPECT_TRUE(ReadWriteLocks()
                  .does(0, 1, {write, 1})
                  .does(2, 3, {end_write, 1})
                  .does(4, 5, {read, 2})
                  .is_linearizable());
}

TEST(ReadWriteLockSpecification, WaitsForTheLastReader) {
  using enum ReadWriteLock::Verb;
  EXPECT_FALSE(ReadWriteLocks()
                   .does(0, 1, {read, 1})
                   .does(0, 1, {read, 2})
                   .does(2, 3, {end_read, 1})
                   .does(4, 5, {write, 3})
                   .is_linearizable());
}

TEST(ReadWriteLockSpecification, EndsOnlyWhatItsOwnerHas) {
  using enum ReadWriteLock::Verb;
  EXPECT_FALSE(ReadWriteLocks().does(0, 1, {read, 1}).does(2, 3, {end_read, 2}).is_linearizable());
  EXPECT_FALSE(
      ReadWriteLocks().does(0, 1, {write, 1}).does(2, 3, {end_write, 2}).is_linearizable());
  EXPECT_FALSE(ReadWriteLocks().does(0, 1, {read, 1}).does(2, 3, {read, 1}).is_linearizable());
}

TEST(SemaphoreSpecification, GivesNoMorePermitsThanItHas) {
  using enum Semaphore::Verb;
  EXPECT_TRUE(Semaphores({.permits = 3})
                  .does(0, 1, {acquire, 2})
                  .does(2, 3, {acquire, 1})
                  .is_linearizable());
  EXPECT_FALSE(Semaphores({.permits = 3})
                   .does(0, 1, {acquire, 2})
                   .does(2, 3, {acquire, 2})
                   .is_linearizable());
}

TEST(SemaphoreSpecification, LetsAnybodyReturnPermitsThatAreTaken) {
  using enum Semaphore::Verb;
  EXPECT_TRUE(Semaphores({.permits = 2})
                  .does(0, 1, {acquire, 2})
                  .does(2, 9, {release, 1})
                  .does(3, 4, {acquire, 1})
                  .is_linearizable());
  EXPECT_FALSE(Semaphores({.permits = 2}).does(0, 1, {release, 1}).is_linearizable());
}

TEST(SemaphoreSpecification, RefusesOnlyWhatItDoesNotHave) {
  using enum Semaphore::Verb;
  EXPECT_TRUE(Semaphores({.permits = 2})
                  .does(0, 1, {acquire, 1})
                  .does(2, 3, {refused, 2})
                  .is_linearizable());
  EXPECT_FALSE(Semaphores({.permits = 2})
                   .does(0, 1, {acquire, 1})
                   .does(2, 3, {refused, 1})
                   .is_linearizable());
}

TEST(FencingTokenSpecification, AcceptsNoWriteWithASmallerTokenThanItHasSeen) {
  using enum FencingToken::Verb;
  const auto writes = [](std::uint32_t first, std::uint32_t second) {
    return Tokens()
        .does(0, 1, {grant, 33})
        .does(2, 3, {grant, 34})
        .does(4, 4, {write, first})
        .does(5, 5, {write, second})
        .is_linearizable();
  };
  EXPECT_TRUE(writes(33, 34));
  EXPECT_TRUE(writes(33, 33));
  EXPECT_FALSE(writes(34, 33));
}

TEST(FencingTokenSpecification, GrantsLargerAndLargerTokens) {
  using enum FencingToken::Verb;
  EXPECT_FALSE(Tokens().does(0, 1, {grant, 34}).does(2, 3, {grant, 33}).is_linearizable());
  EXPECT_FALSE(Tokens().does(0, 1, {grant, 34}).does(2, 3, {grant, 34}).is_linearizable());
  EXPECT_TRUE(Tokens().does(0, 2, {grant, 34}).does(1, 3, {grant, 33}).is_linearizable());
}

TEST(FencingTokenSpecification, KnowsNoTokenBeforeItIsGranted) {
  using enum FencingToken::Verb;
  EXPECT_FALSE(Tokens().does(0, 0, {write, 33}).does(1, 2, {grant, 33}).is_linearizable());
  EXPECT_TRUE(Tokens().does(1, 1, {write, 33}).does(0, 2, {grant, 33}).is_linearizable());
  EXPECT_TRUE(Tokens({.granted_before = 40}).does(0, 0, {write, 33}).is_linearizable());
}

TEST(FencingTokenSpecification, RemembersTheTokenOfAReadButDoesNotCheckIt) {
  using enum FencingToken::Verb;
  const FencingToken spec{.granted_before = 9};
  EXPECT_TRUE(Tokens(spec).does(0, 0, {write, 5}).does(1, 1, {read, 4}).is_linearizable());
  EXPECT_FALSE(Tokens(spec).does(0, 0, {read, 5}).does(1, 1, {write, 4}).is_linearizable());
}

TEST(FencingTokenSpecification, RefusesOnlyAStaleToken) {
  using enum FencingToken::Verb;
  const FencingToken spec{.granted_before = 9};
  EXPECT_TRUE(Tokens(spec).does(0, 0, {write, 5}).does(1, 1, {refused, 4}).is_linearizable());
  EXPECT_FALSE(Tokens(spec).does(0, 0, {write, 5}).does(1, 1, {refused, 5}).is_linearizable());
}

}  // namespace
}  // namespace picklock::properties::linearizable
