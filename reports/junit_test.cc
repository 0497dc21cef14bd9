#include "reports/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "testing/sample_run.h"

namespace picklock::reports {
namespace {

using ::testing::HasSubstr;

pugi::xml_document read(const std::string& text) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(text.c_str())) << text;
  return document;
}

TEST(Junit, HasASuiteForEachScenarioAndACaseForEachOfItsRuns) {
  Junit junit;
  junit.add(testing::blind_delete_and_twin(), "picklock run one --seed 1");
  junit.add({.run = testing::blind_delete(), .twins = {}}, "picklock run two --seed 1");
  const pugi::xml_document document = read(junit.document());
  const pugi::xml_node all = document.child("testsuites");
  EXPECT_EQ(all.attribute("tests").as_int(), 3);
  EXPECT_EQ(all.attribute("failures").as_int(), 0);
  const pugi::xml_node suite = all.child("testsuite");
  EXPECT_STREQ(suite.attribute("name").value(), "ttl-expiry-blind-delete");
  EXPECT_EQ(suite.attribute("tests").as_int(), 2);
  const pugi::xml_node own = suite.child("testcase");
  EXPECT_STREQ(own.attribute("classname").value(), "ttl-expiry-blind-delete");
  EXPECT_STREQ(own.attribute("name").value(), "as the file has it");
  EXPECT_STREQ(own.next_sibling("testcase").attribute("name").value(),
               "twin, lock.algorithm = set-px-lua-delete");
  EXPECT_FALSE(suite.child("system-out")) << "nothing to explain";
}

TEST(Junit, SaysInWhichWaysARunIsNotAsExpectedAndHowToRepeatIt) {
  scenarios::Outcome outcome = testing::blind_delete_and_twin();
  outcome.twins[0].surprises = {"own-release is violated", "fault 1 did not fire"};
  Junit junit;
  junit.add(outcome, "picklock run blind --seed 7");
  const pugi::xml_document document = read(junit.document());
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_EQ(suite.attribute("failures").as_int(), 1);
  EXPECT_FALSE(suite.child("testcase").child("failure")) << "its own run is as expected";
  const pugi::xml_node failure = suite.child("testcase").next_sibling("testcase").child("failure");
  EXPECT_STREQ(failure.attribute("message").value(), "own-release is violated");
  EXPECT_THAT(failure.text().get(), HasSubstr("fault 1 did not fire"));
  EXPECT_THAT(failure.text().get(), HasSubstr("picklock run blind --seed 7"));
  EXPECT_THAT(suite.child("system-out").text().get(), HasSubstr("DEL lock:order-42"));
}

TEST(Junit, SaysHowLongEveryRunTook) {
  Junit junit;
  junit.add(testing::blind_delete_and_twin(), "picklock run one --seed 1", {0.25, 1.5});
  junit.add({.run = testing::blind_delete(), .twins = {}}, "picklock run two --seed 1", {2});
  const pugi::xml_document document = read(junit.document());
  const pugi::xml_node all = document.child("testsuites");
  EXPECT_STREQ(all.attribute("time").value(), "3.750");
  const pugi::xml_node suite = all.child("testsuite");
  EXPECT_STREQ(suite.attribute("time").value(), "1.750");
  EXPECT_STREQ(suite.child("testcase").attribute("time").value(), "0.250");
}

TEST(Junit, HasASuiteWithAnErrorForAScenarioThatCouldNotBeRun) {
  Junit junit;
  junit.add(testing::blind_delete_and_twin(), "picklock run one --seed 1");
  junit.add_error("bad.toml", "cannot be run", "bad.toml:3: key `lock.tll`: there is no such key");
  const pugi::xml_document document = read(junit.document());
  const pugi::xml_node all = document.child("testsuites");
  EXPECT_EQ(all.attribute("tests").as_int(), 3);
  EXPECT_EQ(all.attribute("errors").as_int(), 1);
  EXPECT_EQ(all.attribute("failures").as_int(), 0);
  const pugi::xml_node suite = all.child("testsuite").next_sibling("testsuite");
  EXPECT_STREQ(suite.attribute("name").value(), "bad.toml");
  EXPECT_EQ(suite.attribute("errors").as_int(), 1);
  const pugi::xml_node error = suite.child("testcase").child("error");
  EXPECT_STREQ(error.attribute("type").value(), "cannot be run");
  EXPECT_STREQ(error.attribute("message").value(),
               "bad.toml:3: key `lock.tll`: there is no such key");
}

TEST(Junit, IsXmlWhateverAFileSays) {
  scenarios::Outcome outcome{.run = testing::blind_delete(), .twins = {}};
  outcome.run.scenario.title = "a <b> & \"c\" \x01\xff ]]>";
  outcome.run.surprises = {"<&> \x02"};
  Junit junit;
  junit.add(outcome, "picklock run 'a&b'");
  const pugi::xml_document document = read(junit.document());
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_STREQ(suite.child("properties").child("property").attribute("value").value(),
               "a <b> & \"c\" \\x01\\xff ]]>");
  EXPECT_STREQ(suite.child("testcase").child("failure").attribute("message").value(), "<&> \\x02");
}

}  // namespace
}  // namespace picklock::reports
