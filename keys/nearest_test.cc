#include "keys/nearest.h"

#include <gtest/gtest.h>

namespace picklock::keys {
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

TEST(Nearest, CompletesAWordThatOnlyBegins) {
  EXPECT_EQ(nearest("lua", {"set-px-check-delete", "lua-check-delete"}), "lua-check-delete");
}

TEST(Nearest, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(nearest("redlock", {"lua-check-delete", "set-px-blind-delete"}), "");
  EXPECT_EQ(nearest("xml", {"text", "mermaid", "json"}), "");
  EXPECT_EQ(nearest(std::string(1'000'000, 'x'), {"ttl", "key"}), "");
  EXPECT_EQ(nearest("", {"ttl"}), "");
  EXPECT_EQ(nearest("ttl", {}), "");
}

TEST(Nearest, EndsAMessageWithTheWordOrWithAnotherHint) {
  EXPECT_EQ(did_you_mean("tll", {"ttl"}, "see the page"), "; did you mean `ttl`?");
  EXPECT_EQ(did_you_mean("quorum", {"ttl"}, "see the page"), "; see the page");
  EXPECT_EQ(did_you_mean("quorum", {"ttl"}), "");
}

}  // namespace
}  // namespace picklock::keys
