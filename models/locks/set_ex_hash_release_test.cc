#include "models/locks/set_ex_hash_release.h"

#include <gmock/gmock.h>

#include "testing/locks/transcript.h"

namespace picklock::models::locks::set_ex_hash_release_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

TEST(SetExHashRelease, TakesAStringForWholeSeconds) {
  Transcript self;
  self.answers_ok();
  SetExHashRelease lock{LockOptions{.ttl = 9500ms}};
  const Acquired acquired = lock.acquire(self, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().ttl, 10s);
  EXPECT_THAT(self.lines, ElementsAre("SET lock token-1 NX EX 10"));
}

TEST(SetExHashRelease, ReleasesAFieldOfAHash) {
  Transcript self;
  self.answers_error("WRONGTYPE Operation against a key holding the wrong kind of value");
  SetExHashRelease lock{LockOptions{}};
  EXPECT_EQ(lock.release(self, {.key = "lock", .token = "token-1", .ttl = 10s}),
            Released::not_held);
  ASSERT_EQ(self.lines.size(), 1U);
  EXPECT_THAT(self.lines[0], HasSubstr("hincrby"));
  EXPECT_THAT(self.lines[0], EndsWith(" 2 lock lock-channel:lock 0 10000 token-1"));
}

}  // namespace
}  // namespace picklock::models::locks::set_ex_hash_release_tests
