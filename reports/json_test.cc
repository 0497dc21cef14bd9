#include "reports/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/golden.h"
#include "testing/sample_run.h"

namespace picklock::reports {
namespace {

using Json = nlohmann::ordered_json;

TEST(Json, IsOneDocumentWithTheWholeOutcome) {
  testing::expect_golden("blind_delete.json", json(testing::blind_delete_and_twin()));
}

TEST(Json, HasEveryPromisedField) {
  const Json document = Json::parse(json(testing::blind_delete_and_twin()));
  for (const Json* run : {&document, &document.at("twins").at(0)}) {
    for (const char* field :
         {"scenario", "title", "algorithm", "seed", "digest", "events", "virtual_seconds",
          "verdicts", "promised", "witnesses", "faults_fired", "faults_not_fired",
          "longest_wait_seconds", "wakeups", "grants", "surprises", "as_expected"}) {
      EXPECT_TRUE(run->contains(field)) << field;
    }
    EXPECT_EQ(run->at("verdicts").size(), kPropertyCount);
  }
  EXPECT_EQ(document.at("promised").at("mutual-exclusion"), false);
  EXPECT_EQ(document.at("promised").at("not-stuck"), true);
  EXPECT_EQ(document.at("digest"), "01f3a97c55d0e2b4");
  EXPECT_EQ(document.at("virtual_seconds").dump(), "42.002");
  EXPECT_EQ(document.at("faults_fired").at(0).dump(),
            R"({"fault":1,"verb":"pause","target":"client-1","at":3.0015})");
  EXPECT_EQ(document.at("twins").at(0).at("change"), "lock.algorithm = set-px-lua-delete");
}

TEST(Json, NamesTheFaultsThatDidNotFire) {
  scenarios::Outcome outcome = testing::blind_delete_and_twin();
  outcome.run.fired.clear();
  const Json document = Json::parse(json(outcome));
  EXPECT_TRUE(document.at("faults_fired").empty());
  EXPECT_EQ(document.at("faults_not_fired").dump(),
            R"([{"fault":1,"verb":"pause","target":"client-1"}])");
}

TEST(Json, IsNotAsExpectedWhenATwinIsNot) {
  scenarios::Outcome outcome = testing::blind_delete_and_twin();
  EXPECT_EQ(Json::parse(json(outcome)).at("as_expected"), true);
  outcome.twins.front().surprises = {"own-release was to hold and is violated"};
  const Json document = Json::parse(json(outcome));
  EXPECT_EQ(document.at("as_expected"), false);
  EXPECT_TRUE(document.at("surprises").empty());
  EXPECT_EQ(document.at("twins").at(0).at("as_expected"), false);
}

TEST(Json, IsOneArrayForSeveralScenarios) {
  const std::string object = json(testing::blind_delete_and_twin());
  const Json all = Json::parse(json_array({object, json_error("bad\xff.toml", "line 1\nline 2")}));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at(0), Json::parse(object));
  EXPECT_EQ(all.at(1).at("scenario"), "bad\xef\xbf\xbd.toml");
  EXPECT_EQ(all.at(1).at("error"), "line 1\nline 2");
  EXPECT_EQ(json_array({json_error("a", "b")}),
            "[\n  {\n    \"scenario\": \"a\",\n    \"error\": \"b\"\n  }\n]\n");
}

TEST(Json, StaysUtf8WhateverAScenarioHolds) {
  scenarios::Outcome outcome = testing::blind_delete_and_twin();
  outcome.run.scenario.title = "\xff锁";
  EXPECT_EQ(Json::parse(json(outcome)).at("title"), "\xef\xbf\xbd锁");
}

}  // namespace
}  // namespace picklock::reports
