#include "explore/complete.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/runner.h"
#include "scenarios/shipped.h"

namespace picklock::explore {
namespace {

using scenarios::Document;
using scenarios::Run;
using scenarios::Scenario;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Scenario small(const std::string& lock) {
  Scenario scenario = scenarios::shipped::plain(lock);
  scenario.clients.count = 2;
  scenario.clients.cycles = 1;
  return scenario;
}

std::string found_complete() {
  Search search(small("lua-check-delete"),
                {.strategy = "exhaustive",
                 .faults = {.classes = {FaultClass::failover, FaultClass::lost_reply}, .most = 1},
                 .all_classes = false,
                 .command = "picklock explore"});
  while (search.run_next()) {
  }
  EXPECT_TRUE(is_complete(search));
  return complete_file(search);
}

std::vector<std::string> surprises(Document document, bool counted = true) {
  Run run = scenarios::Runner().run_file(document, {}, false, false).run;
  EXPECT_THAT(run.surprises, IsEmpty());
  repeat_complete_search(run.scenario, counted, run);
  return run.surprises;
}

TEST(Complete, IsAFileWhoseSearchCanBeMadeAgain) {
  const std::string file = found_complete();
  EXPECT_THAT(file,
              HasSubstr("[complete]\nfaults = 1\nclasses = [\"failover\", \"lost-reply\"]\n"));
  EXPECT_THAT(file, HasSubstr("title = \"No plan of at most 1 fault breaks a promise of lua-"));
  EXPECT_THAT(surprises(Document(file, "complete-1.toml")), IsEmpty());
}

TEST(Complete, RepeatsASearchOfOrdersWithoutFaults) {
  Scenario scenario = small("lua-check-delete");
  scenario.network.order = scenarios::Order::any;
  scenario.network.latency.high = 30 * scenario.network.latency.low;
  Search search(scenario, {.strategy = "exhaustive",
                           .faults = {.classes = {}, .most = 1},
                           .all_classes = false,
                           .command = "picklock explore"});
  while (search.run_next()) {
  }
  ASSERT_TRUE(is_complete(search));
  const std::string file = complete_file(search);
  EXPECT_THAT(file, HasSubstr("title = \"No plan of at most 1 fault or late message breaks"));
  EXPECT_THAT(file, HasSubstr("[complete]\nfaults = 1\nclasses = []\n"));
  EXPECT_THAT(surprises(Document(file, "complete-1.toml")), IsEmpty());
}

TEST(Complete, SaysWhichPropertyBreaks) {
  Document document(found_complete(), "complete-1.toml");
  document.set({.path = "complete.properties", .value = "[\"mutual-exclusion\"]"});
  EXPECT_THAT(surprises(document),
              ElementsAre(HasSubstr("mutual-exclusion is violated by a plan of 1 fault: ")));
}

TEST(Complete, ComparesTheNumbersOfPlansUnlessTheFileWasChanged) {
  Document document(found_complete(), "complete-1.toml");
  document.set({.path = "complete.plans", .value = "7"});
  EXPECT_THAT(surprises(document), ElementsAre(::testing::ContainsRegex(
                                       "complete.plans is [0-9]+, and not 7 as the file expects")));
  EXPECT_THAT(surprises(document, false), IsEmpty());
}

TEST(Complete, IsNotWhatABrokenPropertyLeaves) {
  Search search(small("lua-check-delete"), {.strategy = "exhaustive",
                                            .faults = {.classes = {FaultClass::pause}, .most = 1},
                                            .all_classes = false,
                                            .properties = {Property::mutual_exclusion},
                                            .command = "picklock explore"});
  while (search.run_next()) {
  }
  EXPECT_FALSE(is_complete(search));
}

}  // namespace
}  // namespace picklock::explore
