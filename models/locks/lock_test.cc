#include "picklock/lock.h"

#include <gmock/gmock.h>

#include "models/locks/configured_lock.h"
#include "testing/locks/transcript.h"

namespace picklock::models::lock_tests {
namespace {

using namespace std::chrono_literals;
using locks::Transcript;
using testing::ElementsAre;

// A lock that is refused `refusals` times, while each attempt takes `lasts`, and then granted.
class Stubborn final : public ConfiguredLock {
 public:
  Stubborn(LockOptions options, int refusals, Duration lasts = {})
      : ConfiguredLock(options), refusals_(refusals), lasts_(lasts) {}

  Acquired try_acquire(Client& self, std::string_view key) override {
    ++attempts;
    static_cast<Transcript&>(self).now += lasts_;
    if (attempts <= refusals_) return std::nullopt;
    return Lease{.key = std::string(key), .token = "t", .ttl = options().ttl};
  }
  Released release(Client&, const Lease&) override { return Released::ok; }

  int attempts = 0;

 private:
  int refusals_;
  Duration lasts_;
};

TEST(Acquire, TriesForEverWithoutATimeout) {
  Transcript self;
  Stubborn lock({.retry_every = 100ms}, 1000);
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_EQ(lock.attempts, 1001);
  EXPECT_EQ(self.now, 100s);
}

TEST(Acquire, AddsItsJitterToEveryRetry) {
  Transcript self;  // draws the highest
  Stubborn lock({.retry_every = 100ms, .retry_jitter = 30ms}, 2);
  lock.acquire(self, "lock");
  EXPECT_THAT(self.lines, ElementsAre("sleep 130ms", "sleep 130ms"));
}

TEST(Acquire, StopsWhereTheNextRetryWouldBeTooLate) {
  Transcript self;
  Stubborn lock({.retry_every = 100ms, .acquire_timeout = 250ms}, 1000);
  const Acquired acquired = lock.acquire(self, "lock");
  EXPECT_FALSE(acquired);
  EXPECT_FALSE(acquired.is_unknown());
  EXPECT_EQ(self.now, 200ms);
}

TEST(Acquire, TriesAtTheVeryEndOfItsTimeout) {
  Transcript self;
  Stubborn lock({.retry_every = 100ms, .acquire_timeout = 200ms}, 2);
  EXPECT_TRUE(lock.acquire(self, "lock"));
}

TEST(Acquire, CountsTheTimeThatAttemptsTake) {
  Transcript self;
  Stubborn lock({.retry_every = 100ms, .acquire_timeout = 950ms}, 1000, 400ms);
  EXPECT_FALSE(lock.acquire(self, "lock"));
  EXPECT_EQ(lock.attempts, 2);
}

}  // namespace
}  // namespace picklock::models::lock_tests
