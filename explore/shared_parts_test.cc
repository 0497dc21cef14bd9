// Campaigns whose parts several processes make, in any order and more than once.
#include "explore/shared_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "explore/campaign.h"
#include "explore/report.h"
#include "explore/store.h"
#include "scenarios/own_lock.h"
#include "scenarios/shipped.h"
#include "testing/whole.h"

namespace picklock::explore {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using PartRole = SharedParts::Role;
using scenarios::Scenario;
using scenarios::shipped::plain;

constexpr const char* kThisProgram = "a program";

Scenario for_two(const std::string& lock) {
  Scenario scenario = plain(lock);
  scenario.clients.count = 2;
  scenario.clients.cycles = 1;
  return scenario;
}

// A search that breaks its lock in several ways.
SharedSearch random_search() {
  SearchOptions options{.seed = 4,
                        .faults = {.classes = {FaultClass::pause, FaultClass::lost_reply}},
                        .part = 64,
                        .all_classes = false,
                        .properties = {Property::own_release, Property::mutual_exclusion},
                        .command = "a search"};
  options.shrinking.runs = 15;
  return {.scenario = for_two("set-px-blind-delete"), .options = options, .stop_after = 0};
}

SharedSearch guided_search() {
  SharedSearch search = random_search();
  search.options.strategy = "guided";
  return search;
}

SharedSearch exhaustive_search() {
  SharedSearch search = random_search();
  search.scenario = for_two("lua-check-delete");
  search.options.strategy = "exhaustive";
  search.options.faults = {.classes = {FaultClass::lost_reply}, .most = 2};
  search.options.properties = {Property::own_release};
  return search;
}

// Its parts have both finds and limits, and more than one example of a limit.
SharedSearch compared_search() {
  SharedSearch search = random_search();
  search.scenario = for_two("set-px-check-delete");
  search.options.against = {.algorithm = "lua-check-delete",
                            .changes = {{.path = "lock.ttl", .value = "9s"}}};
  return search;
}

class SharedPartsTest : public ::testing::Test {
 protected:
  SharedPartsTest() {
    std::string pattern = ::testing::TempDir() + "picklock-parts-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~SharedPartsTest() override { fs::remove_all(root_); }

  struct Result {
    Ending ending;
    std::string report;
    std::vector<std::string> files;
    bool operator==(const Result& that) const {
      return report == that.report && files == that.files;
    }
  };

  // The scenario as its file says it.
  static SharedSearch read_back(const SharedSearch& search) {
    return shared_search_from(to_text(search), scenarios::vocabulary_of(search.scenario));
  }

  static Result result_of(const Search& search, const Ending& ending) {
    Result result{.ending = ending, .report = json({.search = search}), .files = {}};
    for (const Find& find : search.finds()) result.files.push_back(find.text);
    for (const Crash& crash : search.crashes()) result.files.push_back(crash.text);
    return result;
  }
  static Onlooker nobody() {
    return {.found = [](const Find&) {},
            .crashed = [](const Crash&) {},
            .progress = [](const Progress&) {},
            .interrupted = [] { return false; }};
  }

  StoredCampaign stored(const SharedSearch& search) const {
    return {.program = kThisProgram,
            .search = to_text(search),
            .command = search.options.command,
            .runs = runs_};
  }

  Result alone(const SharedSearch& shared) const {
    Search search(shared.scenario, shared.options);
    const Ending ending =
        make(search, {.jobs = 2, .runs = runs_, .stop_after = shared.stop_after}, nobody());
    return result_of(search, ending);
  }

  Ending make_shard(const SharedSearch& shared, const Shard& shard,
                    PartRole role = PartRole::shard) const {
    StoreReader reader(root_, kThisProgram);
    StoreWriter writer(root_, stored(shared), shard);
    SharedParts parts(role, shard, reader, &writer);
    Search search(shared.scenario, shared.options);
    const Ending ending =
        make(search, {.jobs = 1, .runs = runs_, .stop_after = shared.stop_after}, nobody(), &parts);
    writer.end(ending.complete);
    return ending;
  }

  // As `picklock merge` does: it knows nothing but the store. A user's own lock has no name there.
  Result merge(const Scenario* own = nullptr) const {
    StoreReader reader(root_, kThisProgram);
    EXPECT_EQ(reader.campaigns().size(), 1u);
    EXPECT_TRUE(reader.disagreements().empty());
    const StoredCampaign& campaign = reader.campaigns().begin()->second;
    const SharedSearch shared =
        shared_search_from(campaign.search, own != nullptr ? scenarios::vocabulary_of(*own)
                                                           : scenarios::shipped_vocabulary());
    SharedParts parts(PartRole::merge, {}, reader, nullptr);
    Search search(shared.scenario, shared.options);
    const Ending ending =
        make(search, {.jobs = 1, .runs = campaign.runs, .stop_after = shared.stop_after}, nobody(),
             &parts);
    return result_of(search, ending);
  }

  void empty_the_store() const {
    fs::remove_all(root_);
    fs::create_directory(root_);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(root_)) all.push_back(entry.path());
    std::sort(all.begin(), all.end());
    return all;
  }
  static std::string text_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  static void put(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  // Makes it in shards whose number changes, the last of which are cut off and made again.
  void expect_as_alone(const SharedSearch& search) const {
    const SharedSearch shared = read_back(search);
    const Result one = alone(shared);
    std::mt19937_64 chance(7);
    for (int round = 0; round < 3; ++round) {
      empty_the_store();
      for (std::uint64_t count = 1 + chance() % 5;; count = 1 + chance() % 5) {
        const Shard shard{chance() % count, count};
        EXPECT_TRUE(make_shard(shared, shard).complete);
        const Result merged = merge();
        if (merged.ending.missing.empty()) {
          EXPECT_TRUE(merged.ending.complete);
          EXPECT_EQ(merged, one) << merged.report << one.report;
          break;
        }
        const std::vector<fs::path> all = files();
        const fs::path& cut = all[chance() % all.size()];
        fs::resize_file(cut, chance() % (fs::file_size(cut) + 1));
      }
    }
    // One process continues what is there, and makes the same report.
    fs::remove(files()[0]);
    make_shard(shared, {}, PartRole::all);
    EXPECT_EQ(merge(), one);
  }

  fs::path root_;
  std::uint64_t runs_ = 500;
};

TEST_F(SharedPartsTest, ARandomSearchInShardsIsThatOfOneProcess) {
  expect_as_alone(random_search());
}

TEST_F(SharedPartsTest, AnExhaustiveSearchInShardsIsThatOfOneProcess) {
  runs_ = INT64_MAX;
  const SharedSearch search = exhaustive_search();
  EXPECT_THAT(alone(search).report, ::testing::HasSubstr("\"faults\": 2"));
  expect_as_alone(search);
}

TEST_F(SharedPartsTest, AGuidedSearchInShardsIsThatOfOneProcess) {
  expect_as_alone(guided_search());
}

TEST_F(SharedPartsTest, ASearchPastWhatIsKnownInShardsIsThatOfOneProcess) {
  SharedSearch search = random_search();
  for (const char* known : {"own-release:pause", "no-stale-write:@renew"})
    search.options.except.push_back(exception_from(known, search.scenario));
  const nlohmann::json report = nlohmann::json::parse(alone(read_back(search)).report);
  EXPECT_GT(report.at("known").at(0).at("runs"), 0);
  EXPECT_EQ(report.at("known").at(1).at("except"), "no-stale-write:@renew");
  EXPECT_NE(report.at("violations").size(), 0u);
  expect_as_alone(search);
}

TEST_F(SharedPartsTest, AComparisonWithAnotherLockInShardsIsThatOfOneProcess) {
  const SharedSearch search = compared_search();
  const nlohmann::json report = nlohmann::json::parse(alone(read_back(search)).report);
  EXPECT_GT(report.at("against").at("limits").at(0).at("runs"), 1);
  EXPECT_EQ(report.at("against").at("set").at(0), "lock.ttl=9s");
  EXPECT_NE(report.at("violations").size(), 0u);
  expect_as_alone(search);
}

// A limit is no find, so it does not end the search.
TEST_F(SharedPartsTest, AComparisonEndsWithItsFindsInShardsToo) {
  runs_ = 20'000;
  SharedSearch shared = compared_search();
  shared.stop_after = 1;
  shared = read_back(shared);
  const Result one = alone(shared);
  EXPECT_LT(nlohmann::json::parse(one.report).at("runs"), 10'000);
  for (const std::uint64_t shard : {2u, 0u, 1u}) make_shard(shared, {shard, 3});
  EXPECT_EQ(merge(), one);
}

TEST_F(SharedPartsTest, ThePartOfASearchHasOneExampleOfALimit) {
  const Violation release = {Property::own_release, Role{2}, Role{0}};
  const Violation other = {Property::own_release, Role{1}, Role{0}};
  Block block;
  block.known = {1, 2};
  block.sightings = {{.run = 3, .violation = release, .limit = true},
                     {.run = 4, .violation = other}};
  PartResult part;
  part.add(block, {});
  block.sightings = {{.run = 7, .violation = other, .limit = true}, {.run = 8, .violation = other}};
  part.add(block, {});
  ASSERT_EQ(part.block.sightings.size(), 2u);
  EXPECT_EQ(part.block.sightings[0].run, 3u);
  EXPECT_EQ(part.block.sightings[1].run, 4u);
  EXPECT_EQ(part.block.known, (std::vector<std::uint64_t>{2, 4}));
}

// However the files are damaged, a merge has the same report, or says which parts are missing.
TEST_F(SharedPartsTest, RandomStoresAreMergedToTheSameReport) {
  const SharedSearch shared = read_back(random_search());
  const Result one = alone(shared);
  EXPECT_GT(one.files.size(), 1u);
  make_shard(shared, {0, 1});
  std::vector<std::pair<PartName, std::string>> parts;
  const StoreReader whole(root_, kThisProgram);
  for (const auto& [name, part] : whole.parts()) parts.emplace_back(name, part.result);
  ASSERT_EQ(parts.size(), 8u);

  std::mt19937_64 chance(11);
  std::uint32_t gaps = 0;
  std::uint32_t merged = 0;
  StoredCampaign foreign = stored(shared);
  foreign.program = "another program";
  while (merged < shortened(200, 20)) {
    empty_the_store();
    std::uint64_t attempts = 0;
    for (std::set<PartName> there; there.size() < parts.size();) {
      // A shard of some cut, which makes its missing parts in some order until it is killed.
      const Shard shard{0, 1 + chance() % 9};
      const Shard ours{chance() % shard.count, shard.count};
      const bool is_foreign = chance() % 8 == 0;
      StoreWriter writer(root_, is_foreign ? foreign : stored(shared), ours);
      std::vector<std::size_t> mine;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool twice = chance() % 4 == 0;
        if (ours.has(i) && (twice || !there.contains(parts[i].first))) mine.push_back(i);
      }
      std::shuffle(mine.begin(), mine.end(), chance);
      for (const std::size_t i : mine)
        writer.write(parts[i].first, is_foreign ? "[0]" : parts[i].second);
      if (chance() % 3 > 0) writer.end(true);
      ++attempts;
      if (chance() % 2 == 0) {
        const std::vector<fs::path> all = files();
        const fs::path& killed = all[chance() % all.size()];
        fs::resize_file(killed, chance() % (fs::file_size(killed) + 1));
      }
      if (chance() % 9 == 0) put(root_ / "other.jsonl", "not of a store\n");
      const StoreReader reader(root_, kThisProgram);
      there.clear();
      for (const auto& [name, part] : reader.parts()) there.insert(name);
      if (there.empty() || there.size() == parts.size() || chance() % 8 != 0) continue;
      const Result part = merge();
      ++gaps;
      EXPECT_FALSE(part.ending.complete);
      std::uint64_t missing = 0;
      for (const Span& span : part.ending.missing) missing += span.to - span.from;
      std::uint64_t made = 0;
      for (const PartName& name : there) made += name.runs.to - name.runs.from;
      EXPECT_EQ(made + missing, runs_);
    }
    EXPECT_EQ(merge(), one) << attempts;
    ++merged;
  }
  EXPECT_GT(gaps, merged / 10);
}

TEST_F(SharedPartsTest, ASearchThatHasShownEnoughEndsWithTheSamePart) {
  runs_ = 100'000;
  SharedSearch shared = random_search();
  shared.stop_after = 2;
  shared = read_back(shared);
  const Result one = alone(shared);
  EXPECT_TRUE(one.ending.complete);
  const std::uint64_t runs = nlohmann::json::parse(one.report).at("runs");
  EXPECT_LT(runs, 20'000u);
  EXPECT_EQ(runs % 64, 0u) << "whole parts";
  for (const std::uint64_t count : {1u, 3u}) {
    empty_the_store();
    for (std::uint64_t i = count; i-- > 0;) EXPECT_TRUE(make_shard(shared, {i, count}).complete);
    EXPECT_LT(StoreReader(root_, kThisProgram).parts().size(), 1000u) << "they ended early";
    const Result merged = merge();
    EXPECT_TRUE(merged.ending.complete);
    EXPECT_EQ(merged, one);
  }
  empty_the_store();
  make_shard(shared, {}, PartRole::all);
  EXPECT_EQ(merge(), one);
}

// Parts without a gap count, for a merge as for one process that is stopped there.
TEST_F(SharedPartsTest, AFileStopEndsTheCampaignBeforeTheFirstGap) {
  const SharedSearch shared = read_back(random_search());
  make_shard(shared, {0, 2});
  make_shard(shared, {1, 2});
  const std::vector<fs::path> all = files();
  const std::string second = text_of(all[1]);
  // The first of the parts 1, 3, 5 is left.
  const std::size_t end = second.find('\n', second.find('\n') + 1) + 1;
  put(all[1], second.substr(0, end));
  EXPECT_FALSE(merge().ending.missing.empty());
  put(root_ / "stop", "");
  EXPECT_FALSE(make_shard(shared, {1, 2}).complete);
  const Result merged = merge();
  EXPECT_TRUE(merged.ending.missing.empty());
  EXPECT_TRUE(merged.ending.stopped_by_user);
  EXPECT_EQ(nlohmann::json::parse(merged.report).at("runs"), 3 * 64);
  make_shard(shared, {}, PartRole::all);
  EXPECT_EQ(merge(), merged) << "a process makes nothing while the file is there";
  fs::remove(root_ / "stop");
  make_shard(shared, {}, PartRole::all);
  EXPECT_EQ(merge(), alone(shared));
}

TEST_F(SharedPartsTest, ALargerNumberOfRunsTakesWhatIsThere) {
  const SharedSearch shared = read_back(random_search());
  make_shard(shared, {0, 1});
  runs_ = 900;
  EXPECT_EQ(make_shard(shared, {0, 1}).parts, 15u - 7u) << "the last one was cut off";
  EXPECT_EQ(merge(), alone(shared));
}

TEST_F(SharedPartsTest, TheTimeOfAProcessLeavesPartsForTheNext) {
  runs_ = 10'000;
  const SharedSearch shared = read_back(random_search());
  {
    StoreReader reader(root_, kThisProgram);
    StoreWriter writer(root_, stored(shared), {});
    SharedParts parts(PartRole::shard, {}, reader, &writer);
    Search search(shared.scenario, shared.options);
    const Ending ending =
        make(search, {.jobs = 1, .runs = runs_, .length = Seconds(0.1)}, nobody(), &parts);
    EXPECT_FALSE(ending.complete);
    EXPECT_GT(ending.parts, 0u);
  }
  const Result before = merge();
  ASSERT_EQ(before.ending.missing.size(), 1u);
  EXPECT_GT(before.ending.missing[0].from, 0u);
}

class FragileLock : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(picklock::Client& self, std::string_view key) override {
    const std::string token(self.name());
    const auto reply = redis::server(self).set(key, token, {.nx = true, .px = settings().ttl});
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.ok()) return std::nullopt;
    since_ = self.monotonic_now();
    return Lease{.key = std::string(key), .token = token, .ttl = settings().ttl};
  }
  Released release(picklock::Client& self, const Lease& lease) override {
    if (self.monotonic_now() - since_ > 15s) std::raise(SIGKILL);
    const auto reply = redis::server(self).del(lease.key);
    return reply.answered() ? Released::ok : Released::unknown;
  }

 private:
  Duration since_{};
};

SharedSearch fragile_search() {
  SharedSearch search = random_search();
  search.scenario =
      scenarios::contended(own_lock<FragileLock>(), {.clients = 2, .ttl = 10s, .hold = 4s});
  search.options.faults.classes = {FaultClass::pause};
  return search;
}

TEST_F(SharedPartsTest, RunsThatEndTheirProcessAreThoseOfOneProcess) {
  const SharedSearch shared = read_back(fragile_search());
  const Result one = alone(shared);
  EXPECT_THAT(one.report, ::testing::HasSubstr("SIGKILL"));
  for (const std::uint64_t shard : {2u, 0u, 1u}) make_shard(shared, {shard, 3});
  EXPECT_EQ(merge(&shared.scenario), one);
}

TEST_F(SharedPartsTest, RunsThatAllEndTheirProcessEndTheSearchAtTheSamePart) {
  if (tests_are_short()) GTEST_SKIP() << "some hundred processes";
  const SharedSearch shared = read_back(fragile_search());
  runs_ = 1'000'000;
  const Result many = alone(shared);
  EXPECT_TRUE(many.ending.complete);
  for (const std::uint64_t shard : {2u, 0u, 1u}) make_shard(shared, {shard, 3});
  EXPECT_EQ(merge(&shared.scenario), many);
}

TEST_F(SharedPartsTest, PartsOfOneMachineThatDifferAreADisagreement) {
  const SharedSearch shared = read_back(random_search());
  make_shard(shared, {0, 1});
  const StoreReader before(root_, kThisProgram);
  PartResult other = part_result_from(before.parts().begin()->second.result);
  ++other.block.tally.events;
  StoreWriter(root_, stored(shared), {}).write(before.parts().begin()->first, to_text(other));
  EXPECT_EQ(StoreReader(root_, kThisProgram).disagreements().size(), 1u);
}

TEST_F(SharedPartsTest, APartIsReadAsItWasWritten) {
  PartResult part;
  part.block.tally.runs = 4096;
  part.block.tally.besides[3] = {.runs = 2, .premise_broken = 1};
  sim::Fault fault;
  fault.target = "client-1";
  fault.trigger.at = sim::kStart + 5s;
  fault.lasts = -3ns;
  fault.from = {"a", "", "\"b\"\n"};
  part.block.sightings.push_back({.run = 7,
                                  .violation = {Property::own_release, Role{2}, Role{0}},
                                  .batch = {.runs = {0, 64}, .basis = {fault}}});
  part.block.sightings[0].batch.seed = UINT64_MAX;
  part.block.signs = {{.run = 3, .word = 0}, {.run = 4, .word = UINT64_MAX}};
  part.crashed = {{.run = 9, .how = "SIGSEGV"}};
  const PartResult again = part_result_from(to_text(part));
  EXPECT_EQ(to_text(again), to_text(part));
  EXPECT_EQ(again.block.sightings[0].batch.basis, part.block.sightings[0].batch.basis);
  EXPECT_EQ(again.block.sightings[0].batch.seed, UINT64_MAX);
  EXPECT_EQ(again.block.signs[1].word, UINT64_MAX);
  EXPECT_EQ(again.crashed[0].how, "SIGSEGV");
  EXPECT_THROW(part_result_from("[1,2]"), std::exception);
}

}  // namespace
}  // namespace picklock::explore
