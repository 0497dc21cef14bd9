// Usage, help, lists and output, whatever the command.
#include <regex>

#include "testing/program.h"

namespace picklock::cli {
namespace {

TEST_F(Program, RefusesWrongUsageAndNamesTheNearestWord) {
  expect_refused("", "no command; see picklock --help");
  expect_refused("rn", "there is no command `rn`; did you mean `run`?");
  expect_refused("orchestrate", "there is no command `orchestrate`; see picklock --help");
  expect_refused("--sed 3", "there is no option `--sed`");
  expect_refused("run", "SCENARIO is required");
  expect_refused("run " + kStory + " --sed 3",
                 "there is no option `--sed`; did you mean `--seed`?");
  expect_refused("run " + kStory + " --format jsn",
                 "--format: there is no format `jsn`; did you mean `json`?");
  expect_refused("run " + kStory + " --format yaml",
                 "it is one of text, mermaid, json, junit, perfetto");
  expect_refused("list", "KIND is required");
  expect_refused("ctl wat --port 1", "ctl: there is no `wat`; see picklock help ctl\n");
  expect_refused("compare --algorithms foo",
                 "there is no algorithm `foo`; `picklock list algorithms` lists them all\n");
  expect_refused("compare --algorithms redlock,redlock", "--algorithms: `redlock` is given twice");
  expect_refused("run my_own.toml", "; `picklock list scenarios` lists them all\n");
  expect_refused("list algoritms", "did you mean `algorithms`?");
  expect_refused("list locks",
                 "it is one of algorithms, scenarios, faults, properties, strategies, premises");
}

TEST_F(Program, SaysWhereAnOptionBelongsThatStandsElsewhere) {
  expect_refused("--format json run " + kStory,
                 "`--format` belongs after `run`: picklock run ... --format; see");
  expect_refused("--format=json run " + kStory, "`--format` belongs after `run`");
  expect_refused("--runs 5", "`--runs` belongs after a command, such as `explore`");
}

TEST_F(Program, SaysInItsOwnWordsWhatIsWrongWithArguments) {
  const auto refuse = [this](const std::string& arguments, const std::string& complaint) {
    expect_refused("run " + kStory + arguments,
                   "picklock: " + complaint + "; see picklock help run");
  };
  refuse(" --set", "--set: needs a value, KEY=VALUE");
  refuse(" --seed", "--seed: needs a value, NUMBER");
  refuse(" --seed 1 --seed 2", "--seed: was given 2 times");
  expect_refused("list faults extra", "list: takes no argument \"extra\"; see picklock help list");
  expect_refused("list faults extra another", "list: takes no argument \"extra\"");
  expect_refused("list faults --json=all", "--json: takes no value; see picklock help list");
}

// Each of these was once read as an option that is not given: `--algorithms ""` ran all locks.
TEST_F(Program, RefusesAnOptionWithAnEmptyValue) {
  for (const std::string command :
       {"compare --algorithms", "compare --faults", "compare --property", "compare --runs",
        "explore --algorithm", "explore --faults", "explore --seed", "explore --out",
        "list scenarios --lock", "list scenarios --fault", "conform redis --seed"}) {
    const std::string option = command.substr(command.find("--"));
    expect_refused(command + " ''", "picklock: " + option + ": the value is empty");
  }
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

TEST_F(Program, ColorsOnATerminalOnlyUnlessTheUserSaysOtherwise) {
  EXPECT_THAT(picklock("run " + kStory).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(shell("NO_COLOR=1 TERM=dumb \"$P\" run --color always " + kStory).out,
              HasSubstr("\x1b["));
  expect_refused("run --color alway " + kStory,
                 "--color: there is no value `alway`; did you mean `always`?");
  expect_refused("list faults --color blue", "it is one of auto, always, never");
  if (!has_terminal()) GTEST_SKIP() << kNoTerminal;
  EXPECT_THAT(on_a_terminal("run " + kStory), HasSubstr("\x1b["));
  EXPECT_THAT(on_a_terminal("run " + kStory, "NO_COLOR=1"), Not(HasSubstr("\x1b[3")));
  EXPECT_THAT(on_a_terminal("run " + kStory, "NO_COLOR="), HasSubstr("\x1b["));
  EXPECT_THAT(on_a_terminal("list faults"), HasSubstr("\x1b[1m"));
  EXPECT_THAT(on_a_terminal("list faults --color never"), Not(HasSubstr("\x1b[")));
}

TEST_F(Program, LeavesADumbTerminalWithoutColorsAndCursorMovement) {
  if (!has_terminal()) GTEST_SKIP() << kNoTerminal;
  const std::string search = "explore --algorithm lua-check-delete --seconds 1 --out " + path("x");
  EXPECT_THAT(on_a_terminal(search), HasSubstr("\r\x1b[K"));
  for (const std::string& arguments : {"run " + kStory, search, std::string("list faults")})
    EXPECT_THAT(on_a_terminal(arguments, "TERM=dumb"), Not(HasSubstr("\x1b"))) << arguments;
}

// A prefix with a copy of the program in bin/, and of the shipped scenarios.
std::string moved_installation(const std::string& prefix) {
  return "mkdir -p " + prefix + "/bin " + prefix + "/share/picklock; cp \"$P\" " + prefix +
         "/bin; cp -r scenarios " + prefix + "/share/picklock; ";
}

TEST_F(Program, FindsShippedScenariosWhereverItIsMovedWithThem) {
  const Ran moved = shell(moved_installation(path("new")) + "ln -s new/bin/picklock " +
                          path("link") + "; cd /; " + path("link") + " run " + kStory);
  EXPECT_EQ(moved.status, 0) << moved.err;
  EXPECT_EQ(moved.out, picklock("run " + kStory).out);
}

TEST_F(Program, SaysWhereShippedScenariosShouldBeIfThereAreNone) {
  const std::string none = "rm -r " + path("new/share") + "; " + path("new/bin/picklock ");
  const std::string there = "there are no shipped scenarios in " +
                            path("new/share/picklock/scenarios") +
                            "; set PICKLOCK_SCENARIO_PATH to their folder\n";
  const Ran run = shell(moved_installation(path("new")) + none + "run " + kStory);
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.err, "picklock: " + kStory + ": there is no such file, and " + there);
  EXPECT_EQ(shell(path("new/bin/picklock list scenarios")).err, "picklock: " + there);
  EXPECT_EQ(shell(path("new/bin/picklock run scenarios/redis/" + kStory + ".toml")).status, 0);
  EXPECT_EQ(
      shell("PICKLOCK_SCENARIO_PATH=scenarios " + path("new/bin/picklock run ") + kStory).status,
      0);
}

TEST_F(Program, TellsItsVersionItsCommitAndTheServersThatItsModelsFollow) {
  const Ran ran = picklock("--version");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out,
              testing::MatchesRegex(
                  "picklock [0-9.]+, commit ([0-9a-f]+(-dirty)?|unknown)\n"
                  "The models follow Redis [0-9.]+, ZooKeeper [0-9.]+ and MariaDB [0-9.]+ .*\n"));
  std::ifstream facts("docs/facts/fidelity.md");
  const std::string seen{std::istreambuf_iterator<char>(facts), std::istreambuf_iterator<char>()};
  const std::regex server("(Redis|ZooKeeper|MariaDB) [0-9.]*[0-9]");
  int servers = 0;
  for (std::sregex_iterator one(ran.out.begin(), ran.out.end(), server), end; one != end; ++one) {
    EXPECT_THAT(seen, testing::ContainsRegex("\n## [0-9]\\. " + one->str())) << "a heading of it";
    ++servers;
  }
  EXPECT_EQ(servers, 3);
}

TEST_F(Program, PrintsItsHelp) {
  EXPECT_THAT(picklock("--help").out, HasSubstr("Exit status"));
  EXPECT_EQ(picklock("help").out, picklock("--help").out);
  EXPECT_THAT(picklock("run --help").out, HasSubstr("--seed"));
  EXPECT_EQ(picklock("help run").out, picklock("run --help").out);
}

const std::vector<std::string> kCommands = {"run",   "explore", "compare", "conform", "merge",
                                            "serve", "ctl",     "list",    "test"};

TEST_F(Program, WrapsItsHelpByWordsAt80Columns) {
  EXPECT_LE(widest_line(picklock("help").out), 80);
  for (const std::string& command : kCommands) {
    const std::string help = picklock("help " + command).out;
    EXPECT_LE(widest_line(help), 80) << command;
    EXPECT_THAT(help, HasSubstr("\n  -h, --help")) << command;
    EXPECT_THAT(help, HasSubstr("\nExit status:")) << command;
  }
  EXPECT_THAT(picklock("help run").out,
              HasSubstr("\n  --set KEY=VALUE         change one key of the file, such as "
                        "lock.ttl=5s,\n                          fault.1.for=3s or"));
}

TEST_F(Program, WrapsItsHelpAtTheWidthOfTheTerminal) {
  if (!has_terminal()) GTEST_SKIP() << kNoTerminal;
  const auto widest = [this](const std::string& columns) {
    return widest_line(on_a_terminal("help run", "", "stty cols " + columns));
  };
  EXPECT_LE(widest("60"), 60);
  EXPECT_GT(widest("60"), 50);
  EXPECT_GT(widest("120"), 100);
  EXPECT_LE(widest("120"), 120);
}

}  // namespace
}  // namespace picklock::cli
