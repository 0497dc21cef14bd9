#include "compare/comparison.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "compare/agreement.h"
#include "compare/document.h"
#include "compare/ledger.h"
#include "compare/make.h"
#include "compare/pages.h"
#include "compare/part.h"
#include "compare/table.h"
#include "compare/workload.h"
#include "explore/profile.h"
#include "explore/search.h"
#include "keys/bad_input.h"
#include "picklock/redis.h"
#include "reports/columns.h"
#include "scenarios/runner.h"
#include "scenarios/shipped.h"
#include "testing/whole.h"

namespace picklock::compare {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using scenarios::shipped::kDirectory;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::uint64_t kProgram = 42;

Column column(std::string_view name) {
  std::string unknown;
  return column_named(name, unknown).value();
}

Options of(std::vector<std::string> locks,
           std::vector<std::string_view> columns = {"none", "all"}) {
  Options options{.locks = std::move(locks), .columns = {}};
  for (const std::string_view one : columns) options.columns.push_back(column(one));
  return options;
}

// A folder of the test's own, gone with it.
class Comparing : public testing::Test {
 protected:
  ~Comparing() override { fs::remove_all(folder_); }

  Comparison made(const Options& options, std::uint64_t runs, unsigned jobs = 1) {
    Ledger ledger(folder_, options.seed, kProgram);
    Comparison comparison(options, workloads(kDirectory));
    ledger.read(comparison, runs);
    make(comparison, ledger, {.jobs = jobs, .runs = runs}, kNobody);
    write_pages(comparison, {.command = "picklock compare", .run_command = kRun}, folder_);
    return comparison;
  }

  static std::string told(const Comparison& comparison) {
    const Made made{.command = "picklock compare", .run_command = kRun};
    return json(comparison, made) + table(comparison, made, {.width = 120, .repeat_command = {}});
  }

  fs::path ledger_file() const { return folder_ / "runs-seed-1.jsonl"; }
  std::string ledger_text() const {
    std::ifstream file(ledger_file());
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static std::string kRun(const std::string& file) { return "picklock run " + file; }
  static inline const Onlooker kNobody{.progress = [](const Progress&) {},
                                       .interrupted = [] { return false; }};
  const fs::path folder_ = [] {
    const fs::path folder =
        fs::temp_directory_path() / ("picklock-compare-" + std::to_string(getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder);
    fs::create_directories(folder);
    return folder;
  }();
};

TEST(Column, IsAClassOrAMixOfSeveral) {
  EXPECT_TRUE(column("none").classes.empty());
  EXPECT_TRUE(column("all").classes.covers(FaultClasses::all()));
  const FaultClasses mix = column("pause+partition").classes;
  EXPECT_TRUE(mix.has(FaultClass::pause) && mix.has(FaultClass::partition));
  EXPECT_FALSE(mix.has(FaultClass::crash));
}

TEST(Column, NamesTheWordThatIsNoClass) {
  std::string unknown;
  EXPECT_EQ(column_named("pause+partitoin", unknown), std::nullopt);
  EXPECT_EQ(unknown, "partitoin");
}

TEST(Workload, IsTheSameForEveryLockWhateverItsServers) {
  for (const scenarios::Scenario& one : workloads(kDirectory)) {
    EXPECT_EQ(one.clients.count, 3U) << one.name;
    EXPECT_EQ(one.clients.cycles, 2U) << one.name;
    const bool leases = models::takes(*scenarios::find_algorithm(one), "ttl");
    EXPECT_TRUE(!leases || one.lock.options.ttl == kLease) << one.name;
  }
}

TEST(Workload, TakesAChangeOfTheUserForEveryLock) {
  const Changes changes = {{"clients.count", "5"}, {"network.latency", "20ms"}};
  for (const scenarios::Scenario& one : workloads(kDirectory, changes)) {
    EXPECT_EQ(one.clients.count, 5U) << one.name;
    EXPECT_EQ(one.network.latency.low, 20ms) << one.name;
    EXPECT_EQ(one.clients.hold, 4s) << one.name;
  }
}

TEST(Workload, OfALockThatIsNotComparedNeedNotTakeAChange) {
  const Changes changes = {{"lock.ttl", "5s"}};
  EXPECT_NO_THROW(workloads(kDirectory, changes, {"lua-check-delete", "redlock"}));
  try {
    workloads(kDirectory, changes, {"lua-check-delete", "naive-setnx"});
    ADD_FAILURE() << "naive-setnx has no lease";
  } catch (const keys::BadInput& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("`lock.ttl`"));
    EXPECT_THAT(error.what(), testing::HasSubstr("plain/naive-setnx.toml"));
  }
}

constexpr const char* kReadThinkWrite =
    "[{ do = 'read' }, { do = 'think', for = '4s' }, { do = 'write', mode = 'based-on-read' }]";

TEST(Workload, IsToldWithTheStepsOfItsHolders) {
  const auto told = [](const Changes& changes, std::optional<sim::Duration> lease) {
    return in_words(workload("lua-check-delete", kDirectory, changes).clients, lease);
  };
  EXPECT_EQ(
      told({}, kLease),
      "3 clients arrive 1s apart; each takes the lock twice, 1s apart, for 4s of work; a lease "
      "lasts 9s");
  EXPECT_EQ(told({{"clients.work", kReadThinkWrite}, {"clients.cycles", "1"}}, {}),
            "3 clients arrive 1s apart; each takes the lock once to read, think for 4s and write");
}

// A lock that releases whatever is there in place of its own.
scenarios::Scenario with_a_release_that_compares_nothing(scenarios::Scenario scenario) {
  scenario.lock.options.scripts.set(models::ScriptOf::release, "return redis.call('del', KEYS[1])");
  return scenario;
}

TEST(Cell, SeesAPlantedFaultOfALock) {
  const std::vector<scenarios::Scenario> sound = {workload("lua-check-delete", kDirectory)};
  const std::vector<scenarios::Scenario> planted = {with_a_release_that_compares_nothing(sound[0])};
  explore::PairedPlans plans(sound, explore::profiles(sound, 1));
  const auto drawn = [&plans] {
    return std::make_unique<DrawnPlans>(
        plans, 0, explore::FaultLimits{.classes = {FaultClass::amnesia}, .most = kMostFaults}, 1);
  };
  Cell cell(sound[0], drawn(), column("amnesia"), nullptr, 1);
  Cell mutant(planted[0], drawn(), column("amnesia"), nullptr, 1);
  Measures measures;
  Measures of_mutant;
  for (std::uint64_t run = 0; run < 100; ++run) {
    cell.make(run, measures);
    mutant.make(run, of_mutant);
  }
  const auto own_release = static_cast<std::size_t>(Property::own_release);
  EXPECT_EQ(measures.properties[own_release].violations, 0U);
  EXPECT_GT(of_mutant.properties[own_release].violations, 0U);
  EXPECT_GT(of_mutant.properties[own_release].broken, 0U);
}

// A former holder's token is still the highest that the resource has seen, if the next holder has
// only read.
TEST(Cell, LosesAnUpdateThatIdealFencingOfWritesLetsThroughAndThatOfReadsDoesNot) {
  const auto measured = [](Changes changes) {
    changes.push_back({"clients.work", kReadThinkWrite});
    Options options = of({"lua-check-delete"}, {"amnesia"});
    options.fenced = fenced_resource(kDirectory, changes);
    Comparison comparison(options, workloads(kDirectory, changes));
    const auto cell = comparison.cell({0, 0, true});
    Measures measures;
    for (std::uint64_t run = 0; run < 100; ++run) cell->make(run, measures);
    return measures;
  };
  const Measures writes = measured({});
  EXPECT_GT(writes.properties[static_cast<std::size_t>(Property::no_lost_update)].violations, 0U);
  EXPECT_GT(writes.unsafe, 0U);
  const Measures accesses = measured({{"servers.resource.checks", "accesses"}});
  EXPECT_EQ(accesses.unsafe, 0U);
}

TEST(Cell, MakesEveryRunFromItsNumberAlone) {
  Comparison comparison(of({"redlock"}), workloads(kDirectory));
  const auto cell = comparison.cell({0, 1, false});
  const auto other = comparison.cell({0, 1, false});
  Measures measures;
  for (std::uint64_t run = 0; run < 20; ++run) cell->make(run, measures);
  const std::uint64_t digest = cell->digest();
  other->make(19, measures);
  EXPECT_EQ(other->digest(), digest);
}

TEST(Cell, OfARunThatFencingDoesNotChangeSaysTheSameWithoutMakingIt) {
  Comparison comparison(of({}, {"all"}), workloads(kDirectory));
  std::size_t harmed = 0;
  for (std::size_t lock = 0; lock < comparison.locks().size(); ++lock) {
    const auto without = comparison.cell({lock, 0, false});
    const auto with = comparison.cell({lock, 0, true});
    const auto after = comparison.cell({lock, 0, true});
    Measures unfenced;
    Measures made;
    Measures told;
    for (std::uint64_t run = 1; run <= shortened(30, 5); ++run) {
      without->make(run, unfenced);
      with->make(run, made);
      after->make_after(*without, run, told);
    }
    EXPECT_EQ(to_json(told), to_json(made)) << comparison.locks()[lock].algorithm->name;
    harmed += unfenced.unsafe;
  }
  EXPECT_GT(harmed, 0U) << "no run was one that fencing changes";
}

TEST(Part, OfBothHalvesHasTheRunsOfEach) {
  const auto runs = [](std::uint64_t from, std::uint64_t to, bool fenced) {
    const PartTask task{.number = 0, .items = {from, to}, .fenced = true};
    return runs_of(task, fenced);
  };
  EXPECT_EQ(runs(8, 12, false), (explore::Span{4, 6}));
  EXPECT_EQ(runs(8, 12, true), (explore::Span{4, 6}));
  // Item 9, run 4 with fencing, has ended its process.
  EXPECT_EQ(runs(8, 9, false), (explore::Span{4, 5}));
  EXPECT_EQ(runs(8, 9, true), (explore::Span{4, 4}));
  EXPECT_EQ(runs(10, 12, false), (explore::Span{5, 6}));
  EXPECT_EQ(runs(10, 12, true), (explore::Span{5, 6}));
  // Item 8, run 4 without fencing, has.
  EXPECT_EQ(runs(9, 12, false), (explore::Span{5, 6}));
  EXPECT_EQ(runs(9, 12, true), (explore::Span{4, 6}));
}

TEST_F(Comparing, ComesToTheSameForAnyNumberOfProcesses) {
  const Options options = of({"lua-check-delete", "naive-setnx"});
  const std::string one = told(made(options, 40, 1));
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  EXPECT_EQ(told(made(options, 40, 3)), one);
}

TEST_F(Comparing, ACellIsTheSameWhicheverOthersAreAskedFor) {
  const std::uint64_t runs = shortened(40, 10);
  const Comparison alone = made(of({"redlock"}, {"partition"}), runs);
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  const Comparison among =
      made(of({"watchdog", "redlock", "mysql-row-lock"}, {"none", "partition"}), runs);
  EXPECT_EQ(to_json(alone.known({0, 0, false}).measures),
            to_json(among.known({1, 1, false}).measures));
}

TEST_F(Comparing, EachCellIsOfTheLockWhoseNameItHas) {
  const Comparison one = made(of({"set-px-blind-delete", "lua-check-delete"}, {"amnesia"}), 100);
  const auto releases = [&](const Comparison& comparison, std::size_t lock) {
    return comparison.known({lock, 0, false})
        .measures.properties[static_cast<std::size_t>(Property::own_release)]
        .violations;
  };
  EXPECT_GT(releases(one, 0), 0U);
  EXPECT_EQ(releases(one, 1), 0U);
  const Comparison turned = made(of({"lua-check-delete", "set-px-blind-delete"}, {"amnesia"}), 100);
  EXPECT_EQ(releases(turned, 0), 0U);
  EXPECT_EQ(releases(turned, 1), releases(one, 0));
}

TEST_F(Comparing, GoesOnFromWhatIsKnown) {
  const Options options = of({"redsync"});
  const std::uint64_t all = shortened(60, 20);
  made(options, shortened(24, 8));
  const std::string before = ledger_text();
  const Comparison further = made(options, all);
  EXPECT_EQ(ledger_text().substr(0, before.size()), before);
  EXPECT_EQ(further.known({0, 1, false}).runs, all);
  const std::string at_once = told(further);
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  EXPECT_EQ(told(made(options, all)), at_once);
}

TEST_F(Comparing, WithAllOfItKnownMakesNothing) {
  const Options options = of({"redsync"});
  const std::string first = told(made(options, 24));
  const std::string before = ledger_text();
  EXPECT_EQ(told(made(options, 24)), first);
  EXPECT_EQ(ledger_text(), before);
}

TEST_F(Comparing, FewerRunsThanAreKnownAreThoseFirstOnes) {
  const Options options = of({"lua-check-delete"});
  const std::string few = told(made(options, 20));
  made(options, 50);
  EXPECT_EQ(told(made(options, 20)), few);
}

TEST_F(Comparing, TakesALineThatWasCutOffForNone) {
  const Options options = of({"redsync"});
  const std::string whole = told(made(options, 24));
  fs::resize_file(ledger_file(), fs::file_size(ledger_file()) - 7);
  EXPECT_EQ(told(made(options, 24)), whole);
}

TEST_F(Comparing, GoesOnWhereOneHalfOfACellIsAheadOfTheOther) {
  const Options options = of({"redsync"});
  const std::string whole = told(made(options, 24));
  const std::string text = ledger_text();
  for (const std::string_view half : {"none", "ideal"}) {
    std::istringstream lines(text);
    std::ofstream cut(ledger_file());
    for (std::string line; std::getline(lines, line);) {
      if (line.find(fmt::format("redsync.all.{}", half)) == std::string::npos) cut << line << '\n';
    }
    cut.close();
    EXPECT_EQ(told(made(options, 24)), whole) << half;
  }
}

TEST_F(Comparing, SetsAsideWhatAnotherProgramHasMade) {
  const Options options = of({"redsync"});
  made(options, 24);
  const std::string theirs = ledger_text();
  const Ledger ledger(folder_, 1, kProgram + 1);
  EXPECT_TRUE(ledger.set_aside());
  std::ifstream aside(ledger_file().string() + ".of-another-program");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(aside), {}), theirs);
}

TEST_F(Comparing, RefusesAFolderThatAnotherIsWritingTo) {
  const Ledger first(folder_, 1, kProgram);
  try {
    const Ledger second(folder_, 1, kProgram);
    FAIL() << "was let in";
  } catch (const keys::BadInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("is being written by another picklock"));
  }
}

TEST_F(Comparing, RefusesADamagedLedger) {
  {
    std::ofstream(ledger_file()) << R"({"comparison":1,"program":"000000000000002a","seed":1})"
                                    "\n{}\n";
  }
  EXPECT_THROW(Ledger(folder_, 1, kProgram), keys::BadInput);
}

TEST_F(Comparing, EveryStoryShowsWhatItsCellSays) {
  const Comparison comparison = made(of({"set-px-blind-delete", "mysql-row-lock"}, {"all"}), 60);
  std::size_t stories = 0;
  for (const CellName& cell : comparison.cells()) {
    const Known& known = comparison.known(cell);
    for (std::size_t i = 0; i < kPropertyCount; ++i) {
      const auto property = static_cast<Property>(i);
      EXPECT_EQ(known.stories.contains(property), known.measures.properties[i].violations > 0);
    }
    for (const auto& [property, story] : known.stories) {
      ++stories;
      const scenarios::Scenario scenario =
          scenarios::load(story.file, scenarios::shipped_vocabulary());
      const scenarios::Run run = scenarios::Runner().run(scenario, scenario.seed, false);
      EXPECT_THAT(run.surprises, IsEmpty()) << story.file;
      EXPECT_EQ(run.verdicts[static_cast<std::size_t>(property)].outcome,
                properties::Outcome::violated);
      EXPECT_EQ(scenario.faults.size(), story.faults);
      EXPECT_LE(story.faults, story.sighting.faults);
    }
  }
  EXPECT_GT(stories, 4U);
}

TEST_F(Comparing, TellsOnceWhatFewerClassesOfFaultsAreEnoughFor) {
  const Comparison comparison =
      made(of({"set-px-blind-delete"}, {"all", "pause+amnesia", "amnesia"}), 60);
  constexpr auto kReleases = Property::own_release;
  const CellName amnesia{.lock = 0, .column = 2};
  for (std::size_t column = 0; column < 3; ++column) {
    const CellName cell{.lock = 0, .column = column};
    EXPECT_EQ(comparison.teller(cell, kReleases), amnesia);
    EXPECT_EQ(comparison.told(cell, kReleases).story,
              &comparison.known(amnesia).stories.at(kReleases));
    const fs::path file = folder_ / "found" / (comparison.label(cell) + ".own-release.toml");
    EXPECT_EQ(fs::exists(file), cell == amnesia) << file;
  }
  EXPECT_THAT(told(comparison), HasSubstr(R"("column": "amnesia")"));
  // With fencing the resource is another.
  const CellName fenced{.lock = 0, .column = 0, .fenced = true};
  EXPECT_EQ(comparison.teller(fenced, kReleases),
            (CellName{.lock = 0, .column = 2, .fenced = true}));
}

TEST(Comparison, LetsTheColumnTellThatNeededTheFewestFaults) {
  Comparison comparison(of({"set-px-blind-delete"}, {"all", "pause", "crash", "failover"}),
                        workloads(kDirectory));
  constexpr auto kExclusion = Property::mutual_exclusion;
  const auto violate = [&](std::size_t column, std::uint32_t faults, bool broken = false) {
    PropertyCount& count = comparison.known({.lock = 0, .column = column})
                               .measures.properties[static_cast<std::size_t>(kExclusion)];
    count.violations = 1;
    count.smallest = Sighting{.broken = broken, .faults = faults, .run = 0, .violation = {}};
  };
  const auto teller = [&](std::size_t column) {
    return comparison.teller({.lock = 0, .column = column}, kExclusion).column;
  };
  violate(0, 2);
  EXPECT_EQ(teller(0), 0u);
  violate(1, 2);
  EXPECT_EQ(teller(0), 1u) << "one class in place of all";
  violate(2, 1);
  EXPECT_EQ(teller(0), 2u) << "one fault in place of two";
  EXPECT_EQ(teller(1), 1u) << "no crash is a pause";
  violate(0, 3, true);
  EXPECT_EQ(teller(0), 0u) << "where it was promised, only a broken promise tells";
  // Its story is not made yet, but that of the column itself is.
  violate(0, 2);
  EXPECT_EQ(comparison.told({.lock = 0, .column = 0}, kExclusion).story, nullptr);
  comparison.known({.lock = 0, .column = 0}).stories[kExclusion].title = "its own";
  EXPECT_EQ(comparison.told({.lock = 0, .column = 0}, kExclusion).story->title, "its own");
}

TEST_F(Comparing, AgreesWithTheSafetyTable) {
  Comparison comparison =
      made(of({"set-px-blind-delete", "zk-sequential"}, {"amnesia", "late-write"}), 60);
  Agreement met = agreement(comparison);
  EXPECT_THAT(met.against, IsEmpty());
  EXPECT_THAT(met.not_found, IsEmpty());
  EXPECT_GE(met.agree, 6U);

  // A lock that the table calls safe behind a resource that checks tokens is not.
  comparison.known({0, 1, true}).measures = comparison.known({0, 1, false}).measures;
  // And one that it calls unsafe shows nothing.
  comparison.known({1, 1, false}).measures = comparison.known({1, 1, true}).measures;
  met = agreement(comparison);
  EXPECT_EQ(met.against, std::vector{CellName({0, 1, true})});
  EXPECT_EQ(met.not_found, std::vector{CellName({1, 1, false})});
}

// A resource that is dead for ten seconds holds a writer up beyond its lease of nine, which breaks
// what the table's shorter sections keep.
TEST_F(Comparing, IsNotHeldAgainstATableWhosePremiseItsWorkloadDoesNotKeep) {
  Comparison comparison = made(of({"set-px-blind-delete"}, {"crash", "late-write"}), 10);
  comparison.known({0, 0, false}).measures = comparison.known({0, 1, false}).measures;
  const Agreement met = agreement(comparison);
  EXPECT_THAT(met.against, IsEmpty());
  EXPECT_EQ(met.all(), 3U) << "two cells of late-write, and crash with fencing";
}

// A requested property decides the exit status; a sign says what a lock promises.
TEST_F(Comparing, MarksOnlyBrokenPromisesWhicheverPropertiesAreRequested) {
  Options options = of({"lua-check-delete"}, {"pause+server-clock"});
  options.properties = {Property::no_stale_write};
  const Comparison comparison = made(options, 50);
  ASSERT_GT(comparison.known({0, 0, false})
                .measures.properties[static_cast<std::size_t>(Property::no_stale_write)]
                .violations,
            0U);
  EXPECT_EQ(comparison.broken({0, 0, false}, Property::no_stale_write), 0U);
  EXPECT_FALSE(comparison.clean());
  const std::string text =
      table(comparison, {.command = {}, .run_command = kRun}, {.width = 200, .repeat_command = {}});
  EXPECT_THAT(text, Not(HasSubstr("3!")));
  EXPECT_THAT(text, Not(HasSubstr("  although promised")));
  EXPECT_THAT(text, HasSubstr("no-stale-write violated: "));
  std::ifstream file(folder_ / "comparison.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(page, Not(HasSubstr("(1) **!**")));
}

TEST_F(Comparing, AMarkOfABrokenPromiseStaysWhenAnotherPropertyIsRequested) {
  Options options = of({"lua-check-delete"}, {"pause"});
  options.properties = {Property::fair_order};
  Comparison comparison = made(options, 10);
  PropertyCount& count = comparison.known({0, 0, false})
                             .measures.properties[static_cast<std::size_t>(Property::own_release)];
  count.violations = count.broken = 5;
  const std::string text =
      table(comparison, {.command = {}, .run_command = kRun}, {.width = 200, .repeat_command = {}});
  EXPECT_THAT(text, HasSubstr("!"));
  EXPECT_THAT(text, HasSubstr("  although promised"));
  EXPECT_TRUE(comparison.clean()) << "it was not requested";
}

TEST_F(Comparing, ShowsWhichCellsTheSafetyTableKnowsToBeUnsafeAlthoughTheRunsFoundNothing) {
  Comparison comparison = made(of({"zk-sequential"}, {"amnesia", "late-write"}), 30);
  const Made how{.command = "picklock compare", .run_command = kRun};
  const reports::TextOptions form{.width = 120, .repeat_command = {}};
  EXPECT_THAT(table(comparison, how, form), Not(HasSubstr(" U  ")));
  comparison.known({0, 1, false}).measures = comparison.known({0, 1, true}).measures;
  EXPECT_THAT(table(comparison, how, form), testing::ContainsRegex("zk-sequential .* U  "));
  const nlohmann::json document = nlohmann::json::parse(json(comparison, how));
  const nlohmann::json& cells = document.at("locks").at(0).at("cells");
  EXPECT_EQ(cells.at("late-write").at("fencing").at("none").at("safety_table"), "unsafe");
  EXPECT_EQ(cells.at("late-write").at("fencing").at("ideal").at("safety_table"), "safe");
}

TEST_F(Comparing, NamesTheLocksThatTheSafetyTableDoesNotCover) {
  const Comparison comparison = made(of({"lua-check-delete", "curator-mutex"}, {"pause"}), 1);
  const std::string text =
      table(comparison, {.command = {}, .run_command = kRun}, {.width = 200, .repeat_command = {}});
  EXPECT_THAT(text,
              HasSubstr("the safety table has none for curator-mutex: there · says only that"));
  std::ifstream file(folder_ / "comparison.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(page, HasSubstr("The safety table has no row for curator-mutex: there"));
  const std::string covered =
      table(made(of({"lua-check-delete"}, {"pause"}), 1), {.command = {}, .run_command = kRun}, {});
  EXPECT_THAT(covered, Not(HasSubstr("the safety table has none for")));
}

TEST_F(Comparing, WithATimeEveryCellGetsTheSameNumberOfRuns) {
  const Options options = of({"lua-check-delete", "naive-setnx"}, {"none", "pause"});
  Ledger ledger(folder_, options.seed, kProgram);
  Comparison comparison(options, workloads(kDirectory));
  make(comparison, ledger, {.jobs = 1, .length = Seconds(1)}, kNobody);
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  for (const CellName& cell : comparison.cells()) {
    least = std::min(least, comparison.known(cell).runs);
    most = std::max(most, comparison.known(cell).runs);
  }
  EXPECT_GT(least, 0U);
  EXPECT_LE(most - least, 8U);
}

TEST_F(Comparing, TheTableKeepsToItsWidth) {
  const Comparison comparison = made({.locks = {"redisson-fair-lock-fixed", "zk-sequential-naive",
                                                "mysql-probe-insert", "lease-store-lock"},
                                      .columns = {}},
                                     1);
  const std::string text =
      table(comparison, {.command = {}, .run_command = kRun}, {.width = 200, .repeat_command = {}});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(reports::display_width(line), 120) << line;
  EXPECT_THAT(text, HasSubstr("zk-sequential-naive"));
}

TEST_F(Comparing, TheDocumentHasWhatTheContractNames) {
  const Comparison comparison = made(of({"lua-check-delete"}, {"none", "amnesia"}), 40);
  const nlohmann::json document =
      nlohmann::json::parse(json(comparison, {.command = "picklock compare", .run_command = kRun}));
  const nlohmann::json& lock = document.at("locks").at(0);
  EXPECT_EQ(lock.at("name"), "lua-check-delete");
  EXPECT_EQ(lock.at("promises").at(0).at("property"), "mutual-exclusion");
  const nlohmann::json& cell = lock.at("cells").at("amnesia").at("fencing").at("none");
  const nlohmann::json& property = cell.at("properties").at("no-stale-write");
  EXPECT_EQ(property.at("verdict"), "violated");
  EXPECT_EQ(property.at("promised"), false);
  EXPECT_EQ(property.at("smallest").at("faults"), 1);
  EXPECT_LT(property.at("interval").at(0), property.at("rate"));
  EXPECT_GT(property.at("interval").at(1), property.at("rate"));
  EXPECT_EQ(lock.at("cells").at("amnesia").at("command"),
            "picklock compare --algorithms lua-check-delete --faults amnesia --seed 1 --runs 40");
  EXPECT_EQ(lock.at("price").at("acquires"), 240);
}

TEST_F(Comparing, AnInterruptedTableDoesNotSayThatNoLockBreaksItsPromise) {
  const Comparison comparison = made(of({"lua-check-delete"}, {"none"}), 2);
  Made interrupted{.command = "picklock compare", .run_command = kRun};
  EXPECT_THAT(table(comparison, interrupted, {}), HasSubstr("✓ no lock breaks what it promises"));
  interrupted.interrupted = true;
  EXPECT_THAT(table(comparison, interrupted, {}),
              HasSubstr("? interrupted; in the runs until then no lock breaks what it promises"));
}

TEST_F(Comparing, TheDocumentExplainsEveryColumnByAllTheFaultsThatItsRunsDraw) {
  const Comparison comparison =
      made(of({"lua-check-delete"}, {"none", "amnesia", "lost-reply"}), 1);
  const nlohmann::json document =
      nlohmann::json::parse(json(comparison, {.command = "picklock compare", .run_command = kRun}));
  const nlohmann::json& meanings = document.at("column_meanings");
  EXPECT_EQ(meanings.at("amnesia"), "a lock server restarts without its data, or forgets a key");
  EXPECT_EQ(meanings.at("lost-reply"), "a message is lost with its connection, or sent twice");
  EXPECT_EQ(meanings.at("none"), "no fault strikes");
}

TEST_F(Comparing, TheMarkdownPageHasAStoryOfEveryLockThatBreaks) {
  made(of({"lua-check-delete", "naive-setnx"}, {"none", "late-write"}), 40);
  std::ifstream file(folder_ / "comparison.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const std::regex story("```mermaid\nsequenceDiagram");
  EXPECT_EQ(std::distance(std::sregex_iterator(page.begin(), page.end(), story), {}), 2);
}

// ---------------------------------------------------------------- every plan of few faults

Options complete(std::vector<std::string> locks, std::vector<std::string_view> columns,
                 std::uint32_t faults = 1) {
  Options options = of(std::move(locks), std::move(columns));
  options.complete = faults;
  return options;
}

TEST_F(Comparing, TriesEveryPlanOfOneFaultBesideTheRunsThatAreDrawn) {
  const Comparison comparison =
      made(complete({"lua-check-delete"}, {"late-write", "lost-reply"}), 10, 2);
  const std::optional<Complete> complete = comparison.complete(0, 0);
  ASSERT_TRUE(complete);
  ASSERT_EQ(complete->faults(), 1u);
  const Measures& late = complete->with[0];
  EXPECT_GT(late.made, 100u);
  EXPECT_EQ(complete->fewest_for_harm(), 1u);
  const std::optional<Complete> lost = comparison.complete(0, 1);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->fewest_for(Property::own_release), 0u);
  const Made report{.command = "picklock compare", .run_command = kRun};
  const auto cells = nlohmann::json::parse(json(comparison, report)).at("locks")[0].at("cells");
  EXPECT_EQ(cells.at("late-write").at("complete").at("plans"), late.made);
  EXPECT_EQ(cells.at("late-write").at("complete").at("violated").at("no-stale-write"),
            late.properties[static_cast<std::size_t>(Property::no_stale_write)].violations);
  EXPECT_THAT(table(comparison, report, {}), HasSubstr("every plan of one fault was tried"));
}

TEST_F(Comparing, SumsTheClassesOfAMix) {
  const Comparison comparison =
      made(complete({"lua-check-delete"}, {"failover", "lost-reply", "failover+lost-reply"}), 1);
  const auto plans = [&comparison](std::size_t column) {
    return comparison.complete(0, column)->with.at(0).made;
  };
  EXPECT_EQ(plans(2), plans(0) + plans(1));
}

// The plans are those of a search that tries every plan of two faults.
TEST_F(Comparing, TriesEveryPlanOfTwoFaultsWhereTheseAreFew) {
  const Comparison comparison =
      made(complete({"lua-check-delete"}, {"late-command", "pause", "late-command+pause"}, 2), 1);
  const std::optional<Complete> few = comparison.complete(0, 0);
  ASSERT_TRUE(few);
  ASSERT_EQ(few->faults(), 2u);

  const scenarios::Scenario workload = small(comparison.locks()[0].workload);
  explore::SearchOptions every{.seed = 1,
                               .faults = {.classes = {FaultClass::late_command}, .most = 2},
                               .all_classes = false,
                               .properties = {Property::no_deadlock},
                               .command = "x"};
  every.strategy = "exhaustive";
  explore::Search search(workload, every);
  while (search.run_next()) {
  }
  // It makes the run without faults as well.
  EXPECT_EQ(few->with[0].made + few->with[1].made + 1, search.decided().value().plans);

  EXPECT_EQ(comparison.complete(0, 1)->faults(), 1u);  // they are too many
  EXPECT_EQ(comparison.complete(0, 2)->faults(), 1u);  // a plan of two may be of two classes
  const Made report{.command = "picklock compare", .run_command = kRun};
  EXPECT_THAT(table(comparison, report, {}), HasSubstr("✓✓ nor does any of two faults"));
  const auto cells = nlohmann::json::parse(json(comparison, report)).at("locks")[0].at("cells");
  EXPECT_EQ(cells.at("late-command").at("complete").at("faults"), 2);
  EXPECT_EQ(cells.at("late-command").at("complete").at("plans"),
            few->with[0].made + few->with[1].made);
  EXPECT_EQ(cells.at("pause").at("complete").at("faults"), 1);
}

// A cell that one fault breaks does not say that it needs two.
TEST(Complete, NamesTheFewestFaultsThatAreEnough) {
  Measures clean;
  Measures harmed;
  harmed.unsafe = 3;
  EXPECT_EQ((Complete{{clean, harmed}}).fewest_for_harm(), 2u);
  EXPECT_EQ((Complete{{harmed, harmed}}).fewest_for_harm(), 1u);
  EXPECT_EQ((Complete{{clean, clean}}).fewest_for_harm(), 0u);
}

// Reading it once went on for ever.
TEST_F(Comparing, ReadsAPartWithoutAnyRun) {
  const Options options = complete({"lua-check-delete"}, {"failover"});
  Comparison comparison(options, workloads(kDirectory));
  const CellName cell = comparison.complete_cells().at(0);
  {
    Ledger ledger(folder_, options.seed, kProgram);
    ledger.write(comparison.label(cell), Part{.from = 0, .to = 0, .measures = {}, .all = 0});
  }
  Ledger(folder_, options.seed, kProgram).read(comparison, 1);
  EXPECT_EQ(comparison.known(cell).runs, 0u);
}

// Runs that are known are not made again, and the result is the same.
TEST_F(Comparing, ContinuesWithThePlansThatItHasNotTried) {
  const Options options = complete({"lua-check-delete"}, {"failover"});
  {
    Ledger ledger(folder_, options.seed, kProgram);
    Comparison comparison(options, workloads(kDirectory));
    Onlooker early = kNobody;
    early.interrupted = [&comparison] {
      const std::vector<CellName> cells = comparison.complete_cells();
      return comparison.known(cells.at(0)).runs > 0;
    };
    make(comparison, ledger, {.jobs = 1, .runs = 1}, early);
    EXPECT_FALSE(comparison.complete(0, 0));
  }
  const Comparison continued = made(options, 1);
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  const Comparison afresh = made(options, 1);
  ASSERT_TRUE(continued.complete(0, 0));
  EXPECT_EQ(to_json(continued.complete(0, 0)->with.at(0)),
            to_json(afresh.complete(0, 0)->with.at(0)));
}

}  // namespace
}  // namespace picklock::compare
