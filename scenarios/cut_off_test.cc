#include "scenarios/cut_off.h"

#include <gmock/gmock.h>

#include <tuple>

#include "models/servers/verbs.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"
#include "scenarios/world.h"

namespace picklock::scenarios {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;
using history::What;

// One of the clients cannot reach mysql-1 from its first request on.
constexpr std::string_view kForGood =
    "[[fault]]\npartition = 'client-2'\nfrom = 'mysql-1'\nbefore = 'acquire.sent'\n";
// Waits for a message that is never sent, so that a fault may always still strike.
constexpr std::string_view kNeverStrikes =
    "[[fault]]\ndrop = 'mysql-1'\nbefore = 'message.sent'\nnth = 1000000\n";
constexpr sim::ProcessId kCutOff = 1;

class CutOffTest : public ::testing::Test {
 protected:
  void run(const std::string& more, const std::string& lock = "algorithm = 'mysql-row-lock'",
           bool traced = true) {
    scenario_ = parse("format = 1\n[lock]\n" + lock + "\n" + more, "x", shipped_vocabulary());
    world_.set(scenario_);
    world_.run(1, traced);
  }

  bool is_violated(Property property) const {
    return world_.verdicts()[static_cast<std::size_t>(property)].outcome ==
           properties::Outcome::violated;
  }

  std::vector<What> deeds() const {
    std::vector<What> all;
    for (const history::HistoryEvent& event : world_.history()) {
      if (event.process == kCutOff) all.push_back(event.what);
    }
    return all;
  }

  std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const sim::TraceRecord& record : world_.trace().records) {
      if (record.kind == sim::TraceKind::told) all.emplace_back(world_.trace().payload(record));
    }
    return all;
  }

  Scenario scenario_;
  World world_;
};

TEST_F(CutOffTest, LeavesOutWhatAClientTriesThatWillNeverReachItsServerAgain) {
  run(std::string(kForGood));
  EXPECT_LT(world_.events(), 2'000u);
  EXPECT_GT(world_.ended() - sim::kStart, 24h) << "the server may forget a session after hours";
  EXPECT_THAT(told(),
              Contains(HasSubstr("can never reach a server again that would grant its lock")));
  EXPECT_TRUE(is_violated(Property::progress)) << "it waits to the end";
}

TEST_F(CutOffTest, GoesOnWhileAFaultMayStillBringTheClientBack) {
  run(std::string(kForGood) +
      "[[fault]]\nheal = 'client-2'\nafter = 'release.replied'\nby = 'client-1'\nnth = 100\n"
      "[clients]\ncount = 2\nhold = '1s'\nthink = '9s'\ncycles = 100\n");
  EXPECT_THAT(deeds(), Contains(What::acquire_ok));
  EXPECT_THAT(told(), Not(Contains(HasSubstr("never"))));
}

TEST_F(CutOffTest, LetsAClientGiveUpThatWould) {
  run("[[fault]]\npartition = 'client-2'\nfrom = 'mysql-1'\nat = '0s'\n",
      "algorithm = 'mysql-row-lock'\nacquire_timeout = '1h'");
  EXPECT_THAT(deeds(), Contains(What::acquire_failed));
}

TEST_F(CutOffTest, CountsNoReplicaThatIsNeverPromoted) {
  run("[servers.mysql]\nreplicas = 1\n" + std::string(kForGood));
  EXPECT_LT(world_.events(), 3'000u);
  EXPECT_THAT(told(), Contains(HasSubstr("never")));
}

TEST_F(CutOffTest, CountsNoServerThatIsDownForGoodOrTakesNoWrites) {
  run("[servers.mysql]\nreplicas = 1\n"
      "[[fault]]\nrestart = 'mysql-2'\nfor = '3s'\nat = '4s'\n"
      "[[fault]]\nfail-over = 'mysql-1'\nat = '5s'\n");  // nobody is there to be promoted
  EXPECT_THAT(told(), Contains(HasSubstr("never")));
}

// One world makes the runs of a search, each with a plan of its own.
TEST_F(CutOffTest, CountsAReplicaThatAFaultOfThisRunPromotes) {
  run("[servers.mysql]\nreplicas = 1\n" + std::string(kForGood));
  EXPECT_THAT(deeds(), Not(Contains(What::acquire_ok)));
  scenario_.faults.push_back(
      {.verb = models::kFailOver, .target = "mysql-1", .trigger = {.at = sim::kStart + 3h}});
  world_.run(1);
  EXPECT_THAT(deeds(), Contains(What::acquire_ok));
  scenario_.clients.cycles = 100;
  scenario_.faults.back().trigger = {
      .role = Role::release, .phase = sim::Phase::replied, .nth = 100, .by = "client-1"};
  world_.set(scenario_);
  world_.run(1);
  EXPECT_THAT(deeds(), Contains(What::acquire_ok)) << "it could still be promoted";
}

// The history of a run in which nothing is left out, because a fault may still strike.
TEST_F(CutOffTest, LeavesOutNothingThatIsPartOfTheHistory) {
  const auto events = [this] {
    std::vector<std::tuple<sim::Instant, What, sim::ProcessId, history::TenureId>> all;
    for (const history::HistoryEvent& event : world_.history())
      all.emplace_back(event.at, event.what, event.process, event.tenure);
    return all;
  };
  for (const std::string lock : {"mysql-get-lock", "shedlock"}) {
    for (const std::string cut : {"partition = 'mysql-1'", "partition = 'client-1'",
                                  "partition = 'mysql-1'\none_way = 'outbound'",
                                  "partition = 'mysql-1'\none_way = 'inbound'"}) {
      SCOPED_TRACE(lock + ", " + cut);
      const std::string fault =
          "[[fault]]\n" + cut + "\nafter = 'acquire.applied'\nby = 'client-1'\n";
      run(fault + std::string(kNeverStrikes), "algorithm = '" + lock + "'", false);
      const auto whole = events();
      const std::uint64_t made = world_.events();
      run(fault, "algorithm = '" + lock + "'", false);
      EXPECT_EQ(events(), whole);
      EXPECT_LT(world_.events(), made / 10);
    }
  }
}

}  // namespace
}  // namespace picklock::scenarios
