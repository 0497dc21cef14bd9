#include "reports/perfetto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "testing/sample_run.h"

namespace picklock::reports {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::vector<Json> events(const scenarios::Run& run) {
  return Json::parse(perfetto({.run = run, .twins = {}})).at("traceEvents");
}

std::vector<Json> named(const std::vector<Json>& events, const std::string& part) {
  std::vector<Json> found;
  for (const Json& event : events) {
    if (event.at("name").get<std::string>().find(part) != std::string::npos) found.push_back(event);
  }
  return found;
}

TEST(Perfetto, ShowsWhoBelievedWhenInMicroseconds) {
  const auto beliefs = named(events(testing::blind_delete()), "believes");
  ASSERT_FALSE(beliefs.empty());
  EXPECT_EQ(beliefs[0].at("ph"), "X");
  EXPECT_EQ(beliefs[0].at("pid"), 1) << "client-1";
  EXPECT_EQ(beliefs[0].at("ts"), 1000.0) << "a millisecond after it asked";
}

TEST(Perfetto, DrawsAnArrowFromEveryCommandToWhereItArrived) {
  const auto all = events(testing::blind_delete());
  std::map<int, std::pair<int, int>> arrows;
  for (const Json& event : all) {
    if (event.at("ph") == "s") ++arrows[event.at("id")].first;
    if (event.at("ph") == "f") ++arrows[event.at("id")].second;
  }
  EXPECT_FALSE(arrows.empty());
  for (const auto& [id, ends] : arrows) EXPECT_EQ(ends, std::pair(1, 1)) << id;
  const auto deletes = named(all, "DEL");
  ASSERT_FALSE(deletes.empty());
  EXPECT_EQ(deletes[0].at("args").at("command"), "DEL lock:order-42");
}

TEST(Perfetto, MarksFaultsAndWhereAPropertyBroke) {
  const auto all = events(testing::blind_delete());
  const auto faults = named(all, "fault 1: pause client-1 for 9s");
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].at("s"), "g");
  const auto broken = named(all, "own-release violated");
  ASSERT_FALSE(broken.empty());
  EXPECT_THAT(broken[0].at("args").at("sentence").get<std::string>(), HasSubstr("client-1"));
}

// A viewer nests what is on one track, so nothing on it may overlap but by a whole.
TEST(Perfetto, LetsNothingOverlapOnATrack) {
  testing::RunBuilder b({"client-1", "redis-1"});
  b.send(testing::at_ms(0), 0, 1, testing::Role::acquire, 1, "SET a");
  const std::uint32_t second = b.send(testing::at_ms(1), 0, 1, testing::Role::acquire, 1, "SET b");
  b.message(testing::at_ms(3), sim::TraceKind::delivered, second - 1, 0, 1);
  b.message(testing::at_ms(4), sim::TraceKind::delivered, second, 0, 1);
  std::map<std::pair<int, int>, double> free_at;
  for (const Json& event : events(b.run)) {
    if (event.at("ph") != "X") continue;
    double& free = free_at[{event.at("pid"), event.at("tid")}];
    EXPECT_GE(event.at("ts").get<double>(), free) << event.dump();
    free = event.at("ts").get<double>() + event.at("dur").get<double>();
  }
  EXPECT_EQ(free_at.size(), 3U) << "two lanes of commands, and what the server handles";
}

TEST(Perfetto, EndsWhatIsNotOverWithTheRun) {
  testing::RunBuilder b({"client-1", "redis-1"});
  b.client(testing::at_ms(1), history::What::acquire_invoked, 0, 1);
  b.client(testing::at_ms(2), history::What::acquire_ok, 0, 1);
  b.process(testing::at_ms(3), sim::TraceKind::paused, 0);
  b.client(testing::at_ms(3), history::What::acquire_invoked, 0, 2);
  b.run.ended = testing::at_ms(9);
  const auto all = events(b.run);
  EXPECT_EQ(named(all, "believes").at(0).at("dur"), 7000.0);
  EXPECT_EQ(named(all, "paused").at(0).at("dur"), 6000.0);
  EXPECT_EQ(named(all, "waiting when the run ends").at(0).at("dur"), 6000.0);
}

}  // namespace
}  // namespace picklock::reports
