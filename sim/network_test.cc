#include "sim/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "testing/echo_world.h"

namespace picklock::sim {
namespace {

using Status = Answer::Status;
using testing::ElementsAre;

// ---------------------------------------------------------------- latency and order

TEST(Network, TakesExactlyItsLatency) {
  EchoWorld world;
  ask_once(world);
  world.run();
  EXPECT_THAT(world.server().log, ElementsAre(std::pair(Duration(100us), std::string("x"))));
  EXPECT_THAT(world.client().told, ElementsAre(Told{Status::ok, "x", 200us}));
}

TEST(Network, TakesTheLatencyOfEachDirection) {
  EchoWorld world;
  Process& client = world.client().process();
  Process& server = world.server().process();
  world.simulation.network.set_latency(client, server, {.low = 1ms, .high = 1ms});
  world.simulation.network.set_latency(server, client, {.low = 5ms, .high = 5ms});
  ask_once(world);
  world.run();
  EXPECT_THAT(world.server().log, ElementsAre(std::pair(Duration(1ms), std::string("x"))));
  EXPECT_THAT(world.client().told, ElementsAre(Told{Status::ok, "x", 6ms}));
}

TEST(Network, KeepsTheLatencyOfALinkWhateverIsSetForOthersLater) {
  EchoWorld world(1, 20);
  Network& network = world.simulation.network;
  Process& client = world.client().process();
  network.set_latency(client, world.server(1).process(), {.low = 7ms, .high = 7ms});
  world.client().caller(world.server(1));
  for (EchoServer& server : world.servers) {
    if (&server != &world.server(1))
      network.set_latency(client, server.process(), {.low = 1s, .high = 1s});
  }
  ask_once(world);
  world.run();
  EXPECT_EQ(world.server().log[0].first, 7ms);
}

TEST(Network, AddsTheTimeAServerNeedsForEachMessage) {
  EchoWorld world;
  world.server().process().set_service(10ms);
  world.client().ask_beside(world.server(), "a");
  world.client().ask_beside(world.server(), "b");
  world.run();
  ASSERT_EQ(world.server().log.size(), 2u);
  EXPECT_EQ(world.server().log[0].first, 10ms + kWay);
  EXPECT_EQ(world.server().log[1].first, 20ms + kWay);
}

std::vector<std::string> numbered(int count) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.push_back(std::to_string(i));
  return texts;
}

constexpr Latency kWild{.low = 10us, .high = 5ms, .tail_one_in = 4, .tail_high = 10s};

// A fault that strikes between two of these does something else than one before both.
TEST(Network, TracesWhenTheKernelsSignalEachOther) {
  EchoWorld world(1, 1, 1, true);
  world.client().script = [&](EchoClient& self) {
    self.caller(world.server()).hang_up();
    self.ask(world.server(), "a");
  };
  world.run();
  ASSERT_EQ(world.server().applied(), "a");
  std::vector<std::pair<TraceKind, ProcessId>> signals;
  for (const TraceRecord& record : world.simulation.scheduler.record().tracer().trace().records) {
    if (record.kind == TraceKind::signalled || record.kind == TraceKind::connected)
      signals.emplace_back(record.kind, record.process);
  }
  const ProcessId client = world.client().process().id(), server = world.server().process().id();
  using Signal = std::pair<TraceKind, ProcessId>;
  EXPECT_THAT(signals, testing::ElementsAre(Signal{TraceKind::signalled, server},  // closed
                                            Signal{TraceKind::signalled, server},  // opened anew
                                            Signal{TraceKind::connected, client}));
}

TEST(Network, KeepsTheOrderOfAConnectionWhateverTheLatencies) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EchoWorld world(1, 1, seed);
    world.simulation.network.set_latency(kWild);
    if (seed % 2 == 0) world.simulation.scheduler.permute_ties();
    world.client().script = [&](EchoClient& self) {
      for (const std::string& text : numbered(40)) {
        self.ask_beside(world.server(), text);
        self.sleep(100us);
      }
    };
    world.run();
    std::vector<std::string> applied;
    for (const auto& [at, bytes] : world.server().log) applied.push_back(bytes);
    EXPECT_EQ(applied, numbered(40)) << seed;
    std::vector<std::string> told;
    for (const Told& one : world.client().told) told.push_back(one.bytes);
    EXPECT_EQ(told, numbered(40)) << seed;
  }
}

TEST(Network, KeepsNoOrderAcrossConnections) {
  int turned = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EchoWorld world(2, 1, seed);
    world.simulation.network.set_latency(kWild);
    world.client(1).script = [&](EchoClient& self) { self.ask(world.server(), "first"); };
    world.client(2).script = [&](EchoClient& self) {
      self.sleep(1us);
      self.ask(world.server(), "second");
    };
    world.run();
    turned += world.server().applied() == "second first";
  }
  EXPECT_GT(turned, 10);
  EXPECT_LT(turned, 40);
}

TEST(Network, KeepsAHeavyTailWithinItsBounds) {
  EchoWorld world;
  constexpr Latency kTail{.low = 1ms, .high = 2ms, .tail_one_in = 3, .tail_high = 1s};
  world.simulation.network.set_latency(kTail);
  world.client().script = [&](EchoClient& self) {
    for (int i = 0; i < 2'000; ++i) self.ask(world.server(), "x");
  };
  world.run();
  Duration longest{};
  int in_tail = 0;
  Duration sent{};
  for (std::size_t i = 0; i < world.server().log.size(); ++i) {
    const Duration way = world.server().log[i].first - sent;
    sent = world.client().told[i].at;
    EXPECT_GE(way, kTail.low);
    EXPECT_LE(way, kTail.tail_high);
    in_tail += way > kTail.high;
    longest = std::max(longest, way);
  }
  EXPECT_GT(in_tail, 560);  // a third of 2,000, give or take five standard deviations
  EXPECT_LT(in_tail, 775);
  EXPECT_GT(longest, 100ms);
}

TEST(Network, DrawsTheLatenciesOfALinkFromItsOwnStream) {
  const auto arrivals = [](std::uint32_t clients, std::uint64_t seed) {
    EchoWorld world(clients, 1, seed);
    world.simulation.network.set_latency(kWild);
    for (EchoClient& client : world.clients) {
      client.script = [&world](EchoClient& self) {
        for (int i = 0; i < 20; ++i) self.ask(world.server(), self.process().name());
      };
    }
    world.run();
    std::vector<Duration> of_first;
    for (const auto& [at, bytes] : world.server().log) {
      if (bytes == "client-1") of_first.push_back(at);
    }
    return of_first;
  };
  EXPECT_EQ(arrivals(1, 1), arrivals(3, 1)) << "another client has moved the draws of this one";
  EXPECT_NE(arrivals(1, 1), arrivals(1, 2));
}

// ---------------------------------------------------------------- opening connections

// Loses its first connection to a drop, so that the next request has to dial.
void dial_after_a_drop(EchoWorld& world, Duration patience) {
  world.client().script = [&world, patience](EchoClient& self) {
    self.ask(world.server(), "dropped");
    self.sleep(1s);
    self.ask(world.server(), "dialled", patience);
  };
}

TEST(Dial, TakesOneWayThereAndBack) {
  EchoWorld world;
  dial_after_a_drop(world, {});
  world.run({on_request(Verb::drop, 1)});
  EXPECT_EQ(world.client().told[1], (Told{Status::ok, "dialled", 1s + kWay + 4 * kWay}));
}

TEST(Dial, OpensToAPausedServer) {
  EchoWorld world;
  dial_after_a_drop(world, {});
  world.run({on_request(Verb::drop, 1),
             {.verb = Verb::pause,
              .target = "server-1",
              .trigger = {.at = kStart + 500ms},
              .lasts = 4s}});
  EXPECT_EQ(world.server().log[0].first, 4500ms);
  EXPECT_EQ(world.client().told[1], (Told{Status::ok, "dialled", 4500ms + kWay}));
}

TEST(Dial, IsRefusedByAProcessThatIsDown) {
  EchoWorld world;
  dial_after_a_drop(world, {});
  world.run({on_request(Verb::drop, 1), crash_of_server(500ms)});
  EXPECT_EQ(world.client().told[1], (Told{Status::unreachable, "", 1s + 3 * kWay}));
}

TEST(Dial, HangsWhereTheHostIsSilent) {
  EchoWorld world;
  dial_after_a_drop(world, 5s);
  Fault crash = crash_of_server(500ms);
  crash.host = crash.silent = true;
  world.run({on_request(Verb::drop, 1), crash});
  EXPECT_EQ(world.client().told[1], (Told{Status::unreachable, "", 6s + kWay}));
}

TEST(Dial, ReachesTheIncarnationThatIsThereWhenItArrives) {
  EchoWorld world;
  dial_after_a_drop(world, {});
  world.run({on_request(Verb::drop, 1), crash_of_server(500ms, 500ms + kWay + kWay / 2)});
  EXPECT_EQ(world.client().told[1].status, Status::ok);
  EXPECT_EQ(world.server().applied(), "dialled");
}

TEST(Dial, FollowsARequestThatTimedOutAndItsLateAnswerReachesNobody) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) {
    self.ask(world.server(), "slow", 1s);
    self.ask(world.server(), "next", 10s);
    self.sleep(10s);
  };
  world.run({on_answer(Verb::delay, 1, 2s)});
  EXPECT_EQ(world.server().applied(), "slow next");
  EXPECT_THAT(world.client().told, ElementsAre(Told{Status::timed_out, "", 1s},
                                               Told{Status::ok, "next", 1s + 4 * kWay}));
}

TEST(Dial, ServesTwoThreadsThatNeedAConnectionAtOnce) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) {
    self.ask(world.server(), "dropped");
    self.ask_beside(world.server(), "a");
    self.ask_beside(world.server(), "b");
  };
  world.run({on_request(Verb::drop, 1)});
  EXPECT_EQ(world.server().applied(), "a b");
  for (std::size_t i : {1u, 2u}) EXPECT_EQ(world.client().told[i].status, Status::ok);
}

}  // namespace
}  // namespace picklock::sim
