// `lock.version`: the defaults of an older version of a library.
#include <gtest/gtest.h>

#include <string>

#include "models/locks/redisson/options.h"
#include "scenarios/document.h"
#include "scenarios/runner.h"
#include "scenarios/writer.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {
namespace {

using models::locks::redisson::RedissonOptions;

Document with(const std::string& keys) {
  return {"format = 1\n[lock]\n" + keys + "\n", "old.toml"};
}

Scenario scenario_of(const std::string& keys) { return with(keys).scenario(shipped_vocabulary()); }

std::string error_of_version(const std::string& keys) {
  return testing::error_from([&] { scenario_of(keys); });
}

const std::string kOld = "algorithm = \"redisson-lock\"\nversion = \"3.23\"\n";

TEST(Versions, GiveOptionsOtherDefaults) {
  const Scenario newest = scenario_of("algorithm = \"redisson-lock\"");
  EXPECT_EQ(newest.lock.options.resend, 4U);
  EXPECT_TRUE(newest.lock.options.of<RedissonOptions>().unlock_latch);
  const Scenario old = scenario_of(kOld);
  EXPECT_EQ(old.lock.options.resend, 3U);
  EXPECT_FALSE(old.lock.options.of<RedissonOptions>().unlock_latch);
}

TEST(Versions, YieldToOptionsOfTheFile) {
  const Scenario mixed = scenario_of(kOld + "unlock_latch = true\nresend = 1");
  EXPECT_EQ(mixed.lock.options.resend, 1U);
  EXPECT_TRUE(mixed.lock.options.of<RedissonOptions>().unlock_latch);
  EXPECT_TRUE(mixed.lock.options.of<RedissonOptions>().timer_per_lock);
}

TEST(Versions, AreWrittenWithWhatDiffersFromThem) {
  const std::string text = file_text(scenario_of(kOld + "resend = 1"));
  EXPECT_NE(text.find("version = \"3.23\"\nresend = 1\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("unlock_latch"), std::string::npos) << text;
  const Scenario again = Document(text, "again.toml").scenario(shipped_vocabulary());
  EXPECT_EQ(file_text(again), text);
  EXPECT_FALSE(again.lock.options.of<RedissonOptions>().unlock_latch);
}

TEST(Versions, AreThoseOfTheLock) {
  EXPECT_EQ(error_of_version("algorithm = \"redisson-lock\"\nversion = \"3.42\""),
            "old.toml:4: key `lock.version`: \"3.42\" is not one of 4.7, 3.43, 3.23; did you mean "
            "`3.43`?");
  EXPECT_EQ(error_of_version("algorithm = \"redlock\"\nversion = \"1\""),
            "old.toml:4: key `lock.version`: redlock is known in one version only");
}

TEST(Versions, DoNotOutliveAChangeOfTheLock) {
  Document document = with(kOld);
  document.set(change_from("lock.algorithm=redisson-lock-fixed"));
  const Scenario fixed = document.scenario(shipped_vocabulary());
  EXPECT_EQ(fixed.lock.version, "");
  EXPECT_EQ(fixed.lock.options.resend, 4U);
}

}  // namespace
}  // namespace picklock::scenarios
