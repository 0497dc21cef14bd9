#include "sim/service.h"

#include <gmock/gmock.h>

#include "sim/echo_world.h"

namespace picklock::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Left {
  std::uint64_t digest = 0;
  std::size_t events = 0;
  std::vector<std::pair<Duration, std::string>> told{};
};

// The record of a run in which the server tells something of itself, or does not.
Left run(bool tells, bool tracing) {
  EchoWorld world(1, 1, 1, tracing);
  world.client().script = [&](EchoClient& self) {
    self.sleep(1s);
    if (tells) world.server().tell("becomes the primary");
    self.ask(world.server(), "x");
  };
  world.run();
  Left left{.digest = world.digest(), .events = world.occurrences.size()};
  const Trace& trace = world.simulation.scheduler.tracer().trace();
  for (const TraceRecord& record : trace.records) {
    if (record.kind != TraceKind::told) continue;
    EXPECT_EQ(record.process, world.server().process().id());
    left.told.emplace_back(since_start(record.at), trace.payload(record));
  }
  return left;
}

TEST(Service, TellsReadersOfATraceWhatItDoes) {
  EXPECT_THAT(run(true, true).told,
              ElementsAre(std::pair(Duration(1s), std::string("becomes the primary"))));
}

TEST(Service, TellsNobodyElse) {
  const Left silent = run(false, false);
  for (const bool tracing : {false, true}) {
    const Left told = run(true, tracing);
    EXPECT_EQ(told.digest, silent.digest);
    EXPECT_EQ(told.events, silent.events);
  }
  EXPECT_THAT(run(true, false).told, IsEmpty());
}

}  // namespace
}  // namespace picklock::sim
