// `picklock explore`.
#include <regex>
#include <set>

#include "testing/program.h"
#include "testing/whole.h"

namespace picklock::cli {
namespace {

TEST_F(Program, RefusesSearchesThatCannotBeMade) {
  const auto refuse = [this](const std::string& arguments, const std::string& complaint) {
    expect_refused("explore " + arguments, complaint);
  };
  std::string strategies;
  for (const Json& row : Json::parse(picklock("list strategies --json").out))
    strategies += (strategies.empty() ? "" : ", ") + row.at("name").get<std::string>();
  refuse("", "give a SCENARIO or --algorithm NAME");
  refuse(kStory + " --algorithm lua-check-delete", "not both");
  refuse("--algorithm lua-check-delet", "no algorithm `lua-check-delet`; did you mean `lua-check-");
  refuse("chek-then-delete-gap", "did you mean `check-then-delete-gap`?");
  refuse(kStory + " --set lock.tl=5s", "did you mean `lock.ttl`?");
  refuse(kStory + " --strategy dpor", "no strategy `dpor`; it is one of " + strategies);
  refuse(kStory + " --faults paus", "no class of faults `paus`; did you mean `pause`?");
  refuse(kStory + " --faults pause,,crash", "there is an empty word in \"pause,,crash\"");
  refuse(kStory + " --faults failover",
         "failover cannot act in check-then-delete-gap: the primary has");
  refuse(kStory + " --set clients.writes=0 --faults late-write",
         "late-write cannot act in check-then-delete-gap: no client of this scenario sends such");
  refuse(kStory + " --property own-releas",
         "no property `own-releas`; did you mean `own-release`?");
  refuse(kStory + " --except own-relase:pause",
         "--except: there is no property `own-relase`; did you mean `own-release`?");
  refuse(kStory + " --except pause@release.snt",
         "--except: there is no step `release.snt`; did you mean `release.sent`?");
  refuse("--algorithm lua-check-delete --against redlok",
         "--against: there is no algorithm `redlok`; did you mean `redlock`?");
  refuse("--algorithm lua-check-delete --against zk-sequential",
         "--against: zk-sequential lives on ZooKeeper and lua-check-delete on Redis");
  refuse("--algorithm lua-check-delete --against-set lock.tl=5s", "--against-set: ");
  refuse("--algorithm lua-check-delete --against redlock --against-set lock.tl=5s",
         "did you mean `lock.ttl`?");
  refuse(kStory + " --max-faults 0", "--max-faults: must be a whole number, 1 to 100, not \"0\"");
  refuse(kStory + " --runs 0", "--runs: must be a whole number");
  refuse(kStory + " --runs 5 --seconds 5", "give --runs or --seconds, not both");
  for (const char* seconds : {"0", "-1", "soon", "nan", "inf", "1e99"})
    refuse(kStory + " --seconds=" + seconds, "--seconds: must be a number greater than 0");
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

TEST_F(Program, FindsWhatCanBeRunAgainAfterItsFolderHasBeenMoved) {
  const std::string script = file("careless.lua", "return redis.call('del', KEYS[1])\n");
  const std::string story =
      file("story.toml",
           "format = 1\n[lock]\nalgorithm = 'redlock'\nrelease_script = 'careless.lua'\n"
           "[servers.redis]\nmasters = 3\n");
  EXPECT_EQ(
      picklock("explore " + story + " --property own-release --runs 500 --out " + path("finds"))
          .status,
      1);
  std::filesystem::remove(script);
  std::filesystem::create_directories(path("moved"));
  std::filesystem::rename(path("finds"), path("moved/finds"));
  const Ran again = picklock("run " + path("moved/finds/own-release-1.toml"));
  EXPECT_EQ(again.status, 0) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("✗ own-release"));
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

TEST_F(Program, TriesEveryPlanOfOneFault) {
  const std::string arguments =
      "explore plain/lua-check-delete --strategy exhaustive --set clients.count=2 "
      "--set clients.cycles=1 --faults pause,failover";
  const Json out = Json::parse(picklock(arguments + " --json").out);
  EXPECT_EQ(out.at("exhausted"), true);
  EXPECT_EQ(out.at("max_faults"), 1);
  EXPECT_EQ(out.at("chance_below"), Json());
  EXPECT_EQ(out.at("complete").at("faults"), 1);
  EXPECT_EQ(out.at("complete").at("plans"), out.at("runs"));
  EXPECT_EQ(out.at("complete").at("lengths").at("lease"), "10s");
  const Ran told = picklock(arguments);
  EXPECT_EQ(told.status, 0);
  EXPECT_THAT(told.out,
              StartsWith("✓ no promised property was violated by any plan of at most 1 fault\n"));
}

// Its plans depend on each other, so that no number of clean runs bounds what may be missed.
TEST_F(Program, MakesPlansOfThoseThatShowedSomethingNew) {
  const std::string arguments =
      "explore plain/lua-check-delete --strategy guided --runs 400 --seed 3";
  const Json out = Json::parse(picklock(arguments + " --json").out);
  EXPECT_EQ(out.at("runs"), 400);
  EXPECT_GT(out.at("kept"), 40);
  EXPECT_EQ(out.at("chance_below"), Json());
  EXPECT_EQ(out.at("complete"), Json());
  const Ran told = picklock(arguments);
  EXPECT_EQ(told.status, 0);
  EXPECT_THAT(told.out, HasSubstr(" of the runs showed something new and led to others"));
  EXPECT_THAT(told.out, ::testing::Not(HasSubstr("confidence")));
}

TEST_F(Program, SearchesOnPastWhatIsKnown) {
  const std::string arguments =
      "explore --algorithm set-px-check-delete --property own-release --runs 500 --out " +
      path("finds") + " --except own-release --except no-stale-write:@renew";
  const Ran told = picklock(arguments);
  EXPECT_EQ(told.status, 0);
  EXPECT_THAT(told.out, StartsWith("✓ own-release never violated, apart from what is known\n"));
  EXPECT_THAT(told.out, ::testing::ContainsRegex("\nknown      own-release in [0-9]+ runs and "
                                                 "no-stale-write:@renew never happened\n"));
  const Json one = Json::parse(picklock(arguments + " --json --jobs 1").out);
  EXPECT_EQ(one.at("known").at(0).at("except"), "own-release");
  EXPECT_GT(one.at("known").at(0).at("runs"), 0);
  EXPECT_EQ(one.at("known").at(1).at("runs"), 0);
  EXPECT_EQ(one.at("violations"), Json::array());
  const Json two = Json::parse(picklock(arguments + " --json --jobs 2").out);
  EXPECT_EQ(two.at("known"), one.at("known"));
}

TEST_F(Program, ComparesALockWithAnother) {
  if (tests_are_short()) GTEST_SKIP() << "explore_test compares locks";
  const auto arguments = [this](const std::string& jobs) {
    return "explore --algorithm set-px-check-delete --against lua-check-delete --runs 1500 "
           "--property mutual-exclusion,own-release --out " +
           path("by-" + jobs) + " --jobs " + jobs;
  };
  const Ran told = picklock(arguments("2"));
  EXPECT_EQ(told.status, 1);
  EXPECT_THAT(told.out, HasSubstr("✗ own-release violated in run "));
  EXPECT_THAT(told.out, HasSubstr("\ncompared   lua-check-delete keeps it under "));
  EXPECT_THAT(told.out, HasSubstr("\nlimit      mutual-exclusion in "));
  EXPECT_EQ(picklock("run " + path("by-2/own-release-1.toml")).status, 0);
  EXPECT_EQ(picklock("run " + path("by-2/limit-mutual-exclusion-1.toml")).status, 0);
  Json out = Json::parse(picklock(arguments("2") + " --json").out);
  EXPECT_EQ(out.at("against").at("algorithm"), "lua-check-delete");
  const Json limit = out.at("against").at("limits").at(0);
  EXPECT_EQ(limit.at("property"), "mutual-exclusion");
  EXPECT_GT(limit.at("runs"), 0);
  EXPECT_GT(limit.at("fired").at("pause"), 0);
  EXPECT_THAT(limit.at("file"), EndsWith("by-2/limit-mutual-exclusion-1.toml"));
  EXPECT_GT(out.at("violations").at(0).at("moved"), 0);

  const std::string by_one = picklock(arguments("1") + " --json").out;
  Json one = Json::parse(std::regex_replace(by_one, std::regex("/by-1/"), "/by-2/"));
  for (const char* figure : {"wall_seconds", "runs_per_second"}) {
    out.erase(figure);
    one.erase(figure);
  }
  EXPECT_EQ(one, out);

  const std::string versions =
      "explore --algorithm lua-check-delete --against lua-check-delete --runs 300 --json";
  EXPECT_EQ(picklock(versions).status, 0);
}

TEST_F(Program, ComparesALockWithItselfAfterAChange) {
  if (tests_are_short()) GTEST_SKIP() << "explore_test compares locks";
  const Ran told = picklock(
      "explore --algorithm shedlock --set lock.version=6.10 --against-set lock.version=7.9 "
      "--property own-release --runs 100 --out " +
      path("finds"));
  EXPECT_EQ(told.status, 1);
  EXPECT_THAT(told.out, HasSubstr("\ncompared   shedlock with lock.version = 7.9 keeps it under "));
}

TEST_F(Program, SaysWhatOrdersByPrioritiesPromise) {
  const std::string arguments =
      "explore check-then-delete-gap-order --set lock.algorithm=lua-check-delete --faults none "
      "--property own-release --runs 50 --out " +
      path("finds");
  const Ran ran = picklock(arguments + " --strategy pct --depth 1");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("guarantee  a violation that needs no more than 1 order of"));
  EXPECT_EQ(picklock(arguments + " --depth 2").err,
            "picklock: --depth: the strategy random has no depth; pct has\n");
}

TEST_F(Program, KeepsTheCorpusOfAGuidedSearchForTheNext) {
  const std::string arguments =
      "explore plain/lua-check-delete --strategy guided --runs 200 --corpus " + path("corpus");
  EXPECT_THAT(picklock(arguments).out, HasSubstr(" that show as much"));
  EXPECT_EQ(picklock(arguments + " --seed 2").status, 0);
  const Ran of_chance = picklock("explore plain/lua-check-delete --runs 10 --corpus " + path("c"));
  EXPECT_EQ(of_chance.status, 2);
  EXPECT_EQ(of_chance.err,
            "picklock: --corpus: the strategy random makes no plans of others; guided does\n");
}

TEST_F(Program, DoesNotBeginWithMorePlansThanItMayTry) {
  const Ran ran = picklock(
      "explore plain/lua-check-delete --strategy exhaustive --max-faults 2 "
      "--faults late-write --runs 2000");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, ::testing::ContainsRegex(
                           "^picklock: stopped: the plans of 2 faults are some [0-9,]+, "
                           "which is more than --runs 2000 and would take about"));
  EXPECT_THAT(ran.out, HasSubstr("complete   every plan of at most 1 fault: "));
}

// Five million plans need more than that: a search without an end is no good news.
TEST_F(Program, SaysThatTheTimeWasOverBeforeEveryPlanWasTried) {
  const Ran ran =
      picklock("explore plain/lua-check-delete --strategy exhaustive --max-faults 2 --seconds 0.1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("the time was over before every plan of "));
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

// The files that were announced on a terminal. An unfinished line announces nothing.
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

// Kills a search on a terminal while it finds one violation after another, PICKLOCK_KILLS times
// (8). Every file that it announced exists, every file is whole, and the next search continues from
// them.
TEST_F(Program, LeavesWholeFilesWhereItIsKilled) {
  if (!has_terminal()) GTEST_SKIP() << kNoTerminal;
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
    // The first search is killed when it announces a file, the others earlier or later.
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
      "set -m; \"$P\" explore --algorithm lua-check-delete --seconds 60 --json & "
      // Until then it knows nothing of interruptions: it has its worker processes after that.
      "while kill -0 $! && [[ -z $(cat /proc/$!/task/$!/children) ]]; do sleep 0.05; done; "
      "sleep 0.5; kill -INT $!; wait $!");
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
      path("finds") + " & while kill -0 $! && [[ ! -e " + path("finds/own-release-1.toml") +
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

}  // namespace
}  // namespace picklock::cli
