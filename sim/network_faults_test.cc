#include "sim/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/echo_world.h"

namespace picklock::sim {
namespace {

using Status = Answer::Status;
using testing::ElementsAre;

// ---------------------------------------------------------------- partitions

TEST(Partition, OneWayHoldsThatWayAlone) {
  EchoWorld world;
  Network& network = world.simulation.network;
  Process& client = world.client().process();
  Process& server = world.server().process();
  network.block(server, client);
  ask_once(world);
  world.at(5s, [&] { network.unblock(server, client); });
  world.run();
  EXPECT_EQ(world.server().log[0].first, kWay);
  EXPECT_THAT(world.client().told, ElementsAre(Told{Status::ok, "x", 5s + kWay}));
}

// A connection that is still open may carry what the cut lets pass.
TEST(Partition, KeepsTwoApartOnceTheirConnectionIsGivenUp) {
  EchoWorld world;
  Network& network = world.simulation.network;
  Process& client = world.client().process();
  Process& server = world.server().process();
  std::vector<bool> apart;
  const auto look = [&] { apart.push_back(network.is_apart(client, server)); };
  network.block(server, client);
  world.client().script = [&](EchoClient& self) {
    self.ask(world.server(), "x", 1s);
    self.ask(world.server(), "y", 1s);
  };
  world.at(500ms, look);
  world.at(5s, look);
  world.at(6s, [&] { network.unblock(server, client); });
  world.at(7s, look);
  world.run();
  EXPECT_THAT(apart, ElementsAre(false, true, false));
}

TEST(Partition, DeliversLateAndInOrderWhenHealed) {
  EchoWorld world;
  world.simulation.network.set_latency({.low = 100us, .high = 900us});
  send_apart(world, {"1", "2", "3", "4"}, 1s);
  world.run({{.verb = Verb::partition,
              .target = "client-1",
              .trigger = {.at = kStart + 500ms},
              .lasts = 2s}});
  EXPECT_EQ(world.server().applied(), "1 2 3 4");
  EXPECT_LT(world.server().log[0].first, 500ms);
  EXPECT_GT(world.server().log[1].first, 2500ms);
  EXPECT_LT(world.server().log[2].first, 2502ms);
  EXPECT_GT(world.server().log[3].first, 3s);
}

// A message that is in flight when the link heals may not overtake the held ones.
TEST(Partition, LetsNothingOvertakeWhatItHeld) {
  EchoWorld world;
  world.simulation.network.set_latency({.low = 1ms, .high = 1ms});
  send_apart(world, {"1", "2"}, 9'500us);
  world.run(
      {{.verb = Verb::partition, .target = "client-1", .trigger = {.at = kStart}, .lasts = 10ms}});
  EXPECT_EQ(world.server().applied(), "1 2");
}

TEST(Partition, HealsWhenTheLastOfSeveralEnds) {
  EchoWorld world;
  ask_once(world);
  const auto cut = [](Duration from, Duration lasts) {
    return Fault{.verb = Verb::partition,
                 .target = "client-1",
                 .trigger = {.at = kStart + from},
                 .lasts = lasts};
  };
  world.run({cut(0s, 5s), cut(0s, 3s)});
  EXPECT_EQ(world.server().log[0].first, 5s + kWay);
}

TEST(Partition, ConcernsTheProcessesNamedAlone) {
  EchoWorld world(2, 2);
  for (EchoClient& client : world.clients) {
    client.script = [&world](EchoClient& self) {
      self.sleep(1s);
      for (EchoServer& server : world.servers) self.ask_beside(server, self.process().name());
    };
  }
  world.run({{.verb = Verb::partition,
              .target = "client-1",
              .trigger = {.at = kStart},
              .lasts = 10s,
              .from = {"server-2"}}});
  EXPECT_EQ(world.server(1).log[0].first, 1s + kWay);
  EXPECT_EQ(world.server(2).log[0].second, "client-2");
  EXPECT_EQ(world.server(2).log[0].first, 1s + kWay);
  EXPECT_EQ(world.server(2).log[1].second, "client-1");
  EXPECT_EQ(world.server(2).log[1].first, 10s + kWay);
}

TEST(Partition, BreaksAConnectionThatHasWaitedTooLong) {
  EchoWorld world;
  world.simulation.network.set_patience(3s);
  ask_once(world);
  world.run(
      {{.verb = Verb::partition, .target = "client-1", .trigger = {.at = kStart}, .lasts = 10s}});
  EXPECT_THAT(world.client().told, ElementsAre(Told{Status::reset, "", 3s + kWay}));
  EXPECT_EQ(world.server().applied(), "");
}

TEST(Partition, LeavesAConnectionThatIsHealedInTimeWhole) {
  EchoWorld world;
  world.simulation.network.set_patience(3s);
  send_apart(world, {"1", "2"}, 10s);
  world.run(
      {{.verb = Verb::partition, .target = "client-1", .trigger = {.at = kStart}, .lasts = 2s},
       {.verb = Verb::partition,
        .target = "client-1",
        .trigger = {.at = kStart + 10s},
        .lasts = 2s}});
  EXPECT_EQ(world.server().applied(), "1 2");
  EXPECT_EQ(world.client().told[1].status, Status::ok);
}

TEST(Partition, IsPartOfTheHistoryOnceForEachDirection) {
  EchoWorld world;
  world.run({{.verb = Verb::partition,
              .target = "client-1",
              .trigger = {.at = kStart + 1s},
              .lasts = 1s}});
  std::vector<std::tuple<Occurred, ProcessId, ProcessId, Duration>> links;
  for (const Occurrence& one : world.occurrences) {
    if (one.what == Occurred::link_cut || one.what == Occurred::link_healed)
      links.emplace_back(one.what, one.process, one.peer, since_start(one.at));
  }
  EXPECT_THAT(links, ElementsAre(std::tuple(Occurred::link_cut, 0u, 1u, 1s),
                                 std::tuple(Occurred::link_cut, 1u, 0u, 1s),
                                 std::tuple(Occurred::link_healed, 0u, 1u, 2s),
                                 std::tuple(Occurred::link_healed, 1u, 0u, 2s)));
}

// ---------------------------------------------------------------- single messages

TEST(Hold, KeepsEverythingBehindTheMatchedMessage) {
  EchoWorld world;
  send_apart(world, {"1", "2", "3"}, 1s);
  world.run({on_request(Verb::hold, 2, 5s)});
  EXPECT_EQ(world.server().applied(), "1 2 3");
  EXPECT_EQ(world.server().log[0].first, kWay);
  EXPECT_EQ(world.server().log[1].first, 6s + kWay);
  EXPECT_GE(world.server().log[2].first, 6s + kWay);
}

TEST(Hold, OfTheAnswersLetsRequestsPass) {
  EchoWorld world;
  send_apart(world, {"1", "2"}, 1s);
  world.run({on_answer(Verb::hold, 1, 5s)});
  EXPECT_EQ(world.server().log[1].first, 1s + kWay);
  EXPECT_EQ(world.client().told[0].at, 5s + 2 * kWay);
  EXPECT_EQ(world.client().told[0].bytes, "1");
  EXPECT_GT(world.client().told[1].at, 5s + 2 * kWay);
}

TEST(Hold, ShorterThanTheWayDelaysNothing) {
  EchoWorld world;
  ask_once(world);
  world.run({on_request(Verb::hold, 1, 10us)});
  EXPECT_THAT(world.client().told, ElementsAre(Told{Status::ok, "x", 2 * kWay}));
}

TEST(Delay, KeepsEverythingBehindTheMatchedMessage) {
  EchoWorld world;
  send_apart(world, {"1", "2", "3"}, 1s);
  world.run({on_request(Verb::delay, 1, 5s)});
  EXPECT_EQ(world.server().applied(), "1 2 3");
  EXPECT_EQ(world.server().log[0].first, 5s + kWay);
  EXPECT_GT(world.server().log[1].first, 5s + kWay);
  EXPECT_LT(world.server().log[2].first, 5s + 2 * kWay);
}

TEST(Delay, OfAnAnswerLetsRequestsPass) {
  EchoWorld world;
  send_apart(world, {"1", "2"}, 1s);
  world.run({on_answer(Verb::delay, 1, 5s)});
  EXPECT_EQ(world.server().log[1].first, 1s + kWay);
  EXPECT_EQ(world.client().told[0].at, 5s + 2 * kWay);
}

TEST(Drop, OfARequestLeavesItUnappliedAndResetsBothEnds) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) {
    self.ask(world.server(), "lost");
    self.ask(world.server(), "again");
  };
  world.run({on_request(Verb::drop, 1)});
  EXPECT_EQ(world.server().applied(), "again");
  EXPECT_THAT(world.server().resets, ElementsAre(kWay));
  EXPECT_THAT(world.client().told, ElementsAre(Told{Status::reset, "", kWay},
                                               Told{Status::ok, "again", kWay + 4 * kWay}));
}

TEST(Drop, OfAnAnswerLeavesItAppliedAndResetsBothEnds) {
  EchoWorld world;
  ask_once(world);
  world.run({on_answer(Verb::drop, 1)});
  EXPECT_EQ(world.server().applied(), "x");
  EXPECT_THAT(world.server().resets, ElementsAre(2 * kWay));
  EXPECT_THAT(world.client().told, ElementsAre(Told{Status::reset, "", 2 * kWay}));
}

TEST(Drop, TakesWhatIsOnTheWayBehindIt) {
  EchoWorld world;
  send_apart(world, {"1", "2", "3"}, 30us);
  world.run({on_request(Verb::drop, 2)});
  EXPECT_EQ(world.server().applied(), "1");
  ASSERT_EQ(world.client().told.size(), 3u);
  EXPECT_EQ(world.client().told[1].status, Status::reset);
  EXPECT_EQ(world.client().told[2].status, Status::reset);
}

TEST(Duplicate, IsAppliedTwiceAndAnsweredOnce) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) {
    self.ask(world.server(), "twice");
    self.sleep(10s);
    self.ask(world.server(), "once");
  };
  world.run({on_request(Verb::duplicate, 1, 5s)});
  EXPECT_EQ(world.server().applied(), "twice twice once");
  EXPECT_EQ(world.server().log[1].first, 5s + kWay);
  EXPECT_THAT(world.client().told, ElementsAre(Told{Status::ok, "twice", 2 * kWay},
                                               Told{Status::ok, "once", 10s + 4 * kWay}));
}

// From the beginning on.
Fault slow_server(Duration step, Duration lasts) {
  return {.verb = Verb::slow,
          .target = "server-1",
          .trigger = {.at = kStart},
          .lasts = lasts,
          .step = step};
}

TEST(Slow, AddsToEveryMessageForItsTime) {
  EchoWorld world;
  world.server().process().set_service(1ms);
  send_apart(world, {"1", "2", "3"}, 1s);
  world.run({{.verb = Verb::slow,
              .target = "server-1",
              .trigger = {.at = kStart + 500ms},
              .lasts = 1s,
              .step = 20ms}});
  EXPECT_EQ(world.server().log[0].first, kWay + 1ms);
  EXPECT_EQ(world.server().log[1].first, 1s + kWay + 21ms);
  EXPECT_EQ(world.server().log[2].first, 2s + kWay + 1ms);
}

// A hundred answers of which each took ten seconds kept a client behind for hours after a slow
// time of a few seconds.
TEST(Slow, IsOverForWhatWaitsForItsTurnWhenItEnds) {
  EchoWorld world;
  world.server().process().set_service(1ms);
  send_apart(world, {"1", "2", "3"}, 10ms);
  world.run({slow_server(10s, 1s)});
  EXPECT_EQ(world.server().applied(), "1 2 3");
  EXPECT_EQ(world.server().log[0].first, 1001ms);
  EXPECT_EQ(world.server().log[2].first, 1003ms);
}

TEST(Slow, IsOverOnlyInPartWhileAnotherLasts) {
  EchoWorld world;
  send_apart(world, {"1", "2"}, 10ms);
  world.run({slow_server(10s, 1s), slow_server(300ms, 5s)});
  EXPECT_EQ(world.server().log[0].first, 1300ms);
  EXPECT_EQ(world.server().log[1].first, 1600ms);
}

TEST(Slow, KeepsTheOrderOfMessagesWhenItEnds) {
  EchoWorld world;
  send_apart(world, {"1", "2"}, 2ms);
  world.run({slow_server(10ms, 1ms)});
  EXPECT_EQ(world.server().applied(), "1 2");
}

TEST(Slow, LetsNothingOvertakeWhatComesAfterItsEndWhateverTheTies) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EchoWorld world(1, 1, seed);
    world.simulation.scheduler.permute_ties();
    send_apart(world, {"1", "2", "3", "4"}, 2ms);
    world.run({slow_server(10ms, 1ms)});
    EXPECT_EQ(world.server().applied(), "1 2 3 4") << seed;
  }
}

// ---------------------------------------------------------------- crashes

TEST(ServerCrash, LeavesWhatItsKernelHadToSendBeforeTheReset) {
  EchoWorld world;
  world.client().ask_beside(world.server(), "answered");
  world.client().run([&](EchoClient& self) {
    self.sleep(80us);
    self.ask(world.server(), "too late");
  });
  world.run({crash_of_server(150us)});
  EXPECT_EQ(world.server().applied(), "answered");
  EXPECT_THAT(world.client().told,
              ElementsAre(Told{Status::ok, "answered", 2 * kWay}, Told{Status::reset, "", 250us}));
}

TEST(ServerCrash, LeavesWhatIsHeldOnItsWayButNotWithTheHost) {
  for (const bool host : {false, true}) {
    EchoWorld world;
    Network& network = world.simulation.network;
    Process& client = world.client().process();
    Process& server = world.server().process();
    network.block(server, client);
    ask_once(world);
    Fault crash = crash_of_server(1s);
    crash.host = host;
    world.at(2s, [&] { network.unblock(server, client); });
    world.run({crash});
    ASSERT_EQ(world.client().told.size(), 1u);
    EXPECT_EQ(world.client().told[0].status, host ? Status::reset : Status::ok);
  }
}

TEST(ServerCrash, InSilenceIsNoticedByNobodyUntilItIsBack) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) {
    self.ask(world.server(), "before");
    self.sleep(1s);
    self.ask(world.server(), "into silence", 3s);
  };
  Fault crash = crash_of_server(500ms);
  crash.host = crash.silent = true;
  world.run({crash});
  EXPECT_EQ(world.server().applied(), "before");
  EXPECT_THAT(world.client().told, ElementsAre(Told{Status::ok, "before", 2 * kWay},
                                               Told{Status::timed_out, "", 4s + 2 * kWay}));
}

TEST(ServerCrash, InSilenceLeavesAHalfOpenConnectionThatTheNextRequestFindsReset) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) {
    self.ask(world.server(), "before");
    self.sleep(10s);
    self.ask(world.server(), "on a dead connection");
    self.ask(world.server(), "on a new one");
  };
  Fault crash = crash_of_server(1s, 2s);
  crash.host = crash.silent = true;
  world.run({crash});
  EXPECT_EQ(world.server().applied(), "before on a new one");
  EXPECT_EQ(world.client().told[1], (Told{Status::reset, "", 10s + 4 * kWay}));
  EXPECT_EQ(world.client().told[2], (Told{Status::ok, "on a new one", 10s + 8 * kWay}));
}

// A restarted machine knows nothing of the connections of its earlier incarnation.
TEST(ServerCrash, ResetsNoConnectionOfAnEarlierIncarnation) {
  EchoWorld world;
  Fault silent = crash_of_server(1s, 1s);
  silent.host = silent.silent = true;
  world.client().script = [&](EchoClient& self) {
    self.sleep(900ms + 99'950us);
    self.ask(world.server(), "lost with the host", 20s);
  };
  world.run({silent, crash_of_server(5s, 1s)});
  EXPECT_THAT(world.client().told,
              ElementsAre(Told{Status::timed_out, "", 20s + 900ms + 99'950us}));
}

// If both machines have forgotten a connection, one reset is sent and no other answers it.
TEST(ServerCrash, IsNotToldToAndFroByTwoThatHaveForgottenTheirConnection) {
  EchoWorld world;
  ask_once(world);
  Fault silent{.verb = Verb::crash,
               .target = "client-1",
               .trigger = {.at = kStart + 1s},
               .lasts = 1s,
               .host = true,
               .silent = true};
  world.run({silent, crash_of_server(3s, 1s)});
  EXPECT_LT(world.simulation.scheduler.record().events(), 100U);
}

TEST(ClientCrash, LetsARequestThatHasLeftBeApplied) {
  EchoWorld world;
  ask_once(world);
  world.run({{.verb = Verb::crash, .target = "client-1", .trigger = {.at = kStart + 50us}}});
  EXPECT_EQ(world.server().applied(), "x");
  EXPECT_THAT(world.client().told, ElementsAre());
  EXPECT_THAT(world.server().resets, ElementsAre(50us + kWay));
}

// After the reset the endpoint may no longer exist.
TEST(Reset, IsTheLastThatAClientHears) {
  struct Ear final : Endpoint {
    void on_message(Connection&, Message&) override { heard += "message "; }
    void on_reset(Connection&) override { heard += "reset "; }
    std::string heard;
  };
  constexpr Protocol kPlain{.name = "plain"};
  Simulation simulation;
  simulation.reset(1);
  Process& client = simulation.scheduler.processes().add("client-1");
  Process& server = simulation.scheduler.processes().add("server-1");
  Ear ear;
  Ear other;
  Connection& connection = simulation.network.connect(client, ear, server, other, kPlain);
  for (const bool lost : {true, false}) {
    Message& message = simulation.network.make(connection, 1);
    if (lost) message.mark_lost();
    simulation.network.send(message);
  }
  simulation.scheduler.run();
  EXPECT_EQ(ear.heard, "reset ");
}

// Messages in flight keep a run going, so a lost count of one would do so for ever.
TEST(Network, AccountsForEveryMessage) {
  Fault silent = crash_of_server(150us, 1s);
  silent.host = silent.silent = true;
  for (const auto& plan :
       {Plan{}, Plan{on_request(Verb::drop, 2)}, Plan{on_answer(Verb::drop, 2)},
        Plan{on_request(Verb::duplicate, 1, 5s)}, Plan{on_request(Verb::hold, 1, 1s)},
        Plan{crash_of_server(150us, 1s)}, Plan{silent},
        Plan{{.verb = Verb::crash, .target = "client-1", .trigger = {.at = kStart + 150us}}}}) {
    EchoWorld world;
    Scheduler& scheduler = world.simulation.scheduler;
    scheduler.set_event_limit(1'000);
    scheduler.threads().spawn(world.server().process(), [&scheduler] {
      for (;;) scheduler.sleep(1s);
    });
    send_apart(world, {"1", "2", "3"}, 30us, 2s);
    world.run(plan);
    EXPECT_FALSE(scheduler.out_of_events());
  }
}

// ---------------------------------------------------------------- background messages

const Protocol kWatch{.name = "watch", .command = &first_word, .background = true};

// The end of a run whose client is done after a second while one server keeps writing to another.
Duration end_of_run(const Protocol& between_servers) {
  EchoWorld world(1, 2);
  Simulation& simulation = world.simulation;
  Process& writer = world.server(1).process();
  simulation.network.set_latency(writer, world.server(2).process(), {.low = 5s, .high = 5s});
  Caller caller;
  caller.reset(simulation, writer, world.server(2).process(), world.server(2), between_servers);
  simulation.scheduler.threads().spawn(
      writer, [&] { caller.call(kTell, {}, [](Payload& payload) { payload.append("beat"); }); });
  world.client().script = [](EchoClient& self) { self.sleep(1s); };
  world.run();
  return since_start(simulation.now());
}

TEST(Background, KeepsNoRunGoing) {
  EXPECT_EQ(end_of_run(kWatch), 1s);
  EXPECT_GE(end_of_run(kEcho), 5s);
}

// A lost or late background message does not end a run early either, because it was never counted.
TEST(Background, EndsNoRunWhateverBecomesOfItsMessages) {
  const Fault partition{.verb = Verb::partition,
                        .target = "server-1",
                        .trigger = {.at = kStart + 150us},
                        .lasts = 1s};
  const Fault pause{
      .verb = Verb::pause, .target = "server-1", .trigger = {.at = kStart + 50us}, .lasts = 1s};
  for (const auto& plan : {Plan{}, Plan{on_request(Verb::drop, 2)}, Plan{on_answer(Verb::drop, 2)},
                           Plan{on_request(Verb::duplicate, 1, 2s)},
                           Plan{on_request(Verb::hold, 1, 1s)}, Plan{on_answer(Verb::delay, 1, 1s)},
                           Plan{crash_of_server(150us, 1s)}, Plan{partition}, Plan{pause}}) {
    EchoWorld world;
    Caller caller;
    caller.reset(world.simulation, world.client().process(), world.server().process(),
                 world.server(), kWatch);
    world.client().script = [&caller](EchoClient& self) {
      for (int i = 0; i < 3; ++i) {
        self.run([&caller, i](EchoClient& one) {
          one.sleep(30us * i);
          caller.call(kAsk, 2s, [](Payload& payload) { payload.append("beat"); });
        });
      }
      self.sleep(10s);
    };
    world.run(plan);
    EXPECT_EQ(since_start(world.simulation.now()), 10s)
        << (plan.empty() ? "" : "verb " + std::to_string(static_cast<int>(plan[0].verb)));
  }
}

}  // namespace
}  // namespace picklock::sim
