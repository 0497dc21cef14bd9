// Usage, help, lists and output, whatever the command.
#include "cli/program.h"

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
