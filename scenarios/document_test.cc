#include "scenarios/document.h"
#include "scenarios/loader.h"
#include "scenarios/writer.h"
#include "testing/sample_scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;

const std::string kStory = testing::with_fault(
    "pause = \"client-3\"\nfor = \"3s\"\nbefore = \"release.sent\"\n"
    "[[twin]]\nlock.algorithm = \"lua-check-delete\"\nviolated = [\"available\"]\n"
    "[[neighbour]]\nfault = 1\nafter = \"release.applied\"\nviolated = [\"not-stuck\"]\n");

Document story(std::initializer_list<const char*> assignments) {
  Document document(kStory, "story.toml");
  for (const char* assignment : assignments) document.set(change_from(assignment));
  return document;
}

Scenario changed(std::initializer_list<const char*> assignments) {
  return story(assignments).scenario(testing::vocabulary());
}

std::string error_after(const char* assignment) {
  return testing::error_from([&] { changed({assignment}); });
}

TEST(Document, SetsKeysOfTables) {
  EXPECT_EQ(changed({"clients.count=5"}).clients.count, 5U);
  EXPECT_EQ(changed({"clients.gc.every=2s"}).clients.gc.every, 2s) << "a table that the file lacks";
  EXPECT_EQ(changed({"network.latency=[\"1ms\", \"2ms\"]"}).network.latency.high, 2ms);
  EXPECT_EQ(changed({"seed=9", "seed=10"}).seed, 10U);
  EXPECT_TRUE(changed({"neighbour=[]", "fault=[]"}).faults.empty());
}

TEST(Document, TakesWhatIsNotTomlAsText) {
  EXPECT_EQ(changed({"lock.algorithm=lua-check-delete"}).lock.algorithm, "lua-check-delete");
  EXPECT_EQ(changed({"lock.algorithm=\"lua-check-delete\""}).lock.algorithm, "lua-check-delete");
  EXPECT_EQ(changed({"lock.ttl=3s"}).lock.options.ttl, 3s);
  EXPECT_EQ(changed({"title=a = b\nseed = 3"}).title, "a = b\nseed = 3");
}

TEST(Document, TellsANumberThatIsTooLargeFromText) {
  const auto error = [](const std::string& number) {
    return error_after(("clients.count=" + number).c_str());
  };
  const std::string key = "story.toml: key `clients.count`: ";
  EXPECT_EQ(error("99999999999999999999999").find(key + "is too large: 9999999999999"), 0U);
  EXPECT_EQ(error("+9223372036854775808").find(key + "is too large: +92233"), 0U);
  EXPECT_EQ(error("-9223372036854775809").find(key + "is too small: -92233"), 0U);
  EXPECT_EQ(changed({"title=99999999999999999999999x"}).title, "99999999999999999999999x");
}

TEST(Document, SetsAnotherMomentOrVerbInPlaceOfTheOneInTheFile) {
  const auto later = changed({"fault.1.at=2s"}).faults[0];
  EXPECT_EQ(later.trigger.at, sim::kStart + 2s);
  const auto crash = changed({"fault.1.crash=client-1"}).faults[0];
  EXPECT_EQ(crash.verb, sim::Verb::crash);
  EXPECT_EQ(crash.target, "client-1");
  const std::string twice = testing::error_from([] {
    changed({"fault.1.at=2s", "fault.1.after=release.sent"});
  });
  EXPECT_THAT(twice, ::testing::HasSubstr("a fault has exactly one of before, after and at"));
}

TEST(Document, AnotherMomentDropsTheKeysThatNarrowAStepIfItTakesNone) {
  Document document(
      testing::with_fault("pause = \"client-3\"\nfor = \"3s\"\nbefore = \"release.sent\"\nnth = 2\n"
                          "by = \"client-1\"\non = \"redis-1\"\ncommand = \"DEL\"\n"),
      "story.toml");
  Document later = document;
  later.set(change_from("fault.1.at=2s"));
  EXPECT_EQ(later.scenario(testing::vocabulary()).faults[0].trigger.at, sim::kStart + 2s);
  Document step = document;
  step.set(change_from("fault.1.before=release.applied"));
  EXPECT_EQ(step.scenario(testing::vocabulary()).faults[0].trigger.nth, 2U);
  later.set(change_from("fault.1.nth=3"));
  EXPECT_EQ(testing::error_from([&] { later.scenario(testing::vocabulary()); }),
            "story.toml: key `fault.1.nth`: narrows a step, but `at` is a time (with --set "
            "fault.1.at=2s, --set fault.1.nth=3)");
}

TEST(Document, TakesANumberAsTextWhereTheKeyIsAText) {
  EXPECT_EQ(changed({"lock.key=42"}).lock.key, "42");
  EXPECT_EQ(changed({"lock.key=3.40"}).lock.key, "3.40");
  EXPECT_EQ(changed({"lock.key=true"}).lock.key, "true");
  EXPECT_EQ(changed({"lock.key=\"42\""}).lock.key, "42");
  EXPECT_EQ(changed({"fault.1.by=client-1"}).faults[0].trigger.by, "client-1");
}

TEST(Document, CountsElementsFromOne) {
  EXPECT_EQ(changed({"fault.1.for=4s"}).faults[0].lasts, 4s);
  EXPECT_EQ(changed({"fault.1.pause=client-2"}).faults[0].target, "client-2");
  EXPECT_EQ(changed({"twin.1.violated=[]"}).twins[0].expect.violated.size(), 0U);
  EXPECT_EQ(error_after("fault.0.for=4s"),
            "story.toml: key `fault.0.for`: there is one `fault`; write `fault.1.for` (with --set "
            "fault.0.for=4s)");
  EXPECT_EQ(error_after("fault.2.for=4s"),
            "story.toml: key `fault.2.for`: there is one `fault`; write `fault.1.for` (with --set "
            "fault.2.for=4s)");
  EXPECT_EQ(error_after("fault.for=4s"),
            "story.toml: key `fault.for`: there is one `fault`; write `fault.1.for` (with --set "
            "fault.for=4s)");
  EXPECT_EQ(testing::error_from([] {
              changed({"expect.violated=[1, 2]", "expect.violated.3=x"});
            }),
            "story.toml: key `expect.violated.3`: there are 2 of `violated`; write "
            "`expect.violated.1` to `expect.violated.2` (with --set expect.violated=[1, 2], --set "
            "expect.violated.3=x)");
  EXPECT_EQ(error_after("network.link.1.to=redis-1"),
            "story.toml: key `network.link.1.to`: there is no `link` to change (with --set "
            "network.link.1.to=redis-1)");
}

TEST(Document, ChecksChangesAsItChecksTheFile) {
  EXPECT_EQ(
      error_after("lock.ttl=-3s"),
      "story.toml: key `lock.ttl`: must not be negative, but is \"-3s\" (with --set lock.ttl=-3s)");
  EXPECT_EQ(
      error_after("lock.tll=3s"),
      "story.toml: key `lock.tll`: there is no such key; did you mean `lock.ttl`? (with --set "
      "lock.tll=3s)");
  EXPECT_EQ(error_after("clients.count=2"),
            "story.toml:7: key `fault.1.pause`: there is no client-3; the clients are client-1 to "
            "client-2 (with --set clients.count=2)");
  EXPECT_EQ(error_after("lock.algorithm.x=3"),
            "story.toml: key `lock.algorithm.x`: `algorithm` has no keys below it (with --set "
            "lock.algorithm.x=3)");
  EXPECT_EQ(error_after("lock=5"),
            "story.toml: key `lock`: must be a table, not a whole number (with --set lock=5)");
  EXPECT_EQ(error_after("fault.1.before=[x"),
            "story.toml: key `fault.1.before`: \"[x\" is not a TOML value (with --set "
            "fault.1.before=[x)");
  EXPECT_EQ(error_after("lock..ttl=3s"),
            "story.toml: key `lock.`: there is no such key; docs/scenario-format.md lists them all "
            "(with --set lock..ttl=3s)");
}

TEST(Document, BoundsTheDepthOfChanges) {
  std::string path = "a";
  for (int i = 0; i < 100'000; ++i) path += ".a";
  EXPECT_THROW(changed({(path + "=1").c_str()}), BadInput);
  EXPECT_THROW(changed({("a=" + std::string(100'000, '[')).c_str()}), BadInput);
  EXPECT_THROW(changed({("a=x" + std::string(100'000, '[')).c_str()}), BadInput);
}

// A search with such a change writes what it finds as a file, which says nothing of the hold.
TEST(Document, LetsStepsOfTheWorkReplaceTheHoldOfTheFile) {
  Document document(
      "format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n[clients]\nhold = \"2s\"\nwrites = "
      "3\n",
      "story.toml");
  document.set(change_from("clients.work=[{do = 'think', for = '1s'}, {do = 'write'}]"));
  const Scenario scenario = document.scenario(testing::vocabulary());
  EXPECT_EQ(scenario.clients.hold, ClientsSpec{}.hold);
  EXPECT_EQ(scenario.clients.writes, ClientsSpec{}.writes);
  const std::string text = file_text(scenario);
  EXPECT_EQ(file_text(parse(text, "again.toml", testing::vocabulary())), text);
}

TEST(Document, WantsKeyAndValue) {
  for (const char* text : {"", "=", "lock.ttl", "=3", "lock.ttl="}) {
    EXPECT_EQ(testing::error_from([&] { change_from(text); }),
              std::string("--set ") + text + ": must be KEY=VALUE, such as clients.count=5");
  }
  EXPECT_EQ(change_from("title=a=b").value, "a=b");
}

TEST(Document, MakesATwinAScenarioOfItsOwn) {
  const Scenario twin = story({"clients.count=5"}).twin(0, testing::vocabulary());
  EXPECT_EQ(twin.lock.algorithm, "lua-check-delete");
  EXPECT_EQ(twin.clients.count, 5U) << "changes of the command line count for the twin as well";
  EXPECT_EQ(twin.faults.size(), 1U);
  EXPECT_EQ(twin.expect.violated, std::vector{Property::available});
  EXPECT_TRUE(twin.twins.empty());
  EXPECT_TRUE(twin.neighbours.empty());
}

TEST(Document, DoesNotHoldATwinToTheNeighboursOfTheFile) {
  const std::string text = testing::with_fault(
      "pause = \"client-3\"\nfor = \"3s\"\nbefore = \"release.sent\"\n"
      "[[twin]]\nlock.algorithm = \"lua-check-delete\"\n"
      "[[neighbour]]\nfault = 1\nbefore = \"check.sent\"\n");
  EXPECT_EQ(testing::error_of(text), "loads");
}

TEST(Document, MakesATwinOfOneFaultKey) {
  const Document document(testing::kComplete, "story.toml");
  const Scenario twin = document.twin(0, testing::vocabulary());
  EXPECT_EQ(twin.faults[0].trigger.role, Role::check);
  const Scenario slower = document.twin(1, testing::vocabulary());
  EXPECT_EQ(slower.network.latency.low, 1ms);
}

TEST(Document, MakesANeighbourAScenarioOfItsOwn) {
  const Scenario neighbour = story({}).neighbour(0, testing::vocabulary());
  EXPECT_EQ(neighbour.faults[0].trigger.side, sim::Side::after);
  EXPECT_EQ(neighbour.faults[0].trigger.phase, sim::Phase::applied);
  EXPECT_EQ(neighbour.faults[0].lasts, 3s);
  EXPECT_EQ(neighbour.expect.violated, std::vector{Property::not_stuck});
  EXPECT_TRUE(neighbour.neighbours.empty());
}

}  // namespace
}  // namespace picklock::scenarios
