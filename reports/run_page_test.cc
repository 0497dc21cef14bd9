#include "reports/run_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "reports/story_json.h"
#include "testing/sample_run.h"

namespace picklock::reports {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

Json data_of(const std::string& html) {
  const std::string tag = R"(<script type="application/json" id="run">)";
  const std::size_t begin = html.find(tag) + tag.size();
  return Json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

const Json& verdict_of(const Json& run, const std::string& property) {
  for (const Json& verdict : run.at("verdicts")) {
    if (verdict.at("property") == property) return verdict;
  }
  throw std::out_of_range(property);
}

TEST(RunPage, HoldsTheRunAndItsTwins) {
  const scenarios::Outcome outcome = testing::blind_delete_and_twin();
  const Json page = data_of(run_page(outcome, "picklock run ttl-expiry-blind-delete --seed 1"));
  EXPECT_EQ(page.at("command"), "picklock run ttl-expiry-blind-delete --seed 1");
  EXPECT_EQ(page.at("as_expected"), true);
  ASSERT_THAT(page.at("runs"), SizeIs(1 + outcome.twins.size()));
  const Json& own = page.at("runs").at(0);
  EXPECT_EQ(own.at("story"), story_json(outcome.run));
  EXPECT_EQ(own.at("twin"), nullptr);
  EXPECT_EQ(own.at("ended"), "42.0s");
  EXPECT_EQ(page.at("runs").at(1).at("twin"), *outcome.twins.at(0).twin);
}

TEST(RunPage, SaysOfEveryPropertyWhetherTheLockPromisesIt) {
  scenarios::Outcome outcome = testing::blind_delete_and_twin();
  const Json run = data_of(run_page(outcome, "")).at("runs").at(0);
  EXPECT_EQ(verdict_of(run, "own-release").at("promise"), "not promised under pause");
  EXPECT_EQ(verdict_of(run, "own-release").at("outcome"), "violated");
  EXPECT_EQ(verdict_of(run, "own-release").at("count"), 2);
  EXPECT_EQ(verdict_of(run, "own-release").at("broken"), false);
  EXPECT_EQ(verdict_of(run, "available").at("premise"), "the server is up and the key is free");

  auto& promised = outcome.run.promised[static_cast<std::size_t>(Property::own_release)];
  promised.promised = true;
  const Json broken = data_of(run_page(outcome, "")).at("runs").at(0);
  EXPECT_EQ(verdict_of(broken, "own-release").at("broken"), true);
  promised.premise_kept = false;
  const Json excused = data_of(run_page(outcome, "")).at("runs").at(0);
  EXPECT_EQ(verdict_of(excused, "own-release").at("broken"), false);
  EXPECT_EQ(verdict_of(excused, "own-release").at("promise"), "not promised here");
}

TEST(RunPage, TextsOfARunCannotEndTheirElement) {
  scenarios::Outcome outcome = testing::blind_delete_and_twin();
  outcome.run.scenario.title = "</script><script>alert(1)</script><!--";
  const std::string html = run_page(outcome, "picklock run '</script>'");
  EXPECT_THAT(html, Not(HasSubstr("alert(1)</script>")));
  EXPECT_EQ(data_of(html).at("runs").at(0).at("story").at("title"), outcome.run.scenario.title);
}

}  // namespace
}  // namespace picklock::reports
