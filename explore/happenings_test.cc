#include "explore/happenings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scenarios/shipped.h"

namespace picklock::explore {
namespace {

using Kind = Happening::Kind;

class HappeningsTest : public ::testing::Test {
 protected:
  HappeningsTest() {
    scenarios::Scenario scenario = scenarios::shipped::plain("lua-check-delete");
    scenario.clients.count = 1;
    scenario.clients.cycles = 1;
    world_.set(scenario);
    world_.run(1, true);
    for (const sim::TraceRecord& record : world_.trace().records) happenings_.add(record, world_);
    const std::vector<std::string> names = world_.processes();
    client_ = number(names, "client-1");
    server_ = number(names, "redis-1");
  }

  static sim::ProcessId number(const std::vector<std::string>& names, const std::string& name) {
    return static_cast<sim::ProcessId>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  bool has(Kind kind, sim::ProcessId process, sim::ProcessId peer) const {
    return happenings_.any(0, happenings_.size(), [&](const Happening& one) {
      return one.kind == kind && one.process == process && one.peer == peer;
    });
  }

  scenarios::World world_;
  Happenings happenings_;
  sim::ProcessId client_ = 0, server_ = 0;
};

TEST_F(HappeningsTest, AreMessagesThatArriveFromTheirSender) {
  EXPECT_TRUE(has(Kind::arrival, client_, server_));
  EXPECT_TRUE(has(Kind::arrival, server_, client_));
  EXPECT_FALSE(has(Kind::arrival, client_, client_));
}

TEST_F(HappeningsTest, AreEventsOfAServerAndOfTheClientWhoseTenureItIs) {
  EXPECT_TRUE(has(Kind::event, server_, client_)) << "the entry";
  EXPECT_TRUE(has(Kind::event, client_, client_)) << "the belief";
}

TEST_F(HappeningsTest, AreAskedForByTheirNumbers) {
  const auto any = [](const Happening&) { return true; };
  EXPECT_TRUE(happenings_.any(0, 1, any));
  EXPECT_FALSE(happenings_.any(1, 1, any));
}

}  // namespace
}  // namespace picklock::explore
