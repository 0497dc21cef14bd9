// Campaigns in a store: `--store`, `--shard` and `picklock merge`.
#include "testing/program.h"
#include "testing/whole.h"

namespace picklock::cli {
namespace {

class Merge : public Program {
 protected:
  void SetUp() override {
    if (tests_are_short()) GTEST_SKIP() << "explore_test and compare_test divide the same searches";
  }
};

// A search with finds, of three parts.
const std::string kSearch =
    "explore --algorithm set-px-blind-delete --property own-release,mutual-exclusion --runs 9000 "
    "--seed 3 ";

TEST_F(Merge, RefusesStoresThatCannotBeUsed) {
  const auto refuse = [this](const std::string& arguments, const std::string& complaint) {
    expect_refused(arguments, complaint);
  };
  const std::string store = " --store " + path("s");
  refuse(kSearch + "--shard 0/2", "explore: --shard needs --store");
  for (const char* shard : {"2/2", "1", "1/", "/2", "-1/2", "0/0", "a/b", "1/2/3", "0/9999999"})
    refuse(kSearch + store + " --shard=" + shard, "--shard: must be I/N, where I is one of 0 to");
  refuse(kSearch + " --store " + file("taken", ""), "taken is not a directory");
  refuse(kSearch + " --store /proc/none", "--store: /proc/none cannot be made: ");
  refuse(kSearch + store + " --corpus " + path("c"), "give --corpus or --store, not both");
  refuse(kSearch + " --stop-after-finds 0", "--stop-after-finds: must be a whole number, 1 to");
  refuse("merge", "merge: give the STORE");
  refuse("merge " + path("nowhere"), "merge: there is no folder ");
  std::filesystem::create_directory(path("empty"));
  refuse("merge " + path("empty"), "empty has no part of a campaign of this picklock");
  picklock("explore --algorithm redlock --runs 10 --shard 0/1 --store " + path("other"));
  refuse(
      kSearch + "--store " + path("other"),
      "other has the parts of another campaign, `picklock explore --algorithm redlock --seed 1`");
}

TEST_F(Merge, MergesWhatOneProcessReports) {
  const std::string out = " --out " + path("finds");
  const Ran one = picklock(kSearch + "--store " + path("one") + out);
  EXPECT_EQ(one.status, 1);
  EXPECT_THAT(one.out, HasSubstr("own-release violated in run "));
  for (const char* shard : {"2/3", "0/3"}) {
    const Ran made = picklock(kSearch + "--store " + path("s") + " --shard " + shard);
    EXPECT_EQ(made.status, 0) << "whatever it found";
    EXPECT_THAT(made.out, HasSubstr("1 part made here; nothing is missing of it"));
  }
  const Ran gap = picklock("merge " + path("s") + out);
  EXPECT_EQ(gap.status, 2);
  EXPECT_EQ(gap.out, "");
  EXPECT_EQ(gap.err,
            "picklock: these parts are missing: runs 4097 to 8192\n"
            "picklock: of 3 shards, 1 has not ended\n");
  EXPECT_THAT(picklock("merge --progress " + path("s")).out,
              HasSubstr("parts      2 parts: 4,904 runs of 9,000\n"));
  picklock(kSearch + "--store " + path("s") + " --shard 1/3");
  const Ran merged = picklock("merge " + path("s") + out);
  EXPECT_EQ(merged.status, 1);
  EXPECT_EQ(merged.out, one.out);
  EXPECT_EQ(merged.err, "");
  EXPECT_EQ(picklock("merge " + path("s") + out + " --json").out,
            picklock(kSearch + "--store " + path("one") + out + " --json").out);
  EXPECT_EQ(picklock("merge " + path("s") + " --out " + path("other")).status, 1);
  EXPECT_EQ(shell("diff -r " + path("finds") + " " + path("other")).out, "");

  // A search without a store differs by its time alone.
  const Ran plain = picklock(kSearch + out);
  std::string told = plain.out;
  const std::size_t time = told.find(" in ", told.find("\nruns  "));
  told.erase(time, told.find('\n', time) - time);
  EXPECT_EQ(told, merged.out);
}

TEST_F(Merge, MergesASearchPastWhatIsKnownAndAgainstAnotherLock) {
  const std::string search =
      "explore --algorithm set-px-check-delete --set clients.count=2 --set clients.cycles=1 "
      "--against lua-check-delete --against-set lock.ttl=9s --except own-release:lost-reply "
      "--property mutual-exclusion,own-release --runs 9000 ";
  const std::string out = "--out " + path("finds") + " ";
  const Ran one = picklock(search + out + "--json");
  EXPECT_EQ(one.status, 1);
  for (const char* shard : {"1/3", "2/3", "0/3"})
    EXPECT_EQ(picklock(search + "--store " + path("s") + " --shard " + shard).status, 0);
  const Ran merged = picklock("merge " + path("s") + " --json " + out);
  EXPECT_EQ(merged.status, 1);
  Json expected = Json::parse(one.out);
  Json told = Json::parse(merged.out);
  for (Json* report : {&expected, &told}) {
    report->erase("wall_seconds");
    report->erase("runs_per_second");
  }
  EXPECT_EQ(told, expected);
  EXPECT_GT(told.at("against").at("limits").size(), 0u);
  EXPECT_GT(told.at("known").at(0).at("runs"), 0);
  for (const char* other : {"--against-set lock.ttl=8s ", "--except own-release "})
    expect_refused(search + other + "--store " + path("s"), "s has the parts of another campaign");
}

TEST_F(Merge, MakesAShardWhereNoReportCanBeWritten) {
  file("picklock-out", "");
  for (const std::string command : {"explore --algorithm redlock --runs 10",
                                    "compare --algorithms redlock --faults pause --runs 10"}) {
    const std::string run = "cd " + path("") + " && \"$P\" " + command + " --store " +
                            path(command.substr(0, 7)) + " --shard 0/1";
    EXPECT_EQ(shell(run).status, 0) << command;
  }
}

// Each process is killed in the middle of a word that it writes, wherever its file reaches a limit,
// which grows, so that in the end every part is there.
TEST_F(Merge, MergesTheSameWhereShardsWereKilled) {
  const std::string base =
      "explore --algorithm set-px-blind-delete --property own-release --runs 20000 --jobs 1 --set "
      "clients.count=2 --set clients.cycles=1 "
      "--seed 3 --store ";
  const Ran one = picklock(base + path("one") + " --out " + path("finds"));
  const Ran ran = shell(
      "kills=0; gaps=0; for limit in {1..40}; do "
      "(ulimit -f $limit; exec \"$P\" " +
      base + path("s") +
      " --shard $((limit % 3))/3 >/dev/null); (($? == 128 + 25)) && kills=$((kills + 1)); \"$P\" "
      "merge " +
      path("s") + " --out " + path("finds") + " >" + path("merged") +
      " 2>/dev/null; status=$?; "
      "((status == 2)) || break; gaps=$((gaps + 1)); done; echo $status $kills $gaps");
  const std::string merged = shell("cat " + path("merged")).out;
  EXPECT_EQ(merged, one.out) << ran.out;
  EXPECT_EQ(ran.out.substr(0, 2), std::to_string(one.status) + " ");
  EXPECT_THAT(ran.out, Not(HasSubstr(" 0"))) << "none was killed, or no merge saw a gap";
}

// The plans of two faults depend on the results of those of one, some of which a killed process
// made.
TEST_F(Merge, ContinuesACompleteSearchThatWasKilled) {
  const std::string search =
      "explore --algorithm lua-check-delete --strategy exhaustive --max-faults 2 --faults "
      "failover,lost-reply --set clients.count=2 --set clients.cycles=1 --jobs 1 --out " +
      path("finds") + " --store ";
  const Ran one = picklock(search + path("one"));
  EXPECT_THAT(one.out, HasSubstr("complete   every plan of at most 2 faults: "));
  const Ran ran = shell("kills=0; for limit in {1..40}; do (ulimit -f $limit; exec \"$P\" " +
                        search + path("s") + " >" + path("told") +
                        "); status=$?; ((status == 128 + 25)) || break; kills=$((kills + 1)); "
                        "done; echo $status $kills");
  EXPECT_EQ(shell("cat " + path("told")).out, one.out) << ran.out;
  EXPECT_THAT(ran.out, ::testing::MatchesRegex("0 [1-9][0-9]?\n"));
}

TEST_F(Merge, SaysWhereAStoreIsFullOrGone) {
  const Ran full = shell(
      "ulimit -f 2; trap '' XFSZ; \"$P\" explore --algorithm redlock --runs 200000 --jobs 1 "
      "--strategy "
      "exhaustive --faults pause --store " +
      path("full") + " --shard 0/1");
  EXPECT_EQ(full.status, 2);
  EXPECT_THAT(full.err, HasSubstr("picklock: stopped: nothing more can be written to "));
  EXPECT_THAT(full.err, HasSubstr("File too large"));
  EXPECT_EQ(picklock("merge " + path("full")).status, 2);
  const Ran gone = shell(
      "\"$P\" explore --algorithm lua-check-delete --set clients.cycles=1 --runs 1000000000 --jobs "
      "1 --shard 0/1 --store " +
      path("gone") + " & for i in {1..2400}; do [[ -s $(echo " + path("gone") +
      "/*.jsonl) ]] && break; sleep 0.05; done; rm -r " + path("gone") + "; wait $!");
  EXPECT_EQ(gone.status, 2);
  EXPECT_THAT(gone.err, HasSubstr("it was removed"));
}

TEST_F(Merge, CountsNoFileOfAnotherProgram) {
  picklock(kSearch + "--shard 0/1 --store " + path("s"));
  shell("for f in " + path("s") +
        "/*.jsonl; do sed 's/\"program\":\"./&0/' $f >$f.copy.jsonl; done");
  const Ran merged = picklock("merge " + path("s") + " --out " + path("finds"));
  EXPECT_EQ(merged.status, 1);
  EXPECT_THAT(merged.err,
              HasSubstr("1 file in " + path("s") + " of another picklock, or of none, is"));
}

// As of another compiler: the fingerprint differs, and the runs are the same.
TEST_F(Merge, NamesPartsOfAProgramThatWasBuiltInAnotherWay) {
  shell("LC_ALL=C sed 's/The models follow/The models copied/' \"$P\" >" + path("other") +
        "; chmod +x " + path("other"));
  const std::string other = "PICKLOCK_SCENARIO_PATH=$PWD/scenarios " + path("other") + " ";
  ASSERT_THAT(shell(other + "--version").out, HasSubstr("The models copied"));
  const std::string store = " --store " + path("s");
  EXPECT_EQ(picklock(kSearch + store + " --shard 0/2").status, 0);
  EXPECT_EQ(shell(other + kSearch + store + " --shard 1/2").status, 0);
  const std::string foreign = "1 file in " + path("s") + " of another picklock, or of none, is";
  const Ran ours = picklock("merge " + path("s"));
  EXPECT_EQ(ours.status, 2);
  EXPECT_THAT(ours.err, HasSubstr(foreign));
  EXPECT_THAT(ours.err, HasSubstr("these parts are missing: runs 4097 to 8192\n"));
  const Ran theirs = shell(other + "merge " + path("s"));
  EXPECT_EQ(theirs.status, 2);
  EXPECT_THAT(theirs.err, HasSubstr(foreign));
  EXPECT_THAT(theirs.err, HasSubstr("these parts are missing: runs 1 to 4096 and 8193 to 9000\n"));

  picklock(kSearch + " --store " + path("t") + " --shard 1/2");
  const auto parts = [this](const std::string& folder) {
    return shell("sed -n '/^{\"part\"/s/,\"at\":.*//p' " + path(folder) + "/shard-0001-*").out;
  };
  EXPECT_THAT(parts("s"), StartsWith("{\"part\":[\"\",4096,8192],\"result\":"));
  EXPECT_EQ(parts("s"), parts("t"));
}

TEST_F(Merge, MergesAComparisonAsOneProcessMakesIt) {
  const std::string compare =
      "compare --algorithms lua-check-delete --faults pause --runs 60 --complete 1 ";
  const std::string out = "--out " + path("pages");
  const Ran one = picklock(compare + out + " --json");
  for (const char* shard : {"1/2", "0/2"}) {
    EXPECT_EQ(picklock("merge " + path("s")).status, 2);
    EXPECT_EQ(picklock(compare + "--store " + path("s") + " --shard " + shard).status, 0);
  }
  EXPECT_THAT(picklock("merge --progress " + path("s")).out, HasSubstr("runs of 12"));
  const Ran merged = picklock("merge " + path("s") + " " + out + " --json");
  EXPECT_EQ(merged.status, one.status);
  Json expected = Json::parse(one.out);
  Json told = Json::parse(merged.out);
  expected.erase("wall_seconds");
  told.erase("wall_seconds");
  EXPECT_EQ(told, expected);
  expect_refused("compare --shard 0/2", "compare: --shard needs --store");
}

// At any time a merge is whole, or says what is missing, and leaves the rest to the shards.
TEST_F(Merge, MergesWhileShardsWriteAreWholeOrSayWhatIsMissing) {
  for (const std::string command :
       {"explore --algorithm set-px-blind-delete --property own-release "
        "--set clients.count=2 --set clients.cycles=1 --runs 20480",
        "compare --algorithms lua-check-delete --faults pause --runs "
        "1280"}) {
    const std::string name = command.substr(0, 7);
    const std::string store = path(name);
    const std::string out = " --out " + path(name + "-finds");
    const std::string one = path(name + "-one");
    // Reports name files from the working directory.
    shell("cd " + path("") + "; \"$P\" " + command + " --store " + store + "-alone" + out + " >" +
          one);
    // The first merge comes before the last shard has begun.
    const Ran ran =
        shell("merge() { \"$P\" merge " + store + out +
              " >merged 2>said; status=$?; "
              "if ((status == 2)) && [[ ! -s merged ]] && grep -q missing said; then echo gap; "
              "elif ((status < 2)) && [[ ! -s said ]] && cmp merged " +
              one +
              "; then echo whole; "
              "else echo other $status; cat said; fi; "
              "\"$P\" merge " +
              store +
              " --progress >told 2>said; status=$?; "
              "((status == 0)) && [[ ! -s said ]] && grep -q '^parts .* runs of ' told || "
              "{ echo other progress $status; cat told said; }; }; "
              "cd " +
              path("") + "; for i in 0 1 2 3; do \"$P\" " + command + " --jobs 1 --store " + store +
              " --shard $i/4 >/dev/null & for j in {1..1200}; do "
              "[[ -s $(echo " +
              store +
              "/*$i-of-*.jsonl) ]] && break; sleep 0.05; done; merge; done; "
              "while [[ -n $(jobs -r) ]]; do merge; done; wait; merge");
    EXPECT_THAT(ran.out, StartsWith("gap\n"));
    EXPECT_THAT(ran.out, EndsWith("whole\n"));
    EXPECT_THAT(ran.out, Not(HasSubstr("other"))) << ran.err;
  }
}

TEST_F(Merge, TwoMergesAtOnceReportTheSame) {
  picklock(kSearch + "--shard 0/1 --store " + path("s"));
  const std::string merge = "\"$P\" merge " + path("s") + " --out " + path("finds") + " >";
  shell(merge + path("a") + " & " + merge + path("b") + "; wait");
  EXPECT_NE(shell("cat " + path("a")).out, "");
  EXPECT_EQ(shell("cmp " + path("a") + " " + path("b")).status, 0);
}

}  // namespace
}  // namespace picklock::cli
