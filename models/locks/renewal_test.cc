#include "models/locks/renewal.h"

#include <gmock/gmock.h>

#include "models/locks/set_px_lock.h"
#include "testing/locks/transcript.h"

namespace picklock::models::locks::renewal_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Sleeps a number of times, then finds its lease released.
class Renewing final {
 public:
  explicit Renewing(Renew how, Duration every = {})
      : lock_(LockOptions{.ttl = 9s, .renew = how, .renew_every = every}) {
    self.answers_ok();
    lease_ = lock_.acquire(self, "lock").lease();
    self.lines.clear();
  }

  // Runs the thread until it has slept `naps` times; the release comes during the last.
  void run(int naps) {
    self.on_sleep = [this, naps, napped = 0]() mutable {
      if (++napped == naps) released = lock_.release(self, lease_);
    };
    ASSERT_EQ(self.threads.size(), 1U);
    self.threads[0](self);
  }

  Transcript self;
  Released released{};

 private:
  LuaCheckDelete lock_;
  Lease lease_;
};

const std::string kExtend =
    "renew: EVAL if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', "
    "KEYS[1], ARGV[2]) else return 0 end 1 lock token-1 9000";

TEST(Renewal, IsLeftOutUnlessItIsAskedFor) {
  Transcript self;
  self.answers_ok();
  LuaCheckDelete lock{LockOptions{}};
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_TRUE(self.threads.empty());
}

TEST(Renewal, ExtendsBlindlyEveryThirdOfTheLease) {
  Renewing lock(Renew::blind);
  lock.self.answers(1);
  lock.self.answers(1);
  lock.run(3);
  EXPECT_THAT(lock.self.lines,
              ElementsAre("sleep 3000ms", "renew: PEXPIRE lock 9000", "sleep 3000ms",
                          "renew: PEXPIRE lock 9000", "sleep 3000ms", testing::StartsWith("EVAL")));
}

TEST(Renewal, ComesAsOftenAsItIsTold) {
  Renewing lock(Renew::blind, 1s);
  lock.run(1);
  EXPECT_EQ(lock.self.lines[0], "sleep 1000ms");
}

TEST(Renewal, WhenBlindTakesAZeroForAnAnswerLikeAnyOther) {
  Renewing lock(Renew::blind);
  lock.self.answers(std::int64_t{0});
  lock.self.answers(1);
  lock.run(2);
  EXPECT_THAT(lock.self.lines, testing::Not(testing::Contains("lost")));
  EXPECT_EQ(lock.released, Released::ok);
}

TEST(Renewal, WhenConditionalComparesInTheSameStep) {
  Renewing lock(Renew::conditional);
  lock.self.answers(1);
  lock.self.answers(1);
  lock.run(2);
  EXPECT_EQ(lock.self.lines[1], kExtend);
  EXPECT_EQ(lock.released, Released::ok);
}

TEST(Renewal, WhenConditionalTakesAZeroForALossAndEnds) {
  Renewing lock(Renew::conditional);
  lock.self.answers(std::int64_t{0});
  lock.run(2);
  EXPECT_THAT(lock.self.lines, ElementsAre("sleep 3000ms", kExtend, "lost"));
}

TEST(Renewal, TriesAgainAfterOneWithoutAnswer) {
  Renewing lock(Renew::conditional);
  lock.self.answers_late();
  lock.self.answers(1);
  lock.run(3);
  EXPECT_EQ(lock.self.lines[1], kExtend);
  EXPECT_EQ(lock.self.lines[3], kExtend);
}

TEST(Renewal, SparesALostKeyItsRelease) {
  Transcript self;
  self.answers_ok();
  LuaCheckDelete lock{LockOptions{.renew = Renew::conditional}};
  const Lease lease = lock.acquire(self, "lock").lease();
  self.answers(std::int64_t{0});
  self.threads[0](self);
  self.lines.clear();
  EXPECT_EQ(lock.release(self, lease), Released::not_held);
  EXPECT_TRUE(self.lines.empty());
}

TEST(Renewal, EndsWithItsOwnLeaseOnly) {
  Transcript self;
  SetPxBlindDelete lock{LockOptions{.renew = Renew::blind}};
  self.answers_ok();
  const Lease outer = lock.acquire(self, "outer").lease();
  self.answers_ok();
  const Lease inner = lock.acquire(self, "inner").lease();
  self.answers(1);
  lock.release(self, inner);
  self.lines.clear();
  self.threads[1](self);
  EXPECT_THAT(self.lines, ElementsAre("sleep 3333ms"));
  self.on_sleep = [&, napped = 0]() mutable {
    if (++napped == 2) lock.release(self, outer);
  };
  self.threads[0](self);
  EXPECT_EQ(self.lines[2], "renew: PEXPIRE outer 10000");
}

}  // namespace
}  // namespace picklock::models::locks::renewal_tests
