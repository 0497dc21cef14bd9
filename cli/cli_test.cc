// The program as a shell meets it: exit status, what is on which stream, and nothing else there.
// PICKLOCK_PROGRAM is the program; tests run in the root of the repository.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace picklock::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

struct Ran {
  int status = -1;  // as a shell has it: 128 and the signal, where one ended it
  std::string out;
  std::string err;
};

class Program : public testing::Test {
 protected:
  Program() {
    std::string pattern = testing::TempDir() + "picklock-cli-XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  ~Program() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  // `command` is the shell's; $P in it stands for the program.
  Ran shell(const std::string& command) const {
    const std::string whole = "P='" PICKLOCK_PROGRAM "'; { " + command + "; } >" + path("out") +
                              " 2>" + path("err") + " </dev/null";
    file("command", whole);
    const int status = std::system(("bash " + path("command")).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read("out"),
            read("err")};
  }

  Ran picklock(const std::string& arguments) const { return shell("\"$P\" " + arguments); }

  // Exit 2, nothing on standard output, and on the other exactly one line.
  void expect_refused(const std::string& arguments, const std::string& complaint) const {
    const Ran ran = picklock(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_EQ(ran.out, "") << arguments;
    EXPECT_THAT(ran.err, StartsWith("picklock: ")) << arguments;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << arguments << ran.err;
    EXPECT_LT(ran.err.size(), 600u) << arguments;
    EXPECT_THAT(ran.err, HasSubstr(complaint)) << arguments;
  }

  std::string read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

 private:
  std::string directory_;
};

const std::string kStory = "check-then-delete-gap";
const std::string kScenario = R"(format = 1
[lock]
algorithm = "set-px-check-delete"
)";

TEST_F(Program, RefusesWrongUsageAndNamesTheNearestWord) {
  expect_refused("", "no command; see picklock --help");
  expect_refused("rn", "there is no command `rn`; did you mean `run`?");
  expect_refused("orchestrate", "there is no command `orchestrate`; see picklock --help");
  expect_refused("--sed 3", "there is no option `--sed`");
  expect_refused("run", "SCENARIO is required");
  expect_refused("run " + kStory + " --sed 3",
                 "there is no option `--sed`; did you mean `--seed`?");
  expect_refused("run " + kStory + " another", "another");
  expect_refused("run " + kStory + " --format jsn",
                 "there is no format `jsn`; it is one of text, mermaid, json, junit, "
                 "perfetto");
  expect_refused("list", "KIND is required");
  expect_refused("list algoritms", "did you mean `algorithms`?");
  expect_refused("list locks",
                 "it is one of algorithms, scenarios, faults, properties, strategies");
}

TEST_F(Program, SaysWhereAnOptionBelongsThatStandsElsewhere) {
  expect_refused("--format json run " + kStory,
                 "`--format` belongs behind `run`: picklock run ... --format; see");
  expect_refused("--format=json run " + kStory, "`--format` belongs behind `run`");
  expect_refused("--runs 5", "`--runs` belongs behind a command, such as `explore`");
}

TEST_F(Program, SaysInItsOwnWordsWhatIsWrongWithArguments) {
  const auto refuse = [this](const std::string& arguments, const std::string& complaint) {
    expect_refused("run " + kStory + arguments, "picklock: " + complaint + "; see picklock --help");
  };
  refuse(" --set", "--set: needs a value, KEY=VALUE");
  refuse(" --seed", "--seed: needs a value, NUMBER");
  refuse(" --seed 1 --seed 2", "--seed: was given 2 times");
  expect_refused("list faults extra", "list: has no use for \"extra\"; see picklock --help");
  expect_refused("list faults extra another", "list: has no use for \"extra\"");
  expect_refused("list faults --json=all", "--json: takes no value; see picklock --help");
}

TEST_F(Program, RefusesAnUnknownCommandEvenWhereHelpIsAskedFor) {
  for (const std::string ask : {"frobnicate --help", "help frobnicate", "frobnicate -h"})
    expect_refused(ask, "there is no command `frobnicate`; see picklock --help");
  expect_refused("help ru", "did you mean `run`?");
  expect_refused("help run explore", "help: takes one COMMAND");
}

TEST_F(Program, RefusesASeedThatAFileCouldNotHold) {
  for (const char* seed :
       {"abc", "-1", "1.5", "''", "3x", "9223372036854775808", "99999999999999999999"}) {
    expect_refused("run " + kStory + " --seed=" + seed, "--seed");
  }
  EXPECT_EQ(picklock("run " + kStory + " --seed 9223372036854775807").status, 0);
}

TEST_F(Program, RefusesScenariosThatAreNotThere) {
  expect_refused("run chek-then-delete-gap", "did you mean `check-then-delete-gap`?");
  expect_refused("run missing.toml", "missing.toml: there is no such file");
  expect_refused("run nosuch", "no shipped scenario of that name; `picklock list scenarios` has");
  expect_refused("run redis-py-lock", "did you mean `plain/redis-py-lock`?");
  expect_refused("run naive-setnx", "did you mean `plain/naive-setnx`?");
  expect_refused("run plain/redis-py-loc", "did you mean `plain/redis-py-lock`?");
  expect_refused("run ''", "there is no such file");
  expect_refused("run scenarios", "scenarios: is a directory");
  expect_refused("run /dev/zero", "not a regular file");
  expect_refused("run $'a\\nb\\e[31m'", "a\\nb\\x1b[31m");
}

TEST_F(Program, RefusesFilesThatAreNoScenarios) {
  expect_refused("run " + file("bad.toml", "format = 1\nx = = 2\n"), "bad.toml:2: is not TOML");
  expect_refused("run " + file("empty.toml", ""), "format");
  std::string noise(10'000'000, '\0');
  std::uint32_t state = 1;
  for (char& byte : noise) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  expect_refused("run " + file("noise.toml", noise), "larger than 1 MiB");
  expect_refused("run " + file("some.toml", noise.substr(0, 100'000)), "some.toml:");
  expect_refused("run " + file("deep.toml", "format = 1\nx = " + std::string(200'000, '[')),
                 "deep.toml:2: nests more than");
}

TEST_F(Program, RefusesScenariosThatCannotBeRunAndNamesLineAndKey) {
  const auto refuse = [this](const std::string& more, const std::string& complaint) {
    expect_refused("run " + file("story.toml", kScenario + more), complaint);
  };
  refuse("tll = '5s'\n",
         "story.toml:4: key `lock.tll`: there is no such key; did you mean `lock.ttl`?");
  refuse("ttl = '-5s'\n", "story.toml:4: key `lock.ttl`: must not be negative, but is \"-5s\"");
  refuse("[[fault]]\npause = 'client-7'\nat = '1s'\nfor = '1s'\n",
         "story.toml:5: key `fault.1.pause`: there is no client-7");
  refuse("[[fault]]\npause = 'client-1'\nbefore = 'renew.sent'\nfor = '1s'\n",
         "set-px-check-delete has no step \"renew\"");
  refuse("[[fault]]\nstep-clock = 'resource'\nat = '1s'\nstep = '1s'\n",
         "not applicable to resource: the resource reads no clock");
  expect_refused("run " + file("other.toml", "format = 1\n[lock]\nalgorithm = 'redlok'\n"),
                 "other.toml:3: key `lock.algorithm`: there is no algorithm \"redlok\"");
}

TEST_F(Program, RefusesChangesThatAFileCouldNotSay) {
  const auto refuse = [this](const std::string& change, const std::string& complaint) {
    expect_refused("run " + kStory + " --set " + change, complaint);
  };
  refuse("lock.ttl", "must be KEY=VALUE");
  refuse("=5s", "must be KEY=VALUE");
  refuse("lock.tl=5s", "picklock: " + kStory +
                           ".toml: key `lock.tl`: there is no such key; did "
                           "you mean `lock.ttl`?");
  refuse("lock.ttl=5", "must be a duration, such as 1.5s, not a whole number");
  refuse("servers.redis.masters=3", "set-px-check-delete uses one server: must be 1");
  refuse("fault.2.for=5s", "there is one `fault`; write `fault.1.for`");
  refuse("clients.count=0", "clients.count");
  refuse("clients.count=2 --set fault.1.pause=client-3", "there is no client-3");
}

TEST_F(Program, RefusesARunThatGoesOnForYears) {
  expect_refused("run plain/lua-check-delete --set clients.hold=100000h",
                 "lua-check-delete: the run has more than 5000000 events, the most there may be, "
                 "and is cut short at ");
}

TEST_F(Program, TakesEveryChangeInTheOrderGiven) {
  const Ran ran = picklock("run " + kStory +
                           " --format json --set clients.count=2 --set lock.ttl=20s --set "
                           "lock.ttl=30s --set expect.violated=[]");
  EXPECT_EQ(ran.status, 0) << ran.out;
  const Json run = Json::parse(ran.out);
  EXPECT_EQ(run.at("verdicts").at("mutual-exclusion"), "holds");
}

TEST_F(Program, SaysInItsStatusWhetherItWasAsExpected) {
  EXPECT_EQ(picklock("run " + kStory).status, 0);
  EXPECT_EQ(picklock("run plain/lua-check-delete").status, 0);
  const Ran ran = picklock("run " + kStory + " --set lock.algorithm=lua-check-delete");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("own-release was expected to be violated and holds"));
  EXPECT_EQ(ran.err, "");
}

TEST_F(Program, ListsTheStepsReachedWhereAFaultDidNotFire) {
  const Ran ran = picklock("run " + kStory + " --set fault.1.nth=2");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("fault 1 did not fire"));
  EXPECT_LT(ran.out.find("\n  fault 1 did not fire"), ran.out.find(" was expected to be violated"));
  EXPECT_THAT(ran.out, HasSubstr("its step was reached: client-1 release.sent x1"));
  EXPECT_THAT(ran.out, HasSubstr("steps reached: client-1 acquire.sent x1"));
  const Ran json = picklock("run " + kStory + " --format json --set fault.1.nth=2");
  EXPECT_EQ(json.status, 1);
  const Json steps = Json::parse(json.out).at("steps_reached");
  EXPECT_NE(std::find(steps.begin(), steps.end(), "client-1 release.sent x1"), steps.end());
}

TEST_F(Program, WritesOneJsonDocumentAndNothingElse) {
  const Ran ran = picklock("run " + kStory + " --format json --seed 7");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  const Json run = Json::parse(ran.out);
  EXPECT_EQ(run.at("scenario"), kStory);
  EXPECT_EQ(run.at("algorithm"), "set-px-check-delete");
  EXPECT_EQ(run.at("seed"), 7);
  EXPECT_EQ(run.at("digest").get<std::string>().size(), 16u);
  EXPECT_EQ(run.at("verdicts").at("own-release"), "violated");
  EXPECT_EQ(run.at("promised").at("own-release"), false);
  EXPECT_EQ(run.at("promised").at("not-stuck"), true);
  EXPECT_EQ(run.at("faults_fired").size(), 1u);
  EXPECT_EQ(run.at("as_expected"), true);
  EXPECT_EQ(run.at("twins").at(0).at("verdicts").at("own-release"), "holds");
}

TEST_F(Program, RunsAnyNumberOfScenariosForACiSystem) {
  const Ran good = picklock("run " + kStory + " plain/redlock --format junit");
  EXPECT_EQ(good.status, 0);
  EXPECT_THAT(good.out, HasSubstr("<testsuites name=\"picklock\" tests=\"3\" failures=\"0\">"));
  expect_refused("run " + kStory + " plain/redlock --set fault.1.nth=2", "fault");
  expect_refused("run " + kStory + " plain/redlock --format json", "tells of one SCENARIO");
  const Ran worse = picklock("run " + kStory + " --format junit --set fault.1.nth=2");
  EXPECT_EQ(worse.status, 1);
  EXPECT_THAT(worse.out, HasSubstr("<failure type=\"not as expected\""));
  EXPECT_THAT(worse.out, HasSubstr("picklock run " + kStory + " --seed 1 --set fault.1.nth=2"));
  expect_refused("run " + kStory + " " + file("bad.toml", kScenario + "tll = \"5s\"\n"), "ttl");
  const Ran two = picklock("run " + kStory + " plain/redlock");
  EXPECT_EQ(two.status, 0);
  EXPECT_THAT(two.out, HasSubstr("algorithm  redlock"));
}

TEST_F(Program, SaysTheSameWhenAskedAgain) {
  for (const std::string format : {"text", "mermaid", "json", "junit", "perfetto"}) {
    const std::string arguments = "run " + kStory + " --format " + format;
    const Ran once = picklock(arguments);
    EXPECT_EQ(once.out, picklock(arguments).out);
    EXPECT_FALSE(once.out.empty());
  }
}

TEST_F(Program, ListsEveryKindAsObjectsWithNames) {
  for (const std::string kind : {"algorithms", "scenarios", "faults", "properties", "strategies"}) {
    const Ran ran = picklock("list " + kind + " --json");
    EXPECT_EQ(ran.status, 0) << kind;
    const Json rows = Json::parse(ran.out);
    ASSERT_TRUE(rows.is_array()) << kind;
    for (const Json& row : rows) EXPECT_FALSE(row.at("name").get<std::string>().empty()) << kind;
    EXPECT_EQ(picklock("list " + kind).status, 0);
  }
}

TEST_F(Program, ListsScenariosThatCanBeRunByTheirNames) {
  const Json rows = Json::parse(picklock("list scenarios --json").out);
  std::size_t plain = 0;
  for (const Json& row : rows) {
    const std::string name = row.at("name");
    if (name.starts_with("plain/")) ++plain;
    EXPECT_EQ(picklock("run " + name).status, 0) << name;
  }
  EXPECT_GE(rows.size(), 8u + plain);
  EXPECT_EQ(plain, Json::parse(picklock("list algorithms --json").out).size());
}

TEST_F(Program, ListsEveryVerbUnderAClass) {
  const Json rows = Json::parse(picklock("list faults --json").out);
  for (const char* verb : {"pause", "crash", "restart", "end-thread", "step-clock",
                           "set-clock-rate", "partition", "heal", "hold", "delay", "drop",
                           "duplicate", "evict", "fail-over", "kill-session", "slow"}) {
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [verb](const Json& row) {
      const Json& verbs = row.at("verbs");
      return std::find(verbs.begin(), verbs.end(), verb) != verbs.end() &&
             !row.at("targets").empty();
    })) << verb;
  }
}

TEST_F(Program, ListsTheWordsThatAFileIsWrittenWith) {
  EXPECT_THAT(picklock("list algorithms").out,
              testing::AllOf(HasSubstr("; steps: acquire, check, release, write"),
                             HasSubstr("; steps: acquire, subscribe, release, renew, write")));
  EXPECT_THAT(picklock("list faults").out, HasSubstr("; verbs: restart, crash, evict"));
}

TEST_F(Program, RefusesSearchesThatCannotBeMade) {
  const auto refuse = [this](const std::string& arguments, const std::string& complaint) {
    expect_refused("explore " + arguments, complaint);
  };
  refuse("", "give a SCENARIO or an --algorithm, and not both");
  refuse(kStory + " --algorithm lua-check-delete", "and not both");
  refuse("--algorithm lua-check-delet", "no algorithm `lua-check-delet`; did you mean `lua-check-");
  refuse("chek-then-delete-gap", "did you mean `check-then-delete-gap`?");
  refuse(kStory + " --set lock.tl=5s", "did you mean `lock.ttl`?");
  refuse(kStory + " --strategy pct", "no strategy `pct`; it is one of random");
  refuse(kStory + " --faults paus", "no class of faults `paus`; did you mean `pause`?");
  refuse(kStory + " --faults pause,,crash", "there is an empty word in \"pause,,crash\"");
  refuse(kStory + " --faults failover",
         "failover cannot act in check-then-delete-gap: the primary has");
  refuse(kStory + " --set clients.writes=0 --faults late-write",
         "late-write cannot act in check-then-delete-gap: no client of this scenario sends such");
  refuse(kStory + " --property own-releas",
         "no property `own-releas`; did you mean `own-release`?");
  refuse(kStory + " --max-faults 0", "--max-faults: must be a whole number, 1 to 100, not \"0\"");
  refuse(kStory + " --runs 0", "--runs: must be a whole number");
  refuse(kStory + " --runs 5 --seconds 5", "give --runs or --seconds, and not both");
  for (const char* seconds : {"0", "-1", "soon", "nan", "inf", "1e99"})
    refuse(kStory + " --seconds=" + seconds, "--seconds: must be a number more than 0");
  refuse(kStory + " --seed x", "--seed: must be a whole number");
  refuse(kStory + " --out " + file("taken", ""), "taken is not a directory");
  refuse(kStory + " --jobs 0", "--jobs: must be a whole number, 1 to 256, not \"0\"");
}

TEST_F(Program, FindsWhatBreaksALockAndKeepsItAsAScenario) {
  const std::string arguments =
      "explore --algorithm set-px-blind-delete --property own-release --runs 2000 --out " +
      path("finds");
  const Ran ran = picklock(arguments);
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("✗ own-release violated in run "));
  const std::string found = path("finds/own-release-1.toml");
  EXPECT_EQ(picklock("run " + found).status, 0);
  EXPECT_EQ(Json::parse(picklock("run " + found + " --format json").out).at("faults_not_fired"),
            Json::array());

  // The same again is the same file; another is kept beside it.
  const Json again = Json::parse(picklock(arguments + " --json").out).at("violations").at(0);
  EXPECT_THAT(again.at("file"), EndsWith("finds/own-release-1.toml"));
  EXPECT_TRUE(std::filesystem::equivalent(again.at("file").get<std::string>(), found));
  const Json other = Json::parse(picklock(arguments + " --json --seed 9").out);
  EXPECT_NE(other.at("violations").at(0).at("file"), again.at("file"));
  EXPECT_EQ(picklock("run " + found).status, 0);
}

TEST_F(Program, KeepsWhatItFindsInAFolderOfTheWorkingDirectory) {
  const Ran ran =
      shell("cd " + path("") +
            " && \"$P\" explore --algorithm set-px-blind-delete --property "
            "own-release --runs 300; \"$P\" run picklock-out/own-release-1.toml >/dev/null && echo "
            "repeated");
  EXPECT_THAT(ran.out, HasSubstr("\nkept as    picklock-out/own-release-1.toml\n"));
  EXPECT_THAT(ran.out, HasSubstr("\nrepeat     picklock run picklock-out/own-release-1.toml\n"));
  EXPECT_THAT(ran.out, EndsWith("repeated\n"));
}

TEST_F(Program, FindsNothingInALockThatKeepsItsPromises) {
  const std::string arguments = "explore --algorithm lua-check-delete --runs 500 --json";
  const Ran ran = picklock(arguments);
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  Json out = Json::parse(ran.out);
  EXPECT_EQ(out.at("runs"), 500);
  EXPECT_EQ(out.at("exhausted"), false);
  EXPECT_GT(out.at("wall_seconds"), 0);
  EXPECT_GT(out.at("runs_per_second"), 0);
  EXPECT_EQ(out.at("violations"), Json::array());
  Json again = Json::parse(picklock(arguments).out);
  for (const char* figure : {"wall_seconds", "runs_per_second"}) {
    out.erase(figure);
    again.erase(figure);
  }
  EXPECT_EQ(again, out);
  EXPECT_THAT(picklock("explore --algorithm lua-check-delete --runs 100").out,
              StartsWith("✓ no promised property was violated\n"));
}

TEST_F(Program, FindsTheSameInAnyNumberOfProcesses) {
  const auto found = [this](const std::string& jobs) {
    const std::string out = path("by-" + jobs);
    const Ran ran = shell("cd " + path("") +
                          " && \"$P\" explore --algorithm set-px-blind-delete --runs 1000 --json "
                          "--property own-release,no-stale-write --out finds --jobs " +
                          jobs + "; status=$?; mv finds " + out + "; exit $status");
    EXPECT_EQ(ran.status, 1);
    Json report = Json::parse(ran.out);
    for (const char* figure : {"wall_seconds", "runs_per_second"}) report.erase(figure);
    EXPECT_GE(report.at("violations").size(), 2u);
    return report;
  };
  const Json one = found("1");
  for (const char* jobs : {"2", "5"}) {
    EXPECT_EQ(found(jobs), one);
    EXPECT_EQ(shell("diff -r " + path("by-1") + " " + path("by-") + jobs).status, 0);
  }
}

TEST_F(Program, TellsEveryDistinctViolation) {
  const Ran ran = picklock(
      "explore --algorithm set-px-blind-delete --property own-release,no-stale-write --runs 1000 "
      "--out " +
      path("finds"));
  EXPECT_THAT(ran.out, HasSubstr("✗ own-release violated in run "));
  EXPECT_THAT(ran.out, HasSubstr("✗ no-stale-write violated in run "));
  for (const auto& entry : std::filesystem::directory_iterator(path("finds"))) {
    EXPECT_EQ(picklock("run " + entry.path().string()).status, 0);
    EXPECT_THAT(ran.out, HasSubstr(entry.path().filename().string()));
  }
}

// The files that a terminal has been told of; a line that was not finished has not been told.
std::vector<std::string> told_on(const std::string& terminal) {
  constexpr std::string_view kFound = "found: ";
  std::vector<std::string> files;
  for (std::size_t at = terminal.find(kFound); at != std::string::npos;
       at = terminal.find(kFound, at + 1)) {
    const std::size_t file = at + kFound.size();
    const std::size_t end = terminal.find('\r', file);
    if (end != std::string::npos) files.push_back(terminal.substr(file, end - file));
  }
  return files;
}

// Killed on a terminal while it finds one thing after another, PICKLOCK_KILLS times (8): what it
// has told of is there, what is there is whole, and the next search goes on from it.
TEST_F(Program, LeavesWholeFilesWhereItIsKilled) {
  const char* given = std::getenv("PICKLOCK_KILLS");
  const int kills = given != nullptr ? std::atoi(given) : 8;
  const std::string finds = path("finds");
  const auto files = [&finds] {
    std::set<std::string> all;
    if (!std::filesystem::exists(finds)) return all;
    for (const auto& entry : std::filesystem::directory_iterator(finds))
      all.insert(entry.path().filename().string());
    return all;
  };
  const std::string search =
      "explore --algorithm set-px-blind-delete --runs 2000 --property "
      "own-release,no-stale-write,mutual-exclusion,loss-noticed --out " +
      finds;
  std::set<std::string> looked_at;
  int killed = 0;
  int found = 0;
  int reported = 0;
  double first_find = 0;  // seconds
  for (int i = 0; i < kills; ++i) {
    if (i % 10 == 9) std::filesystem::remove_all(finds), looked_at.clear();
    // The first as soon as it tells of something, the others sooner or later than that.
    const std::string moment = i == 0
                                   ? "until grep -qs 'found: .*toml' " + path("terminal") +
                                         " || [[ ! -e /proc/$! ]]; do sleep 0.01; done"
                                   : "sleep " + std::to_string(first_find * (i * 37 % 100) * 0.03);
    const Ran ran =
        shell("export P; rm -f " + path("pid") + "; begun=$EPOCHREALTIME; " +
              "script -qefc 'echo $$ >" + path("pid") + "; exec \"$P\" " + search +
              " >/dev/null' " + path("terminal") + " >/dev/null & " + moment + "; kill -9 $(<" +
              path("pid") + "); awk \"BEGIN { print $EPOCHREALTIME - $begun }\"; wait $!");
    if (i == 0) first_find = std::stod(ran.out);
    if (ran.status == 128 + SIGKILL) ++killed;
    const std::set<std::string> kept = files();
    for (const std::string& told : told_on(read("terminal"))) {
      EXPECT_TRUE(kept.contains(std::filesystem::path(told).filename().string())) << told;
      ++reported;
    }
    for (const std::string& name : kept) {
      if (name.starts_with(".") || !looked_at.insert(name).second) continue;
      EXPECT_EQ(picklock("run " + finds + "/" + name).status, 0) << name;
      ++found;
    }
  }
  EXPECT_GT(killed, 0);
  EXPECT_GT(found, 0);
  EXPECT_GT(reported, 0);
  const Json report = Json::parse(picklock(search + " --json").out);
  EXPECT_EQ(files().size(), report.at("violations").size()) << "each find once, and nothing else";
}

TEST_F(Program, DrawsFaultsOfTheClassesAskedForAlone) {
  const auto fired = [this](const std::string& classes) {
    const Ran ran = picklock("explore " + kStory + " --runs 200 --json --faults " + classes +
                             " --out " + path("x"));
    return Json::parse(ran.out).at("fired");
  };
  EXPECT_EQ(fired("none"), Json::object());
  const Json two = fired("pause,crash");
  EXPECT_EQ(two.size(), 2u);
  EXPECT_TRUE(two.contains("pause") && two.contains("crash"));
  EXPECT_EQ(fired("all").size(), 9u);
}

TEST_F(Program, EndsASearchAfterTheTimeGiven) {
  const Json out =
      Json::parse(picklock("explore --algorithm lua-check-delete --seconds 0.3 --json").out);
  EXPECT_GE(out.at("wall_seconds"), 0.3);
  EXPECT_LT(out.at("wall_seconds"), 5);
  EXPECT_GT(out.at("runs"), 10);
}

TEST_F(Program, ReportsWhatItHasWhenItIsInterrupted) {
  const Ran ran = shell(
      "set -m; \"$P\" explore --algorithm lua-check-delete --seconds 60 --json & sleep 0.5; "
      "kill -INT $!; wait $!");
  EXPECT_EQ(ran.status, 130);
  const Json out = Json::parse(ran.out);
  EXPECT_EQ(out.at("interrupted"), true);
  EXPECT_GT(out.at("runs"), 0);
  EXPECT_LT(out.at("wall_seconds"), 30);
}

TEST_F(Program, KeepsWhatItHasFoundWhenItIsInterrupted) {
  const Ran ran = shell(
      "set -m; \"$P\" explore --algorithm set-px-blind-delete --property own-release --seconds 60 "
      "--json --out " +
      path("finds") + " & while [[ ! -e " + path("finds/own-release-1.toml") +
      " ]]; do sleep 0.05; done; kill -INT $!; wait $!");
  EXPECT_EQ(ran.status, 130);
  EXPECT_FALSE(Json::parse(ran.out).at("violations").empty());
  EXPECT_EQ(picklock("run " + path("finds/own-release-1.toml")).status, 0);
}

TEST_F(Program, LooksBeforeASearchWhetherAFindCouldBeKept) {
  const std::string search = "explore --algorithm lua-check-delete --seconds 60 --out ";
  expect_refused(search + "/dev/null/finds", "--out: /dev/null/finds cannot be written to: Not a");
  expect_refused(search + "/proc/nope", "--out: /proc/nope cannot be written to");
  const std::string out = path("a/b");
  EXPECT_EQ(picklock("explore --algorithm lua-check-delete --runs 20 --out " + out).status, 0);
  EXPECT_FALSE(std::filesystem::exists(path("a"))) << "nothing was found, and nothing is left";
}

TEST_F(Program, ListsTheStrategiesThatAreBuilt) {
  const Json rows = Json::parse(picklock("list strategies --json").out);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.at(0).at("name"), "random");
}

TEST_F(Program, FailsWhereItsOutputIsLost) {
  for (const std::string& arguments :
       {"run " + kStory, "run " + kStory + " --format json", std::string("list scenarios"),
        std::string("explore " + kStory + " --runs 5"), std::string("--help"),
        std::string("--version")}) {
    const Ran full = shell("\"$P\" " + arguments + " >/dev/full");
    EXPECT_EQ(full.status, 2) << arguments << ": not the 1 of a run that is not as expected";
    EXPECT_THAT(full.err, HasSubstr("standard output cannot be written")) << arguments;
  }
}

TEST_F(Program, EndsQuietlyWhereNobodyReads) {
  // Dies of the signal, or, where the signal is ignored, says so.
  const std::string pipeline = "\"$P\" run " + kStory + " | true; exit ${PIPESTATUS[0]}";
  const Ran killed = shell(pipeline);
  EXPECT_TRUE(killed.status == 0 || killed.status == 128 + SIGPIPE) << killed.status;
  const Ran told = shell("trap '' PIPE; { sleep 0.2; \"$P\" run " + kStory +
                         "; } | true; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(told.status, 2) << told.err;
}

TEST_F(Program, ColoursOnATerminalOnlyAndNeverAgainstTheUsersWish) {
  EXPECT_THAT(picklock("run " + kStory).out, Not(HasSubstr("\x1b[")));
  if (std::system("command -v script >/dev/null") != 0) GTEST_SKIP() << "there is no `script`";
  const auto on_a_terminal = [this](const std::string& environment) {
    const std::string typescript = path("typescript");
    return shell("unset NO_COLOR; export P " + environment + "; script -qec '\"$P\" run " + kStory +
                 "' " + typescript + " >/dev/null; cat " + typescript)
        .out;
  };
  EXPECT_THAT(on_a_terminal(""), HasSubstr("\x1b["));
  EXPECT_THAT(on_a_terminal("NO_COLOR=1"), Not(HasSubstr("\x1b[3")));
  EXPECT_THAT(on_a_terminal("NO_COLOR="), HasSubstr("\x1b["));
}

TEST_F(Program, PrintsItsVersionAndHelp) {
  EXPECT_THAT(picklock("--version").out, StartsWith("picklock "));
  EXPECT_THAT(picklock("--help").out, HasSubstr("Exit status"));
  EXPECT_EQ(picklock("help").out, picklock("--help").out);
  EXPECT_THAT(picklock("run --help").out, HasSubstr("--seed"));
  EXPECT_EQ(picklock("help run").out, picklock("run --help").out);
}

}  // namespace
}  // namespace picklock::cli
