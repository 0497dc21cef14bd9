#include "models/redis/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace picklock::models::redis {
namespace {

// Each as KEYS of redis-server 7.0.15 finds it.
TEST(Glob, MatchesWholeTexts) {
  EXPECT_TRUE(glob_matches("lock:*", "lock:1"));
  EXPECT_TRUE(glob_matches("lock:*", "lock:"));
  EXPECT_FALSE(glob_matches("lock", "lock:1"));
  EXPECT_TRUE(glob_matches("*:*:c", "a:b:c"));
  EXPECT_FALSE(glob_matches("*:*:c", "a:b:cd"));
  EXPECT_TRUE(glob_matches("h?llo", "hello"));
  EXPECT_FALSE(glob_matches("h?llo", "hllo"));
  EXPECT_TRUE(glob_matches("a**", "a"));
}

TEST(Glob, MatchesOneOfAList) {
  EXPECT_TRUE(glob_matches("h[ae]llo", "hello"));
  EXPECT_FALSE(glob_matches("h[^ae]llo", "hello"));
  EXPECT_TRUE(glob_matches("[a-c]", "b"));
  EXPECT_TRUE(glob_matches("[c-a]", "b"));
  EXPECT_FALSE(glob_matches("[a-c]", "d"));
  EXPECT_TRUE(glob_matches("[\\]]", "]"));
  EXPECT_FALSE(glob_matches("[]a]", "]"));
}

TEST(Glob, TakesAnUnfinishedListAsItStands) {
  EXPECT_TRUE(glob_matches("[ab", "b"));
  EXPECT_FALSE(glob_matches("[", "["));
  EXPECT_TRUE(glob_matches("[^", "x"));
  EXPECT_FALSE(glob_matches("[a-]", "d"));
}

TEST(Glob, TakesWhatABackslashPrecedesForItself) {
  EXPECT_TRUE(glob_matches("\\*", "*"));
  EXPECT_FALSE(glob_matches("\\*", "a"));
  EXPECT_TRUE(glob_matches("\\", "\\"));
}

TEST(Glob, MatchesTheEmptyTextByTheEmptyPatternAlone) {
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_FALSE(glob_matches("*", ""));
}

TEST(Glob, TakesBoundedTimeHoweverManyStarsThereAre) {
  std::string pattern;
  for (int i = 0; i < 30; ++i) pattern += "a*";
  EXPECT_FALSE(glob_matches(pattern + "b", std::string(200, 'a')));
}

}  // namespace
}  // namespace picklock::models::redis
