// `picklock run`.
#include "cli/program.h"

namespace picklock::cli {
namespace {

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

}  // namespace
}  // namespace picklock::cli
