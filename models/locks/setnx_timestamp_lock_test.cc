#include "models/locks/setnx_timestamp_lock.h"

#include <gmock/gmock.h>

#include "testing/locks/transcript.h"

namespace picklock::models::locks::setnx_timestamp_lock_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// The client is at 100 s on its wall clock and has a lease of 10 s.
class SetnxTimestampTest : public testing::Test {
 protected:
  SetnxTimestampTest() { self_.offset = 100s; }

  SetnxTimestamp by_del_{LockOptions{.ttl = 10s}};
  SetnxTimestamp by_getset_{
      LockOptions{.ttl = 10s, .own = SetnxTimestampOptions{.steal = Steal::getset}}};
  Transcript self_;
};

TEST_F(SetnxTimestampTest, TakesAFreeKeyUntilJustBeyondItsLease) {
  self_.answers(1);
  const Acquired acquired = by_del_.acquire(self_, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().token, "110001");
  EXPECT_THAT(self_.lines, ElementsAre("SETNX lock 110001"));
}

TEST_F(SetnxTimestampTest, LeavesAKeyWhoseTimestampIsNotOver) {
  self_.answers(std::int64_t{0});
  self_.answers("100000");
  EXPECT_FALSE(by_del_.try_acquire(self_, "lock"));
  EXPECT_THAT(self_.lines, ElementsAre("SETNX lock 110001", "GET lock"));
}

TEST_F(SetnxTimestampTest, StealsAnOverdueKeyByDelAndSetnx) {
  self_.answers(std::int64_t{0});
  self_.answers("99999");
  self_.answers(1);
  self_.answers(1);
  EXPECT_TRUE(by_del_.try_acquire(self_, "lock"));
  EXPECT_THAT(self_.lines, ElementsAre("SETNX lock 110001", "GET lock", "mark timestamp-passed",
                                       "DEL lock", "SETNX lock 110001"));
}

TEST_F(SetnxTimestampTest, StealsAnOverdueKeyByGetset) {
  self_.answers(std::int64_t{0});
  self_.answers("99999");
  self_.answers("99999");
  EXPECT_TRUE(by_getset_.try_acquire(self_, "lock"));
  EXPECT_THAT(self_.lines, ElementsAre("SETNX lock 110001", "GET lock", "mark timestamp-passed",
                                       "GETSET lock 110001"));
}

TEST_F(SetnxTimestampTest, SeesByGetsetThatAnotherWasFaster) {
  self_.answers(std::int64_t{0});
  self_.answers("99999");
  self_.answers("110000");
  EXPECT_FALSE(by_getset_.try_acquire(self_, "lock"));
}

TEST_F(SetnxTimestampTest, TakesAKeyThatWasReleasedMeanwhile) {
  self_.answers(std::int64_t{0});
  self_.answers("99999");
  self_.answers_nil();
  EXPECT_TRUE(by_getset_.try_acquire(self_, "lock"));
}

TEST_F(SetnxTimestampTest, DoesNotTakeAKeyThatIsGoneForALeaseGoneBy) {
  self_.answers(std::int64_t{0});
  self_.answers_nil();
  EXPECT_FALSE(by_del_.try_acquire(self_, "lock"));
}

TEST_F(SetnxTimestampTest, DoesNotKnowWhatBecameOfATheftWithoutAnswer) {
  self_.answers(std::int64_t{0});
  self_.answers("99999");
  self_.answers_late();
  EXPECT_TRUE(by_getset_.try_acquire(self_, "lock").is_unknown());
}

TEST_F(SetnxTimestampTest, KnowsThatAFailedLookTookNothing) {
  self_.answers(std::int64_t{0});
  self_.answers_late();
  const Acquired attempt = by_del_.try_acquire(self_, "lock");
  EXPECT_FALSE(attempt);
  EXPECT_FALSE(attempt.is_unknown());
}

TEST_F(SetnxTimestampTest, ReleasesByDelUntilItsTimestampIsOver) {
  const Lease lease{.key = "lock", .token = "110001", .ttl = 10s};
  self_.answers(1);
  self_.now = 10001ms;
  EXPECT_EQ(by_del_.release(self_, lease), Released::ok);
  EXPECT_THAT(self_.lines, ElementsAre("DEL lock"));
  self_.now = 10002ms;
  EXPECT_EQ(by_del_.release(self_, lease), Released::not_held);
  EXPECT_EQ(self_.lines.size(), 1U);
}

}  // namespace
}  // namespace picklock::models::locks::setnx_timestamp_lock_tests
