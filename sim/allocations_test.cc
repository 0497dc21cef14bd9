#include "testing/allocations.h"

#include <gtest/gtest.h>

#include "testing/echo_world.h"

namespace picklock::sim {
namespace {

// Echoes and keeps no log.
class QuietServer final : public Service {
 public:
  QuietServer(Simulation& simulation, std::string_view name) {
    attach(simulation, simulation.scheduler.processes().add(name));
  }

 private:
  bool apply(Message& request, Payload& answer) override {
    answer.append(request.payload.view());
    return true;
  }
};

// Requests of one client and the events of the world, between its 2,000th and its 18,000th request.
struct Measured {
  std::size_t allocations = 0;
  std::uint64_t events = 0;
};

Measured measured(EchoWorld& world) {
  QuietServer server(world.simulation, "quiet");
  Measured from;
  Measured to;
  for (EchoClient& client : world.clients) {
    client.script = [&](EchoClient& self) {
      Caller caller;
      caller.reset(self.simulation(), self.process(), server.process(), server, kEcho);
      for (int i = 0; i < 20'000; ++i) {
        if (&self == &world.client() && (i == 2'000 || i == 18'000)) {
          (i == 2'000 ? from : to) = {properties::allocations(),
                                      self.simulation().scheduler.record().events()};
        }
        const Answer answer =
            caller.call(kAsk, 3s, [](Payload& payload) { payload.append("SET key value"); });
        self.sleep(1ms);
      }
    };
  }
  world.run();
  return {to.allocations - from.allocations, to.events - from.events};
}

TEST(Allocations, AreNoneForARequestAndItsAnswerOnceWarm) {
  EchoWorld world(3);
  world.simulation.network.set_latency({.low = 50us, .high = 500us});
  const auto [allocations, events] = measured(world);
  EXPECT_GT(events, 100'000u);
  EXPECT_EQ(allocations, 0u);
}

// The crowd's peak demand still grows now and then, so a few allocations remain.
TEST(Allocations, AreFewerThanOneInTenThousandEventsInACrowd) {
  EchoWorld world(100);
  world.simulation.network.set_latency({.low = 50us, .high = 500us});
  const auto [allocations, events] = measured(world);
  EXPECT_GT(events, 4'000'000u);
  EXPECT_LT(allocations * 10'000, events);
}

// One request, and a kill while it is under way: a world used before needs no more memory.
TEST(Allocations, AreNoneForAWholeRunInAWorldUsedBefore) {
  Simulation simulation;
  QuietServer server(simulation, "quiet");
  Caller caller;
  std::size_t warm = 0;
  for (int run = 0; run < 11'000; ++run) {
    if (run == 1'000) warm = properties::allocations();
    simulation.reset(static_cast<std::uint64_t>(run));
    Process& client = simulation.scheduler.processes().add("client");
    server = QuietServer(simulation, "quiet");
    caller.reset(simulation, client, server.process(), server, kEcho);
    Thread& doomed = simulation.scheduler.threads().spawn(
        client, [&caller] { caller.call(kAsk, 3s, [](Payload& p) { p.append("x"); }); }, true);
    simulation.scheduler.threads().spawn(
        client,
        [&] {
          simulation.scheduler.sleep(100us);
          simulation.scheduler.threads().kill(doomed);
        },
        true);
    simulation.scheduler.run();
  }
  EXPECT_EQ(properties::allocations() - warm, 0u);
}

}  // namespace
}  // namespace picklock::sim
