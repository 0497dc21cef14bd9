// `picklock list`.
#include <set>

#include "testing/program.h"

namespace picklock::cli {
namespace {

const std::vector<std::string> kKinds = {"algorithms", "scenarios", "faults", "properties",
                                         "strategies"};

// The text with every line break and the margin after it as one blank.
std::string unwrapped(const std::string& text) {
  std::string all;
  for (const char letter : text) {
    if (letter != ' ' && letter != '\n') {
      all += letter;
    } else if (!all.ends_with(' ')) {
      all += ' ';
    }
  }
  return all;
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

TEST_F(Program, ListsTheStepsMarksKeysAndPromisesOfOneLock) {
  const Ran ran = picklock("list redisson-fair-lock");
  EXPECT_EQ(ran.status, 0);
  const std::string text = unwrapped(ran.out);
  EXPECT_THAT(text, HasSubstr("lock redisson-fair-lock: Redisson's re-entrant lock with a queue"));
  EXPECT_THAT(text, HasSubstr("steps acquire, subscribe, release, renew, write"));
  EXPECT_THAT(text, HasSubstr("place_expires \"300s\"; how long a waiter keeps its place"));
  EXPECT_THAT(
      unwrapped(picklock("list redisson-lock").out),
      HasSubstr("acquire_script your script in place of the one that takes the lock: a Lua file"));
  EXPECT_THAT(text, HasSubstr("no-deadlock under none, pause"));
  EXPECT_THAT(picklock("list redlock").out, HasSubstr("marks    answers-counted, elapsed-checked"));
  const Json rows = Json::parse(picklock("list redlock --json").out);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("name"), "redlock");
  EXPECT_THAT(rows[0].at("keys").dump(), HasSubstr("\"validity\""));
  EXPECT_THAT(picklock("list redlok").err, HasSubstr("did you mean `redlock`?"));
}

TEST_F(Program, ListsScenariosThatCanBeRunByTheirNames) {
  const Json rows = Json::parse(picklock("list scenarios --json").out);
  std::size_t plain = 0;
  std::string names;
  for (const Json& row : rows) {
    const std::string name = row.at("name");
    if (name.starts_with("plain/")) ++plain;
    names += " " + name;
  }
  const Ran ran = picklock("run --quiet" + names);
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
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
  EXPECT_THAT(unwrapped(picklock("list algorithms").out),
              testing::AllOf(HasSubstr("; steps: acquire, check, release, write"),
                             HasSubstr("; steps: acquire, subscribe, release, renew, write")));
  EXPECT_THAT(unwrapped(picklock("list faults").out), HasSubstr("; verbs: restart, crash, evict"));
}

TEST_F(Program, ListsTheStrategiesThatAreBuilt) {
  const Json rows = Json::parse(picklock("list strategies --json").out);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows.at(0).at("name"), "random");
  EXPECT_EQ(rows.at(1).at("name"), "exhaustive");
  EXPECT_EQ(rows.at(2).at("name"), "guided");
  EXPECT_EQ(rows.at(3).at("name"), "pct");
}

TEST_F(Program, WrapsItsListsByWordsAt80Columns) {
  for (const std::string& kind : kKinds) {
    const std::string list = picklock("list " + kind).out;
    EXPECT_LE(widest_line(list), 80) << kind;
    const Json rows = Json::parse(picklock("list " + kind + " --json").out);
    for (const Json& row : rows) {
      EXPECT_THAT(unwrapped(list), HasSubstr(row.at("name").get<std::string>() + " " +
                                             row.at("summary").get<std::string>()))
          << kind;
    }
  }
}

TEST_F(Program, ListsNamesAloneOnePerLine) {
  std::string names;
  for (const Json& row : Json::parse(picklock("list scenarios --json").out))
    names += row.at("name").get<std::string>() + '\n';
  EXPECT_EQ(picklock("list scenarios --names").out, names);
  expect_refused("list scenarios --names --json", "give --json or --names, not both");
}

TEST_F(Program, ListsScenariosByLockFaultAndServer) {
  const auto listed = [this](const std::string& filters) {
    const Ran ran = picklock("list scenarios --json " + filters);
    EXPECT_EQ(ran.status, 0) << filters;
    return Json::parse(ran.out);
  };
  const std::size_t all = listed("").size();
  const Json redlock = listed("--lock redlock");
  EXPECT_GT(redlock.size(), 1u);
  EXPECT_LT(redlock.size(), all);
  for (const Json& row : redlock) EXPECT_EQ(row.at("algorithm"), "redlock");
  for (const Json& row : listed("--server zookeeper,mysql"))
    EXPECT_THAT(row.at("server"), testing::AnyOf("zookeeper", "mysql"));
  const auto has = [](const Json& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  // `pause` is a class and a verb, `drop` a verb alone, `amnesia` a class alone.
  for (const std::string word : {"pause", "drop", "amnesia"}) {
    std::set<std::string> with;
    for (const Json& row : listed("--fault " + word)) with.insert(row.at("name"));
    EXPECT_FALSE(with.empty()) << word;
    for (const Json& row : listed("")) {
      EXPECT_EQ(with.contains(row.at("name")),
                has(row.at("verbs"), word) || has(row.at("fault_classes"), word))
          << row.at("name");
    }
  }
  const Json both = listed("--lock redlock,zk-sequential --fault pause --server zookeeper");
  EXPECT_FALSE(both.empty());
  for (const Json& row : both) EXPECT_EQ(row.at("algorithm"), "zk-sequential");
  EXPECT_THAT(picklock("list scenarios --names --lock redlock --fault none").out,
              HasSubstr("plain/redlock\n"));
}

TEST_F(Program, SaysThatNoScenarioMeetsAllFilters) {
  const Ran ran = picklock("list scenarios --lock redlock --server mysql");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "picklock: no shipped scenario meets all of these filters\n");
  EXPECT_EQ(picklock("list scenarios --lock redlock --server mysql --json").out, "[]\n");
}

TEST_F(Program, RefusesFiltersThatDoNotExistAndNamesTheNearestWord) {
  expect_refused("list scenarios --lock redlok",
                 "--lock: there is no lock `redlok`; did you mean `redlock`?");
  expect_refused("list scenarios --fault paus", "`paus`; did you mean `pause`?");
  expect_refused("list scenarios --fault kill-sesion", "did you mean `kill-session`?");
  expect_refused("list scenarios --server zookeper", "did you mean `zookeeper`?");
  expect_refused("list scenarios --server oracle",
                 "it is one of redis, lease_store, zookeeper, mysql");
  expect_refused("list scenarios --lock redlock,", "--lock: there is an empty word");
  expect_refused("list algorithms --server redis", "are for `list scenarios`");
}

}  // namespace
}  // namespace picklock::cli
