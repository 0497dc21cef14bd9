#include "models/redis/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace picklock::redis::glob_tests {
namespace {

struct Case {
  std::string_view pattern;
  std::string_view text;
  bool matches;
};

// Each case was tried on redis-server 7.0.15.
TEST(Glob, MatchesAsTheRealServerDoes) {
  const Case cases[] = {
      {"", "", true},
      {"*", "", false},
      {"*", "a", true},
      {"a", "a", true},
      {"a", "ab", false},
      {"ab", "a", false},
      {"a*", "a", true},
      {"a**", "a", true},
      {"*a", "bca", true},
      {"*a*b", "xaxxb", true},
      {"*a*b", "xaxx", false},
      {"h?llo", "hello", true},
      {"h?llo", "hllo", false},
      {"h[ae]llo", "hallo", true},
      {"h[ae]llo", "hillo", false},
      {"h[^e]llo", "hallo", true},
      {"h[^e]llo", "hello", false},
      {"[a-c]", "b", true},
      {"[c-a]", "b", true},
      {"[a-c]", "d", false},
      {"[a-]", "-", false},
      {"[a-]", "a", true},
      {"[]", "a", false},
      {"[^]", "a", true},
      {"[]a]", "]a]", false},
      {"[a", "a", true},
      {"[a", "b", false},
      {"[a-", "-", true},
      {"[\\]]", "]", true},
      {"[\\a-c]", "b", false},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"\\", "\\", true},
      {"a\\", "a\\", true},
      {"A", "a", false},
      {"?", "\xc3", true},
      {"\xc3?", "\xc3\xa4", true},
  };
  for (const Case& each : cases)
    EXPECT_EQ(matches_glob(each.pattern, each.text), each.matches)
        << each.pattern << " on " << each.text;
}

TEST(Glob, MatchesInAnyCaseWhereAsked) {
  EXPECT_TRUE(matches_glob("MAX*", "maxmemory", true));
  EXPECT_TRUE(matches_glob("[A-C]x", "bX", true));
  EXPECT_FALSE(matches_glob("MAX*", "maxmemory"));
}

// An earlier star does not retry positions that a later one has already tried.
TEST(Glob, DoesNotTakeForEverOverManyStars) {
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "a*";
  EXPECT_FALSE(matches_glob(pattern + "b", std::string(200, 'a')));
}

}  // namespace
}  // namespace picklock::redis::glob_tests
