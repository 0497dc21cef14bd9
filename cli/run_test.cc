// `picklock run`.
#include <regex>

#include "sim/sanitizer.h"
#include "testing/program.h"
#include "testing/whole.h"

namespace picklock::cli {
namespace {

TEST_F(Program, RefusesScenariosThatAreNotThere) {
  expect_refused("run chek-then-delete-gap", "did you mean `check-then-delete-gap`?");
  expect_refused("run missing.toml", "missing.toml: there is no such file");
  expect_refused("run nosuch", "no shipped scenario of that name; `picklock list scenarios` lists");
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
                 "deep.toml:2: is nested more than");
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
  refuse("servers.redis.masters=3", "must be 1: set-px-check-delete uses one server");
  refuse("fault.2.for=5s", "there is one `fault`; write `fault.1.for`");
  refuse("clients.count=0", "clients.count");
  refuse("clients.count=2 --set fault.1.pause=client-3", "there is no client-3");
}

TEST_F(Program, RefusesARunThatGoesOnForYears) {
  expect_refused("run plain/lua-check-delete --set clients.hold=100000h",
                 "lua-check-delete: the run has more than 1000000 events, the limit, and was "
                 "cut short at ");
}

// Requests that time out leave sessions behind that wait for the row, and each passes it to the
// next.
TEST_F(Program, EndsHundredsOfSessionsWhoseClientsAreGoneOneAfterAnother) {
  const Ran ran =
      picklock("run mysql-session-lost-holder-unaware --set lock.command_timeout=100ms");
  EXPECT_LE(ran.status, 1) << ran.err;
  EXPECT_EQ(ran.err, "");
}

// A sanitized run of a crowd takes up to a minute.
bool has_time_for_crowds() { return !tests_are_short(); }

// No step of a server looks at every session, and no judge at every key.
TEST_F(Program, EndsOrCutsShortARunOfThousandsOfClientsSoon) {
  if (!has_time_for_crowds()) GTEST_SKIP() << "only in `./check --all`";
  const std::string limits = sim::kSanitized ? "ulimit -t 200; " : "ulimit -v 1048576 -t 10; ";
  for (const std::string arguments :
       {"plain/mysql-row-lock --set clients.count=3000 --set clients.arrive_every=0s",
        "plain/mysql-get-lock --set clients.count=3000 --set clients.arrive_every=0s",
        "plain/redisson-fair-lock --set clients.cycles=4000 --set clients.hold=1ns"}) {
    const Ran ran = shell(limits + "\"$P\" run -q " + arguments);
    EXPECT_LE(ran.status, 2) << arguments << '\n' << ran.err;
  }
}

TEST_F(Program, NamesThePeriodsWhereTheyMakeARunTooLong) {
  expect_refused("run plain/zk-sequential --set servers.zookeeper.tick=1ns",
                 "was cut short at 0.201s; make the shortest period longer, such as "
                 "`lock.retry_every` or a time of `servers.zookeeper`");
}

// Each waiter lists the places of all others, so the messages grow with the square of the clients.
TEST_F(Program, RefusesARunWhoseMessagesFillTheMemory) {
  if (!has_time_for_crowds()) GTEST_SKIP() << "only in `./check --all`";
  expect_refused("run plain/zk-sequential --set clients.threads=500 --set clients.hold=1ms",
                 "zk-sequential: the messages of the run take more than 64 MiB, the limit; make ");
}

TEST_F(Program, RefusesClientsWhoseConnectionsFillTheMemory) {
  expect_refused("run plain/redisson-multilock --set clients.count=2000",
                 "key `clients.count`: makes 6000 pairs of a thread and a primary");
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
  EXPECT_THAT(ran.out, HasSubstr("own-release was expected to be violated but holds"));
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
  EXPECT_THAT(
      good.out,
      HasSubstr("<testsuites name=\"picklock\" tests=\"3\" failures=\"0\" errors=\"0\" time=\""));
  expect_refused("run " + kStory + " plain/redlock --format mermaid",
                 "--format mermaid: shows one SCENARIO; text, json and junit take several");
  const Ran worse = picklock("run " + kStory + " --format junit --set fault.1.nth=2");
  EXPECT_EQ(worse.status, 1);
  EXPECT_THAT(worse.out, HasSubstr("<failure type=\"not as expected\""));
  EXPECT_THAT(worse.out, HasSubstr("picklock run " + kStory + " --seed 1 --set fault.1.nth=2"));
  const Ran two = picklock("run " + kStory + " plain/redlock");
  EXPECT_EQ(two.status, 0);
  EXPECT_THAT(two.out, HasSubstr("algorithm  redlock"));
}

// With every wall time, the one figure that may differ between two calls, replaced by T.
std::string without_times(const std::string& text) {
  return std::regex_replace(text, std::regex("time=\"[0-9.]+\"|; [0-9.]+ s\n"), "T");
}

TEST_F(Program, SaysTheSameWhenAskedAgain) {
  for (const std::string format : {"text", "mermaid", "json", "junit", "perfetto"}) {
    const std::string arguments = "run " + kStory + " --format " + format;
    const Ran once = picklock(arguments);
    EXPECT_EQ(without_times(once.out), without_times(picklock(arguments).out));
    EXPECT_FALSE(once.out.empty());
    EXPECT_EQ(without_times(once.out) == once.out, format != "junit") << format;
  }
}

TEST_F(Program, RunsTheGoodScenariosAndNamesEveryBadOne) {
  const std::string bad = file("bad.toml", kScenario + "tll = \"5s\"\n");
  const std::string scenarios =
      bad + " plain/redlock no-such-scenario " + kStory + " --set lock.key=k";
  const Ran text = picklock("run " + scenarios);
  EXPECT_EQ(text.status, 2);
  EXPECT_THAT(text.err,
              StartsWith("picklock: " + bad + ":4: key `lock.tll`: there is no such key"));
  EXPECT_THAT(text.err, HasSubstr("\npicklock: no-such-scenario: there is no such file"));
  EXPECT_EQ(std::count(text.err.begin(), text.err.end(), '\n'), 2) << text.err;
  EXPECT_THAT(text.out, testing::AllOf(HasSubstr("algorithm  redlock"),
                                       HasSubstr("algorithm  set-px-check-delete")));
  EXPECT_THAT(without_times(text.out),
              EndsWith("\n\n4 scenarios: 2 as expected, 2 could not be runT"));

  const Ran json = picklock("run " + scenarios + " --format json");
  EXPECT_EQ(json.status, 2);
  const Json all = Json::parse(json.out);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all.at(0).at("scenario"), bad);
  EXPECT_THAT(all.at(0).at("error").get<std::string>(), HasSubstr("did you mean `lock.ttl`?"));
  EXPECT_EQ(all.at(1).at("algorithm"), "redlock");
  EXPECT_EQ(all.at(3).at("scenario"), kStory);
  EXPECT_THAT(json.err, HasSubstr("4 scenarios: 2 as expected, 2 could not be run; "));

  const Ran junit = picklock("run " + scenarios + " --format junit");
  EXPECT_EQ(junit.status, 2);
  EXPECT_THAT(junit.out, HasSubstr("failures=\"0\" errors=\"2\""));
  EXPECT_THAT(junit.out, HasSubstr("<error type=\"cannot be run\" message=\"no-such-scenario: "));
}

TEST_F(Program, ReportsABadFileToACiSystemEvenIfItIsTheOnlyOne) {
  const Ran ran = picklock("run --format junit " + file("bad.toml", "format = 1\nx = = 2\n"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, HasSubstr("bad.toml:2: is not TOML"));
  EXPECT_THAT(ran.out, HasSubstr("tests=\"1\" failures=\"0\" errors=\"1\""));
}

TEST_F(Program, TakesTheWorstScenarioForItsStatus) {
  const std::string surprising = kStory + " --set fault.1.nth=2";
  EXPECT_EQ(picklock("run " + surprising).status, 1);
  const std::string good = file("good.toml", kScenario);
  const std::string unexpected =
      file("unexpected.toml", kScenario + "[expect]\nviolated = ['own-release']\n");
  EXPECT_EQ(picklock("run " + good + " " + good).status, 0);
  EXPECT_EQ(picklock("run " + unexpected + " " + good).status, 1);
  EXPECT_EQ(picklock("run " + unexpected + " nothing.toml " + good).status, 2);
}

TEST_F(Program, SummarizesSeveralScenarios) {
  const std::string unexpected =
      file("unexpected.toml", kScenario + "[expect]\nviolated = ['own-release']\n");
  const Ran ran = picklock("run plain/redlock " + unexpected + " plain/watchdog");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(without_times(ran.out),
              EndsWith("\n\n3 scenarios: 2 as expected, 1 not as expectedTnot as expected: " +
                       unexpected + "\n"));
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(picklock("run plain/redlock").out, Not(HasSubstr("1 scenario")));
}

TEST_F(Program, ShowsOnlyWhatIsNotAsExpectedWhenItIsQuiet) {
  const std::string unexpected =
      file("unexpected.toml", kScenario + "[expect]\nviolated = ['own-release']\n");
  EXPECT_EQ(without_times(picklock("run --quiet plain/redlock plain/watchdog").out),
            "2 scenarios: 2 as expectedT");
  EXPECT_EQ(without_times(picklock("run -q plain/redlock").out), "1 scenario: 1 as expectedT");
  const Ran ran = picklock("run --quiet plain/redlock " + unexpected);
  EXPECT_THAT(ran.out, testing::AllOf(HasSubstr("own-release was expected to be violated"),
                                      HasSubstr("\n\n2 scenarios: 1 as expected, 1 not"),
                                      Not(HasSubstr("algorithm  redlock"))));
}

TEST_F(Program, ReadsScenariosFromPipes) {
  const std::string text = kScenario + "[clients]\ncount = 2\n";
  const std::string plain = picklock("run " + file("story.toml", text)).out;
  const std::string digest = plain.substr(plain.find("\ndigest"), 30);
  for (const std::string& command :
       {"run - <" + path("story.toml"), "run /dev/stdin <" + path("story.toml"),
        "run <(cat " + path("story.toml") + ")"}) {
    const Ran ran = picklock(command);
    EXPECT_EQ(ran.status, 0) << command << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(digest)) << command;
    EXPECT_THAT(ran.out, HasSubstr("picklock run FILE --seed 1\n")) << command;
  }
  EXPECT_EQ(shell("cat " + path("story.toml") + " | \"$P\" run -").status, 0);
  const Ran named = shell("mkfifo " + path("fifo") + "; cat " + path("story.toml") + " >" +
                          path("fifo") + " & \"$P\" run " + path("fifo"));
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(
      picklock("explore - --runs 20 --out " + path("finds") + " <" + path("story.toml")).status, 0);
}

TEST_F(Program, NamesStandardInputAndPipesInErrors) {
  file("bad.toml", kScenario + "tll = '5s'\n");
  const std::string from_bad = " <" + path("bad.toml");
  expect_refused("run -" + from_bad, "standard input:4: key `lock.tll`: there is no such key");
  expect_refused("run /dev/stdin" + from_bad, "/dev/stdin:4: key `lock.tll`");
  expect_refused("run <(cat " + path("bad.toml") + ")", "/dev/fd/");
  expect_refused("run -", "standard input:1: key `format`: is missing");
  expect_refused("run - /dev/stdin", "standard input can be read only once");
}

TEST_F(Program, FindsScriptsOfAPipedScenarioInTheWorkingDirectory) {
  file("release.lua", "return redis.call('DEL', KEYS[1])\n");
  file("story.toml",
       "format = 1\n[lock]\nalgorithm = 'lua-check-delete'\n"
       "release_script = 'release.lua'\n");
  const std::string here = "cd " + path("") + "; \"$P\" run ";
  EXPECT_EQ(shell(here + "story.toml").status, 0);
  EXPECT_EQ(shell(here + "- <story.toml").status, 0);
  EXPECT_EQ(shell(here + "<(cat story.toml)").status, 0);
  EXPECT_EQ(shell(here + "/dev/stdin <story.toml").status, 0);
}

const std::string kQuick = R"(format = 1
[lock]
algorithm = 'redlock'
[clients]
count = 1
)";
// A run of many seconds on any machine, because every release executes a loop of Lua.
class LongRun : public Program {
 protected:
  LongRun() {
    file("slow.lua", "for i = 1, 3000000 do end\nreturn redis.call('DEL', KEYS[1])\n");
    file("long.toml",
         "format = 1\n[lock]\nalgorithm = 'lua-check-delete'\nrelease_script = 'slow.lua'\n"
         "[clients]\ncycles = 20000\n");
  }
};

TEST_F(LongRun, CutsARunOffAtTheTimeLimitAndReportsTheOthersAsTheyAre) {
  const std::string limited = "run --time-limit 0.5 " + file("quick.toml", kQuick) + " " +
                              path("long.toml") + " plain/redlock";
  const Ran text = picklock(limited);
  EXPECT_EQ(text.status, 2);
  EXPECT_EQ(text.err, "picklock: the time limit of 0.5 s was reached in " + path("long.toml") +
                          "; 1 more not run\n");
  EXPECT_THAT(text.out, HasSubstr("✓ as expected"));
  EXPECT_THAT(text.out, HasSubstr("\n\n3 scenarios: 1 as expected, 1 cut off, 1 not run; "));

  const Json all = Json::parse(picklock(limited + " --format json").out);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at(0).at("as_expected"), true);
  EXPECT_EQ(all.at(1).at("error"), "the time limit of 0.5 s was reached before the run had ended");
  EXPECT_EQ(all.at(2).at("error"), "the time limit of 0.5 s was reached before the run began");

  const Ran junit = picklock(limited + " --format junit");
  EXPECT_EQ(junit.status, 2);
  EXPECT_THAT(junit.out, HasSubstr("tests=\"3\" failures=\"0\" errors=\"2\""));
  EXPECT_THAT(junit.out, HasSubstr("<error type=\"cut off\""));
  EXPECT_THAT(junit.out, HasSubstr("<error type=\"not run\""));

  const Ran one = picklock("run --time-limit 0.2 --format json " + path("long.toml"));
  EXPECT_EQ(one.status, 2);
  EXPECT_EQ(one.out, "") << "nothing stands for a run that was cut off";
}

TEST_F(Program, RunsAsWithoutATimeLimitWhereItIsNotReached) {
  EXPECT_EQ(picklock("run --time-limit 1000 " + kStory).out, picklock("run " + kStory).out);
  expect_refused("run --time-limit 0 " + kStory, "--time-limit: must be a number greater than 0");
}

TEST_F(LongRun, ReportsTheScenariosThatHaveEndedWhenARunIsInterrupted) {
  const std::string scenarios = file("quick.toml", kQuick) + " " + path("long.toml");
  const Ran ran = shell("set -m; \"$P\" run " + scenarios + " & until grep -q 'as expected' " +
                        path("out") + "; do sleep 0.05; done; kill -INT $!; wait $!");
  EXPECT_EQ(ran.status, 130);
  EXPECT_EQ(ran.err, "picklock: interrupted in " + path("long.toml") + "\n");
  EXPECT_THAT(ran.out, HasSubstr("\n\n2 scenarios: 1 as expected, 1 cut off; "));
}

TEST_F(LongRun, ShowsProgressOfALongRunOnATerminalOnly) {
  if (!has_terminal()) GTEST_SKIP() << kNoTerminal;
  const Ran shown = shell(
      "export P TERM=xterm; script -qefc 'echo $$ >" + path("pid") +
      "; exec \"$P\" run --time-limit 100 " + path("long.toml") + "' " + path("terminal") +
      " >/dev/null & until grep -qs 'long.toml, [0-9]* s of at most 100 s' " + path("terminal") +
      " || [[ ! -e /proc/$! ]]; do sleep 0.05; done; kill -INT $(<" + path("pid") + "); wait $!");
  EXPECT_EQ(shown.status, 130);
  EXPECT_THAT(read("terminal"), HasSubstr("\r\x1b[K"));
  EXPECT_THAT(read("terminal"), HasSubstr("picklock: interrupted in "));
  const std::string limited = "run --time-limit 2 " + path("long.toml");
  EXPECT_THAT(on_a_terminal(limited, "TERM=dumb"), Not(HasSubstr("\x1b")));
  EXPECT_EQ(picklock(limited).err,
            "picklock: the time limit of 2 s was reached in " + path("long.toml") + "\n");
}

TEST_F(Program, WritesARunAsAPage) {
  const std::string page = path("run.html");
  const Ran ran = picklock("run " + kStory + " --format json --html " + page);
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, picklock("run " + kStory + " --format json").out);
  const std::string html = read("run.html");
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(html.find("picklock run " + kStory + " --seed 1") != std::string::npos);
  EXPECT_TRUE(html.find("\"exchange\"") != std::string::npos) << "the page tells of messages";
  EXPECT_EQ(picklock("run " + kStory + " --format json --html " + page).status, 0);
  EXPECT_TRUE(read("run.html") == html) << "the same run is the same page";
  expect_refused("run " + kStory + " plain/redlock --html " + page, "--html: shows one SCENARIO");
  const Ran lost = picklock("run " + kStory + " --html /dev/full");
  EXPECT_EQ(lost.status, 2);
  EXPECT_THAT(lost.err, HasSubstr("/dev/full cannot be written: No space left"));
  expect_refused("run " + kStory + " --html " + path("none/run.html"),
                 "cannot be written: No such");
}

TEST_F(Program, LeavesNothingOutOfATimelineWhereItIsAskedTo) {
  const std::string scenario = "run pubsub-wakes-everyone";
  const Ran usual = picklock(scenario);
  const Ran all = picklock(scenario + " --all");
  EXPECT_EQ(all.status, 0);
  EXPECT_THAT(usual.out, HasSubstr("left out"));
  EXPECT_THAT(all.out, testing::Not(HasSubstr("left out")));
  EXPECT_THAT(all.out, HasSubstr("UNSUBSCRIBE"));
  EXPECT_GT(all.out.size(), usual.out.size());
  const Ran polls = picklock("run no-ttl-holder-crash --all");
  EXPECT_THAT(polls.out, testing::Not(HasSubstr("retried")));
  expect_refused(scenario + " --all --format json", "--all: is for --format text, not json");
  expect_refused(scenario + " --all --quiet", "run: give --all or --quiet, not both");
}

}  // namespace
}  // namespace picklock::cli
