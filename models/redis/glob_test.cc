#include "models/redis/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace picklock::models::redis {
namespace {

// Each as KEYS of redis-server 7.0.15 finds it.
TEST(Glob, MatchesWholeTexts) {
  EXPECT_TRUE(matches_glob("lock:*", "lock:1"));
  EXPECT_TRUE(matches_glob("lock:*", "lock:"));
  EXPECT_FALSE(matches_glob("lock", "lock:1"));
  EXPECT_TRUE(matches_glob("*:*:c", "a:b:c"));
  EXPECT_FALSE(matches_glob("*:*:c", "a:b:cd"));
  EXPECT_TRUE(matches_glob("h?llo", "hello"));
  EXPECT_FALSE(matches_glob("h?llo", "hllo"));
  EXPECT_TRUE(matches_glob("a**", "a"));
}

TEST(Glob, MatchesOneOfAList) {
  EXPECT_TRUE(matches_glob("h[ae]llo", "hello"));
  EXPECT_FALSE(matches_glob("h[^ae]llo", "hello"));
  EXPECT_TRUE(matches_glob("[a-c]", "b"));
  EXPECT_TRUE(matches_glob("[c-a]", "b"));
  EXPECT_FALSE(matches_glob("[a-c]", "d"));
  EXPECT_TRUE(matches_glob("[\\]]", "]"));
  EXPECT_FALSE(matches_glob("[]a]", "]"));
}

TEST(Glob, TakesAnUnfinishedListAsItStands) {
  EXPECT_TRUE(matches_glob("[ab", "b"));
  EXPECT_FALSE(matches_glob("[", "["));
  EXPECT_TRUE(matches_glob("[^", "x"));
  EXPECT_FALSE(matches_glob("[a-]", "d"));
}

TEST(Glob, TakesWhatABackslashPrecedesForItself) {
  EXPECT_TRUE(matches_glob("\\*", "*"));
  EXPECT_FALSE(matches_glob("\\*", "a"));
  EXPECT_TRUE(matches_glob("\\", "\\"));
}

TEST(Glob, MatchesTheEmptyTextByTheEmptyPatternAlone) {
  EXPECT_TRUE(matches_glob("", ""));
  EXPECT_FALSE(matches_glob("*", ""));
}

TEST(Glob, TakesBoundedTimeHoweverManyStarsThereAre) {
  std::string pattern;
  for (int i = 0; i < 30; ++i) pattern += "a*";
  EXPECT_FALSE(matches_glob(pattern + "b", std::string(200, 'a')));
}

}  // namespace
}  // namespace picklock::models::redis
