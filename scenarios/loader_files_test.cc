#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "scenarios/loader.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {
namespace {

using testing::error_from;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "picklock-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string error_loading(const std::string& name) const {
    return error_from([&] { load(path(name), testing::vocabulary()); });
  }
  std::string error_finding(const std::string& word) const {
    return error_from([&] { find_scenario(word, folder_.string()); });
  }

  std::filesystem::path folder_;
};

TEST_F(Files, AreLoadedWithTheirName) {
  write("my-story.toml", testing::kComplete);
  const Scenario scenario = load(path("my-story.toml"), testing::vocabulary());
  EXPECT_EQ(scenario.name, "my-story");
  EXPECT_EQ(scenario.file, path("my-story.toml"));
}

TEST_F(Files, ThatCannotBeReadAreRefused) {
  EXPECT_EQ(error_loading("none.toml"), path("none.toml") + ": there is no such file");
  EXPECT_EQ(error_loading(""), path("") + ": is a directory, not a scenario file");
  EXPECT_EQ(error_from([] { load("/dev/null", testing::vocabulary()); }),
            "/dev/null: is not a regular file");
  write("big.toml", std::string(10'000'000, '#'));
  EXPECT_EQ(error_loading("big.toml"), path("big.toml") + ": is larger than 1 MiB");
  write("x\n.toml", "");
  EXPECT_EQ(
      error_loading("x\n.toml"),
      path("x\\n.toml") + ":1: key `format`: is missing: a scenario file starts with `format = 1`");
}

TEST_F(Files, CanBePipes) {
  ASSERT_EQ(mkfifo(path("pipe.toml").c_str(), 0600), 0);
  std::thread writer([this] { write("pipe.toml", testing::kComplete); });
  const Scenario scenario = load(path("pipe.toml"), testing::vocabulary());
  writer.join();
  EXPECT_EQ(scenario.name, "pipe");
  EXPECT_EQ(scenario.file, "") << "there is no file with its text";
}

TEST_F(Files, WithoutPermissionAreRefused) {
  write("secret.toml", testing::kComplete);
  ASSERT_EQ(chmod(path("secret.toml").c_str(), 0), 0);
  if (std::ifstream(path("secret.toml"))) GTEST_SKIP() << "this user may read everything";
  EXPECT_EQ(error_loading("secret.toml"),
            path("secret.toml") + ": cannot be read: Permission denied");
}

TEST_F(Files, AreFoundByPathOrByShippedName) {
  write("gc-pause.toml", "");
  EXPECT_EQ(find_scenario(path("gc-pause.toml"), "/nowhere"), path("gc-pause.toml"));
  EXPECT_EQ(find_scenario("gc-pause", folder_.string()), path("gc-pause.toml"));
}

TEST_F(Files, AreFoundByNameInTheFolderOfTheirFamily) {
  std::filesystem::create_directories(path("redis"));
  write("redis/gc-pause.toml", "");
  EXPECT_EQ(find_scenario("gc-pause", folder_.string()), path("redis/gc-pause.toml"));
}

TEST_F(Files, ThatAreNotFoundHaveANearestName) {
  EXPECT_EQ(error_finding("gc-pase"),
            "gc-pase: there is no such file, and there are no shipped scenarios in " +
                folder_.string() + "; set PICKLOCK_SCENARIO_PATH to their folder");
  write("gc-pause.toml", "");
  write("lost-reply.toml", "");
  write("notes.txt", "");
  const std::string line =
      ": there is no such file and no shipped scenario of that name; did you mean `";
  EXPECT_EQ(error_finding("gc-pase"), "gc-pase" + line + "gc-pause`?");
  EXPECT_EQ(error_finding("elsewhere/lost-repl.toml"),
            "elsewhere/lost-repl.toml" + line + "lost-reply`?");
  const std::string hint =
      ": there is no such file and no shipped scenario of that name; `picklock list scenarios` "
      "lists them all";
  EXPECT_EQ(error_finding("x\n"), "x\\n" + hint);
  EXPECT_EQ(error_finding(""), hint);
}

TEST_F(Files, OfALockAreFoundByItsName) {
  std::filesystem::create_directories(path("plain"));
  write("plain/redis-lock.toml", "");
  write("redis-clock.toml", "");
  const std::string line =
      ": there is no such file and no shipped scenario of that name; did you mean `";
  EXPECT_EQ(error_finding("redis-lock"), "redis-lock" + line + "plain/redis-lock`?");
  EXPECT_EQ(error_finding("plain/redis-loc"), "plain/redis-loc" + line + "plain/redis-lock`?");
  EXPECT_EQ(error_finding("redis-clok"), "redis-clok" + line + "redis-clock`?");
}

}  // namespace
}  // namespace picklock::scenarios
