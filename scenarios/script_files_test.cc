// A user's own scripts, from files beside the scenario.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "keys/bad_input.h"
#include "scenarios/document.h"
#include "scenarios/runner.h"
#include "scenarios/world.h"
#include "scenarios/writer.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {
namespace {

namespace fs = std::filesystem;

class ScriptFiles : public ::testing::Test {
 protected:
  ScriptFiles()
      : folder_(fs::temp_directory_path() /
                ("picklock-" +
                 std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ScriptFiles() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string story(const std::string& algorithm, const std::string& key) const {
    return write("story.toml", "format = 1\n[lock]\nalgorithm = \"" + algorithm + "\"\n" + key +
                                   " = \"mine.lua\"\n[clients]\ncount = 2\n");
  }
  Scenario scenario(const std::string& file) const {
    return Document::from_file(file).scenario(shipped_vocabulary());
  }

  fs::path folder_;
};

std::string body(const Scenario& scenario) {
  const auto& script = scenario.lock.options.scripts[models::ScriptOf::release];
  return script == nullptr ? "none" : script->script.body();
}

// A release that does not check who owns the key.
constexpr const char* kCareless = "return redis.call('del', KEYS[1])";

TEST_F(ScriptFiles, AreReadFromBesideTheScenario) {
  write("mine.lua", kCareless);
  const Scenario read = scenario(story("lua-check-delete", "release_script"));
  EXPECT_EQ(body(read), kCareless);
  EXPECT_FALSE(read.lock.options.scripts.has(models::ScriptOf::acquire));
}

TEST_F(ScriptFiles, AreFoundAgainByACounterexampleElsewhere) {
  write("mine.lua", kCareless);
  const Scenario read = scenario(story("lua-check-delete", "release_script"));
  fs::create_directories(folder_ / "out");
  const std::string elsewhere = write("out/found.toml", file_text(read));
  EXPECT_EQ(body(scenario(elsewhere)), kCareless);
}

// A search in one folder, whose finds are looked at in another one.
TEST_F(ScriptFiles, AreCarriedByACounterexampleThatIsMoved) {
  for (const std::string text :
       {"return redis.call('del', KEYS[1])", "-- it's \"mine\"\nreturn 1\n",
        "return \"it's ''' here\"", "return 1 -- '", "\r\nreturn 'café\\n'\t", "return [[\x01]]"}) {
    SCOPED_TRACE(text);
    write("mine.lua", text);
    const std::string found = file_text(scenario(story("lua-check-delete", "release_script")));
    EXPECT_EQ(found.find(folder_.string()), std::string::npos) << found;
    fs::remove(folder_ / "mine.lua");
    fs::create_directories(folder_ / "moved");
    const Scenario moved = scenario(write("moved/found.toml", found));
    EXPECT_EQ(body(moved), text);
    EXPECT_EQ(file_text(moved), found);
  }
}

TEST_F(ScriptFiles, CanStandInTheScenarioItself) {
  const std::string file =
      write("inline.toml",
            "format = 1\n[lock]\nalgorithm = \"redisson-fair-lock\"\n"
            "release_script.lua = '''\nreturn 1'''\ntry_script = { lua = \"return 2\" }\n");
  const Scenario read = scenario(file);
  EXPECT_EQ(body(read), "return 1");
  EXPECT_EQ(read.lock.options.scripts[models::ScriptOf::try_acquire]->script.body(), "return 2");
  const auto error = [&](const std::string& value) {
    return testing::error_from([&] {
      scenario(write("bad.toml", "format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n" + value));
    });
  };
  const std::string bad = (folder_ / "bad.toml").string() + ":4: key `lock.release_script";
  EXPECT_EQ(error("release_script = { lau = 'return 1' }"),
            bad + ".lau`: there is no such key; did you mean `lock.release_script.lua`?");
  EXPECT_EQ(error("release_script = {}"), bad + ".lua`: must be given");
  EXPECT_EQ(error("release_script = { lua = 'x' }"),
            bad + "`: is not valid Lua: line 1: '=' expected near '<eof>'");
  EXPECT_EQ(error("release_script = 5"), bad + "`: must be text in quotes, not a whole number");
}

// The script runs in place of the lock's own: a holder whose lease has run out removes its
// successor's key.
TEST_F(ScriptFiles, StandInForTheScriptOfTheLock) {
  write("mine.lua", kCareless);
  const std::string file = story("lua-check-delete", "release_script");
  const auto own_release = [&](const std::string& path) {
    Document document = Document::from_file(path);
    document.set(change_from("clients.hold=11s"));
    const auto run = Runner().run(document.scenario(shipped_vocabulary()), 1, false);
    return run.verdicts[static_cast<std::size_t>(Property::own_release)].outcome;
  };
  EXPECT_EQ(own_release(file), properties::Outcome::violated);
  const std::string plain = write(
      "plain.toml", "format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n[clients]\ncount = 2\n");
  EXPECT_EQ(own_release(plain), properties::Outcome::holds);
}

// The interpreter is kept from run to run, and with it garbage and the size of its stacks. A second
// overflow comes later than the first, and half of what is allocated here is garbage.
TEST_F(ScriptFiles, DoTheSameInEveryRunWhateverMemoryTheyUse) {
  const std::string deep =
      "local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end ";
  for (const std::string& use : {deep + "pcall(f, 19000) ", deep + "f(15000) ",
                                 std::string("local t = {} for i = 1, 70 do "
                                             "t[i % 35] = string.rep('x', 1048576) .. i end ")}) {
    SCOPED_TRACE(use);
    write("mine.lua", use + kCareless);
    const Scenario greedy = scenario(story("lua-check-delete", "release_script"));
    World alone;
    alone.set(greedy);
    alone.run(7);
    const std::uint64_t digest = alone.digest();
    alone.run(7);
    EXPECT_EQ(alone.digest(), digest) << "after itself";
    const Scenario plain =
        scenario(write("plain.toml", "format = 1\n[lock]\nalgorithm = \"redisson-lock\"\n"));
    World other;
    other.set(plain);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) other.run(seed);
    other.set(greedy);
    other.run(7);
    EXPECT_EQ(other.digest(), digest) << "after runs of another lock";
  }
}

TEST_F(ScriptFiles, MustBeThere) {
  const std::string file = story("lua-check-delete", "release_script");
  EXPECT_EQ(testing::error_from([&] { scenario(file); }),
            file + ":4: key `lock.release_script`: there is no such file: " +
                (folder_ / "mine.lua").string());
  fs::create_directories(folder_ / "mine.lua");
  EXPECT_EQ(testing::error_from([&] { scenario(file); }),
            file + ":4: key `lock.release_script`: is a directory, not a Lua file: " +
                (folder_ / "mine.lua").string());
  fs::remove(folder_ / "mine.lua");
  write("mine.lua", "");
  EXPECT_EQ(testing::error_from([&] { scenario(file); }),
            file + ":4: key `lock.release_script`: the file is empty");
  write("mine.lua", "return '\xe9'");
  EXPECT_EQ(testing::error_from([&] { scenario(file); }),
            file + ":4: key `lock.release_script`: the file is not UTF-8 text");
  write("mine.lua", std::string((64 << 10) + 1, ' '));
  EXPECT_EQ(testing::error_from([&] { scenario(file); }),
            file + ":4: key `lock.release_script`: the file is longer than 64 KiB");
}

TEST_F(ScriptFiles, MustCompile) {
  const std::string file = story("lua-check-delete", "release_script");
  const std::string refused = file + ":4: key `lock.release_script`: is not valid Lua: mine.lua:";
  const auto error = [&](const std::string& script) {
    write("mine.lua", script);
    return testing::error_from([&] { scenario(file); });
  };
  EXPECT_EQ(error("-- gives it back\nreturn redis.call('del' KEYS[1])\n"),
            refused + "2: ')' expected near 'KEYS'");
  EXPECT_EQ(error("x"), refused + "1: '=' expected near '<eof>'");
  EXPECT_EQ(error("#!lua flags=no-write\nreturn 1"),
            refused + "1: Unexpected flag in script shebang: no-write");
  EXPECT_EQ(error("return nothing.at_all"), "loads") << "an error at run time is behavior";
}

TEST_F(ScriptFiles, AreForLocksThatRunOne) {
  write("mine.lua", kCareless);
  const std::string file = story("naive-setnx", "release_script");
  EXPECT_EQ(testing::error_from([&] { scenario(file); }),
            file + ":4: key `lock.release_script`: naive-setnx does not use this key");
}

}  // namespace
}  // namespace picklock::scenarios
