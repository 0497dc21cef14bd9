// `picklock compare`.
#include "testing/program.h"
#include "testing/whole.h"

namespace picklock::cli {
namespace {

TEST_F(Program, RefusesComparisonsThatCannotBeMade) {
  expect_refused("compare --algorithms redlok", "there is no algorithm `redlok`; did you mean");
  expect_refused("compare --algorithms redlock,", "--algorithms: there is an empty word");
  expect_refused("compare --faults pause,partitoin",
                 "--faults: there is no class of faults `partitoin`; did you mean `partition`?");
  expect_refused("compare --faults pause+partitoin", "there is no class of faults `partitoin`");
  expect_refused("compare --property safety", "--property: there is no property `safety`");
  expect_refused("compare --runs 5 --seconds 5", "give --runs or --seconds, not both");
  expect_refused("compare --runs 0", "--runs: must be a whole number");
  expect_refused("compare --seconds soon", "--seconds: must be a number greater than 0");
  expect_refused("compare --jobs 0", "--jobs: must be a whole number");
  expect_refused("compare --out /proc/nowhere --runs 1", "--out:");
  expect_refused("compare redlock", "compare: takes no argument \"redlock\"");
  expect_refused("compare --set clients.cont=5", "did you mean `clients.count`?");
  expect_refused("compare --set lock.algorithm=redlock", "give the locks by --algorithms");
  expect_refused("compare --set seed=5",
                 "compare takes keys of lock, servers, clients and network");
  expect_refused("compare --set servers.resource.fencing=ideal",
                 "compare has a cell without fencing and one with it for each fault");
  expect_refused("compare --set servers.resource.nodes=3",
                 "compare has a resource on a single node");
}

TEST_F(Program, ComparesLocksAndLeavesAPageForEveryKindOfReader) {
  const std::string out = path("out-folder");
  const Ran ran = picklock(
      "compare --algorithms set-px-blind-delete,zk-sequential --faults none,amnesia --runs 40 "
      "--out " +
      out);
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "") << "progress is for terminals";
  EXPECT_THAT(ran.out, HasSubstr("set-px-blind-delete under amnesia"));
  EXPECT_THAT(ran.out, HasSubstr("no lock breaks what it promises"));
  for (const std::string name : {"comparison.html", "comparison.md", "comparison.json"})
    EXPECT_GT(std::filesystem::file_size(std::filesystem::path(out) / name), 1000U) << name;
  const Json document = Json::parse(std::ifstream(out + "/comparison.json"));
  const Json& smallest = document.at("locks")
                             .at(0)
                             .at("cells")
                             .at("amnesia")
                             .at("fencing")
                             .at("none")
                             .at("properties")
                             .at("own-release")
                             .at("smallest");
  EXPECT_EQ(picklock("run " + smallest.at("file").get<std::string>()).status, 0);
}

// The second comparison is in the folder of the first, whose runs are of other rules.
TEST_F(Program, ComparesHoldersThatReadWithFencingOfWritesAndOfReads) {
  const std::string reading =
      " --set "
      "\"clients.work=[{do='read'},{do='think',for='4s'},{do='write',mode='based-on-read'}]\"";
  const auto compared = [&](const std::string& more) {
    const Ran ran = picklock("compare --algorithms lua-check-delete --faults amnesia --runs 40" +
                             reading + more + " --out " + path("folder"));
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("or with a lost update"));
    return ran.out;
  };
  EXPECT_THAT(compared(""),
              HasSubstr("even with ideal fencing of writes: lua-check-delete.amnesia.ideal\n"));
  EXPECT_THAT(compared(" --set servers.resource.checks=accesses"),
              HasSubstr("with ideal fencing of reads and writes, no such run in any cell\n"));
}

TEST_F(Program, MergesAComparisonWithAChangedWorkload) {
  const std::string given =
      "compare --algorithms lua-check-delete --faults crash --runs 20 --set clients.count=2";
  const Ran alone = picklock(given + " --json --out " + path("alone"));
  const std::string in_store = given + " --store " + path("store") + " --shard ";
  EXPECT_EQ(picklock(in_store + "0/2").status, 0);
  EXPECT_EQ(picklock(in_store + "1/2").status, 0);
  const Ran merged = picklock("merge " + path("store") + " --json --out " + path("merged"));
  EXPECT_EQ(merged.status, alone.status);
  const Json document = Json::parse(merged.out);
  EXPECT_EQ(document.at("workload").at("clients"), 2);
  EXPECT_EQ(document.at("locks").at(0).at("cells").at("crash").at("fencing").at("none").at("made"),
            20);
  EXPECT_THAT(document.at("command").get<std::string>(), HasSubstr("--set clients.count=2"));
  Json other = Json::parse(alone.out);
  EXPECT_EQ(document.at("locks").at(0).at("price"), other.at("locks").at(0).at("price"));
}

TEST_F(Program, PrintsAComparisonAsOneJsonDocumentThatIsTheSameForAnyJobs) {
  const auto made = [this](const std::string& more) {
    const Ran ran = picklock(
        "compare --algorithms redsync,mysql-row-lock --faults none,crash --runs 30 --json " + more);
    EXPECT_EQ(ran.status, 0);
    Json document = Json::parse(ran.out);
    document.erase("wall_seconds");
    return document;
  };
  const Json one = made("--jobs 1 --out " + path("one"));
  const Json three = made("--jobs 3 --out " + path("three"));
  EXPECT_EQ(one.at("locks").at(0).at("cells").at("none").at("fencing").at("none").at("made"), 30);
  EXPECT_EQ(one.at("locks").at(1).at("price"), three.at("locks").at(1).at("price"));
  // Files are named from the working directory, wherever that is.
  const auto without_folders = [](std::string words) {
    for (const char* name : {"/one/", "/three/"}) {
      for (std::size_t at = 0; (at = words.find(name, at)) != std::string::npos;)
        words.replace(at, std::string(name).size(), "/");
    }
    return words;
  };
  EXPECT_EQ(without_folders(one.dump()), without_folders(three.dump()));
}

TEST_F(Program, ACellSaysTheCommandThatMakesItAgain) {
  const auto cell = [this](const std::string& command) {
    const Ran ran = shell(command);
    EXPECT_EQ(ran.status, 0) << command;
    return Json::parse(ran.out).at("locks").at(0).at("cells").at("failover");
  };
  const Json first = cell(
      "\"$P\" compare --algorithms watchdog --faults none,failover --runs 25 "
      "--json --out " +
      path("first"));
  std::string again = first.at("command");
  again.replace(0, std::string("picklock").size(), "\"$P\"");
  const Json second = cell(again + " --json --out " + path("second"));
  EXPECT_EQ(first.at("fencing").at("none").at("unsafe"),
            second.at("fencing").at("none").at("unsafe"));
  EXPECT_EQ(first.at("fencing").at("ideal").at("availability"),
            second.at("fencing").at("ideal").at("availability"));
}

TEST_F(Program, AnswersInItsStatusToThePropertiesAskedFor) {
  const std::string cells = "compare --algorithms set-px-blind-delete --faults amnesia --runs 40 ";
  EXPECT_EQ(picklock(cells + "--out " + path("kept")).status, 0);
  const Ran asked = picklock(cells + "--property own-release --out " + path("kept"));
  EXPECT_EQ(asked.status, 1);
  EXPECT_THAT(asked.out, HasSubstr("own-release violated: "));
}

TEST_F(Program, GivesEachCellRunsHoweverShortTheTimeIs) {
  for (const std::string seconds : {"0.001", "1"}) {
    const Ran ran = picklock(
        "compare --algorithms lua-check-delete --faults none,pause,amnesia "
        "--json --seconds " +
        seconds + " --out " + path("timed-" + seconds));
    EXPECT_EQ(ran.status, 0);
    const Json cells = Json::parse(ran.out).at("locks").at(0).at("cells");
    for (const std::string column : {"none", "pause", "amnesia"})
      for (const std::string writes : {"none", "ideal"})
        EXPECT_GT(cells.at(column).at("fencing").at(writes).at("runs"), 0) << column << seconds;
  }
}

// Shell commands that wait until the file has so many bytes, or until its writer has ended.
std::string once_it_has(const std::string& file, std::size_t bytes) {
  return "while kill -0 $! && [ \"$(stat -c %s " + file + " 2>/dev/null || echo 0)\" -lt " +
         std::to_string(bytes) + " ]; do sleep 0.05; done; ";
}

// Kills a comparison a few times, earlier and later. The runs that it made stay, and the result is
// that of a comparison that was not killed.
TEST_F(Program, GoesOnWithAComparisonThatWasKilled) {
  if (tests_are_short()) GTEST_SKIP() << "compare_test cuts ledgers off";
  const std::string comparison =
      "compare --algorithms lua-check-delete,redlock --faults none,all --runs 40 --json --out ";
  const auto made = [this, &comparison](const std::string& folder) {
    Json document = Json::parse(picklock(comparison + path(folder)).out);
    return document.at("locks").at(0).at("price").dump() + document.at("locks")
                                                               .at(1)
                                                               .at("cells")
                                                               .at("all")
                                                               .at("fencing")
                                                               .at("none")
                                                               .at("unsafe")
                                                               .dump();
  };
  const std::string ledger = path("killed") + "/runs-seed-1.jsonl";
  std::string before;
  int grown = 0;
  for (const int bytes : {1, 1000, 5000, 2000}) {
    shell("\"$P\" " + comparison + path("killed") + " >/dev/null & " +
          once_it_has(ledger, before.size() + static_cast<std::size_t>(bytes)) +
          "kill -9 $!; wait $!");
    const std::string after = read("killed/runs-seed-1.jsonl");
    const std::string whole = before.substr(0, before.rfind('\n') + 1);
    EXPECT_EQ(after.substr(0, whole.size()), whole) << "what was there, is";
    // On a slow machine the comparison may end before the kill reaches it; then nothing is left to
    // add.
    if (after.size() == before.size()) break;
    ++grown;
    before = after;
  }
  EXPECT_GT(grown, 0);
  EXPECT_EQ(made("killed"), made("undisturbed"));
}

// The program of the next commit is the same but for that.
TEST_F(Program, GoesOnWithAComparisonOfAnotherCommit) {
  if (tests_are_short()) GTEST_SKIP() << "what is tested there is the file of the program";
  const std::string version = picklock("--version").out;
  const std::string label = "commit ";
  const std::size_t at = version.find(label) + label.size();
  const std::string commit = version.substr(at, version.find('\n') - at);
  std::ifstream in(PICKLOCK_PROGRAM, std::ios::binary);
  std::string program(std::istreambuf_iterator<char>(in), {});
  const std::string padded = commit + std::string(64 - commit.size(), '\0');
  const std::size_t place = program.find(padded);
  ASSERT_NE(place, std::string::npos);
  const std::string next = "0123456789ab-dirty";
  program.replace(place, padded.size(), next + std::string(64 - next.size(), '\0'));
  file("next", program);

  const std::string comparison =
      "compare --algorithms redsync --faults none --runs 20 --out " + path("out-folder");
  EXPECT_EQ(picklock(comparison).status, 0);
  const std::string ledger = read("out-folder/runs-seed-1.jsonl");
  const std::string run_next =
      "chmod +x " + path("next") + "; PICKLOCK_SCENARIO_PATH=$PWD/scenarios " + path("next") + " ";
  EXPECT_THAT(shell(run_next + "--version").out, HasSubstr(next));
  const Ran ran = shell(run_next + comparison);
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(read("out-folder/runs-seed-1.jsonl"), ledger);
}

TEST_F(Program, TellsWhatItHasComparedWhenItIsInterrupted) {
  const Ran ran =
      shell("\"$P\" compare --algorithms redlock --runs 100000 --out " + path("kept") + " & " +
            once_it_has(path("kept") + "/runs-seed-1.jsonl", 1000) + "kill -INT $!; wait $!");
  EXPECT_EQ(ran.status, 130);
  EXPECT_THAT(ran.out, HasSubstr("interrupted, so there may be more to find"));
  EXPECT_TRUE(std::filesystem::exists(path("kept") + "/comparison.html"));
}

}  // namespace
}  // namespace picklock::cli
