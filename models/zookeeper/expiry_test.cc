#include "models/zookeeper/expiry.h"

#include <gmock/gmock.h>

namespace picklock::zookeeper::expiry_tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Expiry, NegotiatesTimeOutsBetweenTwoAndTwentyTicks) {  // Z1
  for (const auto& [asked, got] : std::map<std::int32_t, std::int32_t>{
           {-1, 4000}, {0, 4000}, {1, 4000}, {3999, 4000}, {5000, 5000}, {40001, 40000}})
    EXPECT_EQ(negotiated(asked, 2000), got) << asked;
}

// Twelve sessions that fall silent 210 ms apart.
TEST(Expiry, EndsSessionsInBucketsAndNeverEarly) {  // Z2
  Expiry expiry(2000);
  std::map<SessionId, std::int64_t> silent_since;
  for (SessionId id = 1; id <= 12; ++id) {
    silent_since[id] = 100 + id * 210;
    expiry.heard_of(id, 4000, silent_since[id]);
  }
  std::set<std::int64_t> instants;
  while (const auto next = expiry.next()) {
    EXPECT_THAT(expiry.ended(*next - 1), IsEmpty());
    for (const SessionId id : expiry.ended(*next)) {
      const std::int64_t after = *next - silent_since[id];
      EXPECT_GT(after, 4000);
      EXPECT_LE(after, 6000);
      instants.insert(*next);
    }
  }
  EXPECT_THAT(instants, ElementsAre(6000, 8000));
}

TEST(Expiry, IsPutOffByWhateverIsHeard) {  // Z4
  Expiry expiry(2000);
  expiry.heard_of(1, 4000, 0);
  EXPECT_EQ(expiry.next(), 6000);
  expiry.heard_of(1, 4000, 3000);
  EXPECT_EQ(expiry.next(), 8000);
  EXPECT_THAT(expiry.ended(7999), IsEmpty());
  EXPECT_THAT(expiry.ended(8000), ElementsAre(1));
  EXPECT_FALSE(expiry.knows(1));
  EXPECT_EQ(expiry.next(), std::nullopt);
}

TEST(Expiry, ForgetsASessionThatWasClosed) {
  Expiry expiry(2000);
  expiry.heard_of(1, 4000, 0);
  expiry.heard_of(2, 4000, 0);
  expiry.forget(1);
  expiry.forget(1);
  EXPECT_THAT(expiry.ended(100'000), ElementsAre(2));
}

}  // namespace
}  // namespace picklock::zookeeper::expiry_tests
