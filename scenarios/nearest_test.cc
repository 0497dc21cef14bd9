#include "scenarios/nearest.h"

#include <gtest/gtest.h>

namespace picklock::scenarios {
namespace {

TEST(Nearest, SeesThroughTypingMistakes) {
  const Words words = {"ttl", "retry_every", "acquire_timeout"};
  EXPECT_EQ(nearest("tll", words), "ttl");
  EXPECT_EQ(nearest("Retry-Every", words), "retry_every");
  EXPECT_EQ(nearest("aquire_timeot", words), "acquire_timeout");
}

TEST(Nearest, PrefersTheFirstOfEquallyNearWords) {
  EXPECT_EQ(nearest("client-7", {"client-1", "client-2"}), "client-1");
}

TEST(Nearest, AnswersEvenWhenNothingIsNear) {
  EXPECT_EQ(nearest(std::string(1'000'000, 'x'), {"ttl", "key"}), "ttl");
  EXPECT_EQ(nearest("", {"ttl"}), "ttl");
  EXPECT_EQ(nearest("ttl", {}), "");
}

}  // namespace
}  // namespace picklock::scenarios
