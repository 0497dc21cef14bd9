#include "sim/nemesis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "testing/echo_world.h"

namespace picklock::sim {
namespace {

using Status = Answer::Status;
using testing::ElementsAre;
using testing::IsEmpty;

// Start and end of each fault, in order.
std::vector<std::tuple<Occurred, std::uint32_t, Duration>> fates(const EchoWorld& world) {
  std::vector<std::tuple<Occurred, std::uint32_t, Duration>> all;
  for (const Occurrence& one : world.occurrences) {
    if (one.what == Occurred::fault_fired || one.what == Occurred::fault_ended)
      all.emplace_back(one.what, one.fault, since_start(one.at));
  }
  return all;
}

// The faults that were over before their end, in the order in which they fired.
std::vector<std::uint32_t> healed(const EchoWorld& world) {
  std::vector<std::uint32_t> all;
  for (const Nemesis::Firing& one : world.simulation.nemesis.fired()) {
    if (one.healed) all.push_back(one.fault);
  }
  return all;
}

Fault pause_client(Trigger trigger, Duration lasts = 10s) {
  return {.verb = Verb::pause, .target = "client-1", .trigger = std::move(trigger), .lasts = lasts};
}

// Sends one request; its instants show where a pause of the client has struck.
struct Passage {
  Duration applied{};
  Duration answered{};

  bool operator==(const Passage&) const = default;
};

Passage paused_at(Trigger trigger) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) { self.ask(world.server(), "ASK key"); };
  world.run({pause_client(std::move(trigger))});
  EXPECT_EQ(world.simulation.nemesis.fired().size(), 1u);
  return {world.server().log[0].first, world.client().told[0].at};
}

Trigger step(Side side, Phase phase) { return {.side = side, .role = kAsk, .phase = phase}; }

TEST(Nemesis, StrikesBeforeARequestIsSent) {
  EXPECT_EQ(paused_at(step(Side::before, Phase::sent)), (Passage{10s + kWay, 10s + 2 * kWay}));
}

// For reports: what a fault has struck.
TEST(Nemesis, NamesTheRequestBeforeWhoseSendingItStrikes) {
  const auto request = [](Trigger trigger) {
    EchoWorld world;
    world.client().script = [&](EchoClient& self) { self.ask(world.server(), "ASK key"); };
    world.run({pause_client(std::move(trigger))});
    const auto fired =
        std::find_if(world.occurrences.begin(), world.occurrences.end(),
                     [](const Occurrence& one) { return one.what == Occurred::fault_fired; });
    return fired->request;
  };
  EXPECT_NE(request(step(Side::before, Phase::sent)), 0u);
  EXPECT_EQ(request(step(Side::after, Phase::sent)), 0u);
  EXPECT_EQ(request(step(Side::after, Phase::applied)), 0u);
  EXPECT_EQ(request({.at = kStart + 1ms}), 0u);
}

TEST(Nemesis, StrikesAfterARequestIsSent) {
  const Passage passage = paused_at(step(Side::after, Phase::sent));
  EXPECT_EQ(passage.applied, kWay);
  EXPECT_GE(passage.answered, 10s);
  EXPECT_LT(passage.answered, 10s + 1us);
}

// In these cases the client is paused while its request is in flight. They differ only in how much
// a crash or a fault of the server would find done.
TEST(Nemesis, StrikesWhereARequestIsApplied) {
  EXPECT_EQ(paused_at(step(Side::before, Phase::applied)), (Passage{kWay, 10s + kWay}));
  EXPECT_EQ(paused_at(step(Side::after, Phase::applied)), (Passage{kWay, 10s + kWay}));
}

TEST(Nemesis, StrikesWhereAnAnswerIsRead) {
  EXPECT_EQ(paused_at(step(Side::before, Phase::replied)), (Passage{kWay, 10s + 2 * kWay}));
  EXPECT_EQ(paused_at(step(Side::after, Phase::replied)), (Passage{kWay, 10s + 2 * kWay}));
}

// The outcome of a crash of the server: its applied requests, and the status that the client sees.
struct Outcome {
  std::string applied;
  Status status{};

  bool operator==(const Outcome&) const = default;
};

Outcome server_crashed_at(Side side, Phase phase) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) { self.ask(world.server(), "x", 5s); };
  world.run({{.verb = Verb::crash, .target = "server-1", .trigger = step(side, phase)}});
  return {world.server().applied(), world.client().told[0].status};
}

TEST(Nemesis, CrashesAServerOnEitherSideOfApplying) {
  EXPECT_EQ(server_crashed_at(Side::before, Phase::sent), (Outcome{"", Status::reset}));
  EXPECT_EQ(server_crashed_at(Side::before, Phase::applied), (Outcome{"", Status::reset}));
  EXPECT_EQ(server_crashed_at(Side::after, Phase::applied), (Outcome{"x", Status::reset}));
  EXPECT_EQ(server_crashed_at(Side::before, Phase::replied), (Outcome{"x", Status::ok}));
}

TEST(Nemesis, PausesAServerOnEitherSideOfApplying) {
  for (const Side side : {Side::before, Side::after}) {
    EchoWorld world;
    world.client().script = [&](EchoClient& self) { self.ask(world.server(), "x"); };
    world.run({{.verb = Verb::pause,
                .target = "server-1",
                .trigger = step(side, Phase::applied),
                .lasts = 10s}});
    EXPECT_EQ(world.server().log.size(), 1u);
    EXPECT_EQ(world.server().log[0].first, side == Side::before ? 10s + kWay : Duration(kWay));
    EXPECT_EQ(world.client().told[0].at, 10s + 2 * kWay);
  }
}

// A request that a paused server was about to apply is in its kernel, so a cut of the link does not
// affect it.
TEST(Nemesis, HoldsNothingThatHasArrived) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) { self.ask(world.server(), "x"); };
  world.run({{.verb = Verb::pause,
              .target = "server-1",
              .trigger = step(Side::before, Phase::applied),
              .lasts = 5s},
             {.verb = Verb::partition,
              .target = "server-1",
              .trigger = {.at = kStart + 1s},
              .lasts = 20s}});
  EXPECT_EQ(world.server().log[0].first, 5s + kWay);
  EXPECT_EQ(world.client().told[0].at, 21s + kWay);
}

// Whether a crash of the client at this step lets the answer be seen.
std::vector<std::string> client_crashed_at(Side side, Phase phase) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) { self.ask(world.server(), "x"); };
  world.run({{.verb = Verb::crash, .target = "client-1", .trigger = step(side, phase)}});
  std::vector<std::string> seen = {world.server().applied()};
  for (const Told& told : world.client().told) seen.push_back(told.bytes);
  return seen;
}

TEST(Nemesis, CrashesAClientOnEitherSideOfItsSteps) {
  EXPECT_THAT(client_crashed_at(Side::before, Phase::sent), ElementsAre(""));
  EXPECT_THAT(client_crashed_at(Side::after, Phase::sent), ElementsAre("x"));
  EXPECT_THAT(client_crashed_at(Side::before, Phase::replied), ElementsAre("x"));
  EXPECT_THAT(client_crashed_at(Side::after, Phase::replied), ElementsAre("x"));
}

TEST(Nemesis, CountsTheStepsOfEachClientByItself) {
  EchoWorld world(2);
  for (EchoClient& client : world.clients) {
    client.script = [&world, slow = &client == &world.clients[1]](EchoClient& self) {
      for (int i = 0; i < 5; ++i) {
        if (slow) self.sleep(1s);
        self.ask(world.server(), self.process().name());
      }
    };
  }
  world.run({{.verb = kOfServers,
              .target = "server-1",
              .trigger = {.role = kAsk, .phase = Phase::sent, .nth = 4}}});
  ASSERT_THAT(world.simulation.nemesis.fired(), testing::SizeIs(1));
  EXPECT_EQ(world.simulation.nemesis.fired()[0].at, kStart + 6 * kWay);
}

TEST(Nemesis, WaitsForTheStepsOfTheClientNamed) {
  EchoWorld world(2);
  for (EchoClient& client : world.clients) {
    client.script = [&world](EchoClient& self) {
      self.sleep(1s * (self.process().id() + 1));
      self.ask(world.server(), "x");
    };
  }
  world.run({{.verb = Verb::pause,
              .target = "client-1",
              .trigger = {.role = kAsk, .phase = Phase::sent, .by = "client-2"},
              .lasts = 1s}});
  EXPECT_THAT(fates(world), ElementsAre(std::tuple(Occurred::fault_fired, 0u, 2s),
                                        std::tuple(Occurred::fault_ended, 0u, 3s)));
}

TEST(Nemesis, AwaitsAStepOnlyOfWhoeverMayStillTakeIt) {
  EchoWorld world(2);
  const auto awaits = [&](Trigger trigger, std::vector<ProcessId> takers) {
    const Plan plan = {pause_client(std::move(trigger))};
    Nemesis& nemesis = world.simulation.nemesis;
    nemesis.reset(plan, 0, 2);
    return nemesis.awaits([&](const Process& one) {
      return std::find(takers.begin(), takers.end(), one.id()) != takers.end();
    });
  };
  Trigger of_second = step(Side::before, Phase::sent);
  of_second.by = "client-2";
  EXPECT_TRUE(awaits(of_second, {1}));
  EXPECT_FALSE(awaits(of_second, {0}));
  EXPECT_TRUE(awaits(step(Side::before, Phase::sent), {0})) << "its target's own";
  EXPECT_TRUE(awaits({.mark = "checked"}, {})) << "a client that waits may pass a mark";
}

TEST(Nemesis, WaitsForAStepOnTheServerNamed) {
  EchoWorld world(1, 2);
  world.client().script = [&](EchoClient& self) {
    for (int i = 0; i < 2; ++i) {
      self.ask(world.server(1), "x");
      self.ask(world.server(2), "x");
    }
  };
  world.run({pause_client({.role = kAsk, .phase = Phase::sent, .nth = 2, .on = "server-2"}, 1s)});
  EXPECT_THAT(fates(world), ElementsAre(std::tuple(Occurred::fault_fired, 0u, 6 * kWay),
                                        std::tuple(Occurred::fault_ended, 0u, 1s + 6 * kWay)));
}

TEST(Nemesis, TellsRolesApart) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) {
    self.ask(world.server(), "x", {}, Role{});
    self.ask(world.server(), "x", {}, kAsk);
    self.ask(world.server(), "x", {}, kTell);
  };
  world.run({pause_client({.role = kTell, .phase = Phase::sent}, 1s)});
  EXPECT_THAT(fates(world), ElementsAre(std::tuple(Occurred::fault_fired, 0u, 4 * kWay),
                                        std::tuple(Occurred::fault_ended, 0u, 1s + 4 * kWay)));
}

class NemesisCommand : public testing::TestWithParam<std::pair<Side, Phase>> {};

TEST_P(NemesisCommand, NarrowsARoleWhereverItsStepIs) {
  const auto [side, phase] = GetParam();
  EchoWorld world;
  world.server().reply = "OK";
  world.client().script = [&](EchoClient& self) {
    self.ask(world.server(), "GET key");
    self.sleep(1s);
    self.ask(world.server(), "DEL key");
  };
  world.run({pause_client({.side = side, .role = kAsk, .phase = phase, .command = "DEL"}, 1s)});
  ASSERT_THAT(world.simulation.nemesis.fired(), testing::SizeIs(1));
  EXPECT_GT(world.simulation.nemesis.fired()[0].at, kStart + 1s);
}

TEST(Nemesis, NarrowsTheAnswerOfACommandToo) {
  EchoWorld world;
  world.server().reply = "OK";
  world.client().script = [&](EchoClient& self) {
    self.ask(world.server(), "GET key");
    self.ask(world.server(), "DEL key");
  };
  world.run({{.verb = Verb::drop,
              .target = "client-1",
              .trigger = {.role = kAsk, .phase = Phase::applied, .command = "DEL"}}});
  EXPECT_EQ(world.server().applied(), "GET key DEL key");
  EXPECT_EQ(world.client().told[0].status, Status::ok);
  EXPECT_EQ(world.client().told[1].status, Status::reset);
}

std::string name_of(const testing::TestParamInfo<std::pair<Side, Phase>>& each) {
  const auto [side, phase] = each.param;
  return std::string(side == Side::before ? "before_" : "after_") + std::string(name(phase));
}

INSTANTIATE_TEST_SUITE_P(EverySideAndPhase, NemesisCommand,
                         testing::Values(std::pair(Side::before, Phase::sent),
                                         std::pair(Side::after, Phase::sent),
                                         std::pair(Side::before, Phase::applied),
                                         std::pair(Side::after, Phase::applied),
                                         std::pair(Side::before, Phase::replied),
                                         std::pair(Side::after, Phase::replied)),
                         name_of);

TEST(Nemesis, StrikesAtAMark) {
  EchoWorld world;
  world.client().script = [](EchoClient& self) {
    for (int i = 0; i < 3; ++i) {
      self.mark("between");
      self.note_time();
      self.mark("elapsed-checked");
      self.note_time();
    }
  };
  world.run({pause_client({.mark = "elapsed-checked", .nth = 2}, 5s)});
  EXPECT_THAT(world.client().times, ElementsAre(0s, 0s, 0s, 5s, 5s, 5s));
}

// The trace of a client that is paused before or after a mark, or has crashed there.
std::vector<TraceKind> trace_around_mark(Side side, Verb verb) {
  EchoWorld world(1, 1, 1, true);
  world.client().script = [](EchoClient& self) { self.mark("elapsed-checked"); };
  world.run({{.verb = verb,
              .target = "client-1",
              .trigger = {.side = side, .mark = "elapsed-checked"},
              .lasts = verb == Verb::pause ? std::optional(Duration(5s)) : std::nullopt}});
  std::vector<TraceKind> kinds;
  for (const TraceRecord& record : world.simulation.scheduler.record().tracer().trace().records)
    kinds.push_back(record.kind);
  return kinds;
}

TEST(Nemesis, TracesAMarkWhenItIsPassed) {
  using enum TraceKind;
  EXPECT_THAT(trace_around_mark(Side::before, Verb::pause), ElementsAre(paused, resumed, mark));
  EXPECT_THAT(trace_around_mark(Side::after, Verb::pause), ElementsAre(mark, paused, resumed));
  EXPECT_THAT(trace_around_mark(Side::before, Verb::crash), ElementsAre(crashed));
  EXPECT_THAT(trace_around_mark(Side::after, Verb::crash), ElementsAre(mark, crashed));
}

TEST(Nemesis, StrikesAtATime) {
  EchoWorld world;
  world.client().script = [](EchoClient& self) {
    self.sleep(4s);
    self.note_time();
  };
  world.run({pause_client({.at = kStart + 3s}, 5s)});
  EXPECT_THAT(world.client().times, ElementsAre(8s));
}

TEST(Nemesis, StrikesOnce) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) {
    for (int i = 0; i < 10; ++i) self.ask(world.server(), "x");
  };
  world.run({pause_client(step(Side::before, Phase::sent), 1s)});
  EXPECT_THAT(world.simulation.nemesis.fired(), testing::SizeIs(1));
}

TEST(Nemesis, DoesNothingWhereItsTriggerNeverMatches) {
  const auto digest_under = [](Plan plan) {
    EchoWorld world;
    world.client().script = [&](EchoClient& self) {
      for (int i = 0; i < 10; ++i) self.ask(world.server(), "x");
      self.mark("known");
    };
    world.run(std::move(plan));
    EXPECT_THAT(world.simulation.nemesis.fired(), IsEmpty());
    EXPECT_TRUE(world.simulation.nemesis.quiet());
    return std::pair(world.digest(), world.simulation.scheduler.record().events());
  };
  const auto undisturbed = digest_under({});
  EXPECT_EQ(digest_under({pause_client({.role = kTell, .phase = Phase::sent})}), undisturbed);
  EXPECT_EQ(digest_under({pause_client({.role = kAsk, .phase = Phase::sent, .nth = 11})}),
            undisturbed);
  EXPECT_EQ(digest_under({pause_client({.mark = "unknown"})}), undisturbed);
}

TEST(Nemesis, RefusesANameThatIsNotThere) {
  EchoWorld world;
  EXPECT_THROW(world.run({{.verb = Verb::pause, .target = "client-9"}}), std::invalid_argument);
}

// ---------------------------------------------------------------- verbs

struct VerbCase {
  const char* name;
  Fault fault;
  Duration fires;
  Duration ends;
};

class NemesisVerb : public testing::TestWithParam<VerbCase> {};

TEST_P(NemesisVerb, HasItsStartAndItsEndInTheHistory) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) {
    self.sleep(1s);
    self.ask(world.server(), "x", 1s);
    self.sleep(10s);
  };
  world.run({GetParam().fault});
  EXPECT_THAT(fates(world), ElementsAre(std::tuple(Occurred::fault_fired, 0u, GetParam().fires),
                                        std::tuple(Occurred::fault_ended, 0u, GetParam().ends)));
  EXPECT_TRUE(world.simulation.nemesis.quiet());
  EXPECT_EQ(since_start(world.simulation.nemesis.last_end()), GetParam().ends);
}

Fault at_two(Verb verb, const char* target, std::optional<Duration> lasts = {}) {
  return {.verb = verb,
          .target = target,
          .trigger = {.at = kStart + 2s},
          .lasts = lasts,
          .step = 1s,
          .rate_ppb = 1000};
}

Fault at_request(Verb verb, std::optional<Duration> lasts = {}) {
  return {.verb = verb,
          .target = "client-1",
          .trigger = {.role = kAsk, .phase = Phase::sent},
          .lasts = lasts};
}

INSTANTIATE_TEST_SUITE_P(
    Each, NemesisVerb,
    testing::Values(VerbCase{"pause", at_two(Verb::pause, "client-1", 3s), 2s, 5s},
                    VerbCase{"crash_for_good", at_two(Verb::crash, "server-1"), 2s, 2s},
                    VerbCase{"crash_for_a_while", at_two(Verb::crash, "server-1", 3s), 2s, 5s},
                    VerbCase{"restart", at_two(Verb::restart, "server-1"), 2s, 2s},
                    VerbCase{"end_thread", at_two(Verb::end_thread, "client-1"), 2s, 2s},
                    VerbCase{"step_clock", at_two(Verb::step_clock, "server-1"), 2s, 2s},
                    VerbCase{"set_clock_rate", at_two(Verb::set_clock_rate, "server-1", 3s), 2s,
                             5s},
                    VerbCase{"partition", at_two(Verb::partition, "client-1", 3s), 2s, 5s},
                    VerbCase{"heal", at_two(Verb::heal, "client-1"), 2s, 2s},
                    VerbCase{"hold", at_request(Verb::hold, 3s), 1s, 4s},
                    VerbCase{"delay", at_request(Verb::delay, 3s), 1s, 4s},
                    VerbCase{"drop", at_request(Verb::drop), 1s, 1s},
                    VerbCase{"duplicate", at_request(Verb::duplicate, 3s), 1s, 4s},
                    VerbCase{"of_servers", at_two(kOfServers, "server-1"), 2s, 2s},
                    VerbCase{"of_servers_for_a_while", at_two(kOfServers, "server-1", 3s), 2s, 5s},
                    VerbCase{"slow", at_two(Verb::slow, "server-1", 3s), 2s, 5s}),
    [](const auto& each) { return each.param.name; });

// The time at which a server applied each message of no step, under a fault on one of them.
std::vector<std::pair<Duration, std::string>> applied_by_first(const Fault& fault) {
  EchoWorld world(1, 2);
  world.client().script = [&](EchoClient& self) {
    self.ask(world.server(1), "one", {}, Role{});
    self.ask(world.server(2), "two", {}, Role{});
    self.ask(world.server(1), "step");
    self.ask(world.server(1), "three", {}, Role{});
  };
  world.run({fault});
  EXPECT_EQ(world.simulation.nemesis.fired().size(), 1u);
  return world.server(1).log;
}

Fault late_message(std::string target, std::uint32_t nth, std::string on = {}) {
  return {.verb = Verb::delay,
          .target = std::move(target),
          .trigger = {.nth = nth, .on = std::move(on)},
          .lasts = 3s};
}

TEST(Nemesis, CountsTheMessagesOfNoStepByTheirSenderAndReceiver) {
  using Log = std::vector<std::pair<Duration, std::string>>;
  EXPECT_EQ(applied_by_first(late_message("client-1", 2, "server-1")),
            (Log{{kWay, "one"}, {5 * kWay, "step"}, {3s + 7 * kWay, "three"}}));
  EXPECT_EQ(applied_by_first(late_message("client-1", 2)),
            (Log{{kWay, "one"}, {3s + 5 * kWay, "step"}, {3s + 7 * kWay, "three"}}))
      << "the second of all";
  EXPECT_EQ(applied_by_first(late_message("server-1", 2)),
            (Log{{kWay, "one"}, {5 * kWay, "step"}, {7 * kWay, "three"}}))
      << "the answer to the third";
}

TEST(Nemesis, RepeatsNoMessageOfNoStepToTheEndThatHasOpenedTheConnection) {
  for (const char* sender : {"client-1", "server-1"}) {
    EchoWorld world;
    world.client().script = [&](EchoClient& self) { self.ask(world.server(), "one", {}, Role{}); };
    Fault twice = late_message(sender, 1);
    twice.verb = Verb::duplicate;
    world.run({twice});
    const bool has_effect = std::string_view(sender) == "client-1";
    EXPECT_EQ(world.server().applied(), has_effect ? "one one" : "one");
    EXPECT_EQ(world.simulation.nemesis.fired()[0].in_vain.empty(), has_effect);
  }
}

TEST(Nemesis, SaysWhichMessageOfNoStepItStruck) {
  EchoWorld world(1, 1, 1, true);
  world.client().script = [&](EchoClient& self) { self.ask(world.server(), "one", {}, Role{}); };
  world.run({late_message("server-1", 1, "client-1")});
  EXPECT_EQ(world.client().told[0].at, 3s + 2 * kWay);
  const auto fired = std::find_if(world.occurrences.begin(), world.occurrences.end(),
                                  [](const auto& e) { return e.what == Occurred::fault_fired; });
  ASSERT_NE(fired, world.occurrences.end());
  EXPECT_EQ(fired->request, 2u) << "the answer is the second message of the run";
}

// The answer to a copy reaches no client, even if another message later uses its slot.
TEST(Nemesis, LosesTheAnswerToACopyAndNoOther) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) {
    self.ask(world.server(), "one");
    self.sleep(4s);
    for (const char* word : {"two", "three", "four"}) self.ask(world.server(), word, 1s);
  };
  Fault slow{.verb = Verb::slow, .target = "client-1", .lasts = 9s, .step = 1ms};
  slow.trigger.at = kStart + 3500ms;
  world.run({at_request(Verb::duplicate, 3s), slow});
  EXPECT_EQ(world.server().applied(), "one one two three four");
  ASSERT_EQ(world.client().told.size(), 4u);
  for (const Told& told : world.client().told) EXPECT_EQ(told.status, Answer::Status::ok);
}

TEST(Nemesis, EndsTheOldestThreadAndSaysSo) {
  EchoWorld world;
  for (int i = 0; i < 2; ++i) {
    world.client().run([i](EchoClient& self) {
      self.simulation().scheduler.running()->tag = static_cast<Tag>(7 + i);
      self.sleep(5s);
      self.note_time();
    });
  }
  world.run({at_two(Verb::end_thread, "client-1")});
  EXPECT_THAT(world.client().times, ElementsAre(5s));
  const auto ended = std::find_if(world.occurrences.begin(), world.occurrences.end(),
                                  [](const auto& e) { return e.what == Occurred::thread_ended; });
  ASSERT_NE(ended, world.occurrences.end());
  EXPECT_EQ(ended->tag, 7u);
  EXPECT_EQ(ended->thread, 1u);
  EXPECT_EQ(since_start(ended->at), 2s);
}

TEST(Nemesis, RestartsAtOnceAndKeepsWhatItIsTold) {
  EchoWorld world;
  Fault restart = at_two(Verb::restart, "server-1");
  restart.keeps = Keeps::fsynced;
  world.client().script = [](EchoClient& self) { self.sleep(5s); };
  world.run({restart});
  EXPECT_THAT(world.server().starts, ElementsAre(Keeps::all, Keeps::fsynced));
  EXPECT_EQ(world.server().process().incarnation(), 1u);
}

TEST(Nemesis, HandsAVerbThatItDoesNotKnowToEveryProgram) {
  EchoWorld world(2, 3);
  world.client().script = [&](EchoClient& self) { self.sleep(10s); };
  Fault at_once = at_two(kOfServers, "client-2");
  at_once.key = "a";
  Fault lasting = at_two(kOfServers, "server-2", 3s);
  lasting.key = "b";
  lasting.to = "server-3";
  world.run({at_once, lasting});
  for (EchoServer& server : world.servers) {
    EXPECT_THAT(server.strikes,
                ElementsAre("2s struck client-2 a", "2s struck server-2 b to server-3",
                            "5s relieved server-2 b to server-3"));
  }
}

// Data that waits in the kernel to be sent is lost with the machine.
TEST(Nemesis, CrashesAHostWithWhatItsKernelHadStillToSend) {
  const auto told = [](bool host) {
    EchoWorld world;
    world.client().script = [&](EchoClient& self) {
      self.ask_beside(world.server(), "x");
      self.sleep(10s);
    };
    Fault crash = at_two(Verb::crash, "server-1");
    crash.host = host;
    world.run({{.verb = Verb::partition,
                .target = "server-1",
                .trigger = {.at = kStart},
                .lasts = 5s,
                .inbound = false},
               crash});
    return world.client().told.at(0).status;
  };
  EXPECT_EQ(told(false), Status::ok);
  EXPECT_EQ(told(true), Status::reset);
}

TEST(Nemesis, RefusesASecondProcessThatIsNotThere) {
  EchoWorld world;
  Fault fault = at_two(kOfServers, "server-1");
  fault.to = "server-9";
  EXPECT_THROW(world.run({fault}), std::invalid_argument);
}

TEST(Nemesis, HealsEveryPartitionAndHoldOfItsTarget) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) { self.ask(world.server(), "x"); };
  world.run(
      {{.verb = Verb::partition, .target = "client-1", .trigger = {.at = kStart}, .lasts = 60s},
       at_request(Verb::hold, 60s),
       at_two(Verb::heal, "client-1")});
  EXPECT_EQ(world.client().told[0].at, 2s + 2 * kWay);
  EXPECT_THAT(healed(world), testing::UnorderedElementsAre(0u, 1u));
}

TEST(Nemesis, StopsNothingWhereNothingRuns) {
  EchoWorld world;
  Fault pause{.verb = Verb::pause, .target = "server-1", .lasts = 60s};
  pause.trigger.at = kStart + 3s;
  world.client().script = [&](EchoClient& self) {
    self.sleep(6s);
    self.ask(world.server(), "x", 1s);  // the connection is broken
    self.ask(world.server(), "y", 1s);
  };
  world.run({at_two(Verb::restart, "server-1", 3s), pause});
  EXPECT_EQ(world.client().told.back().status, Answer::Status::ok);
}

// A crash ends the pause that came before it. The scheduled end of that pause must not end a later
// pause.
TEST(Nemesis, EndsNoLaterPauseWithThatOfADeadIncarnation) {
  EchoWorld world;
  world.run(
      {pause_client({.at = kStart}, 10s),
       {.verb = Verb::crash, .target = "client-1", .trigger = {.at = kStart + 1s}, .lasts = 1s},
       pause_client({.at = kStart + 3s}, 20s),
       {.verb = kOfServers, .target = "server-1", .trigger = {.at = kStart + 15s}}});
  EXPECT_FALSE(world.client().process().paused());

  EchoWorld watched;
  bool paused = false;
  watched.at(15s, [&] { paused = watched.client().process().paused(); });
  watched.run(
      {pause_client({.at = kStart}, 10s),
       {.verb = Verb::crash, .target = "client-1", .trigger = {.at = kStart + 1s}, .lasts = 1s},
       pause_client({.at = kStart + 3s}, 20s)});
  EXPECT_TRUE(paused);
}

TEST(Nemesis, EndsNoLaterPartitionWithOneThatWasHealed) {
  EchoWorld world;
  world.client().script = [&](EchoClient& self) {
    self.sleep(4s);
    self.ask(world.server(), "x");
  };
  const auto cut = [](Duration from, Duration lasts) {
    return Fault{.verb = Verb::partition,
                 .target = "client-1",
                 .trigger = {.at = kStart + from},
                 .lasts = lasts};
  };
  world.run({cut(0s, 10s), at_two(Verb::heal, "client-1"), cut(3s, 20s)});
  EXPECT_EQ(world.server().log[0].first, 23s + kWay);
  EXPECT_THAT(healed(world), ElementsAre(0u));
}

TEST(Nemesis, KnowsAfterARunWhetherAPartitionHasStoppedAnything) {
  const auto in_vain = [](Duration asks_at) {
    EchoWorld world;
    world.client().script = [&](EchoClient& self) {
      self.sleep(asks_at);
      self.ask(world.server(), "x");
    };
    world.run({{.verb = Verb::partition,
                .target = "client-1",
                .trigger = {.at = kStart + 2s},
                .lasts = 1s}});
    world.simulation.nemesis.settle();
    return std::string(world.simulation.nemesis.fired()[0].in_vain);
  };
  EXPECT_EQ(in_vain(2500ms), "");
  EXPECT_EQ(in_vain(5s), "nothing was sent that it could stop");
}

TEST(Nemesis, GivesAClockBackTheRateItHad) {
  EchoWorld world(0, 0);
  Simulation& simulation = world.simulation;
  Process& drifting = simulation.scheduler.processes().add("drifting", {}, 250'000'000);
  world.run({{.verb = Verb::set_clock_rate,
              .target = "drifting",
              .trigger = {.at = kStart + 4s},
              .lasts = 2s,
              .rate_ppb = 0}});
  EXPECT_EQ(drifting.clock().rate_ppb(), 250'000'000);
}

TEST(Nemesis, StaysSlowUntilTheLastOfSeveralEnds) {
  EchoWorld world;
  const auto slow = [](Duration from, Duration lasts) {
    return Fault{.verb = Verb::slow,
                 .target = "server-1",
                 .trigger = {.at = kStart + from},
                 .lasts = lasts,
                 .step = 5ms};
  };
  world.client().script = [&](EchoClient& self) {
    self.sleep(3s);
    self.ask(world.server(), "x");
  };
  world.run({slow(0s, 10s), slow(1s, 1s)});
  EXPECT_EQ(world.server().log[0].first, 3s + kWay + 5ms);
}

// A slow time has done its part only when the messages that waited for their turn are handled.
TEST(Nemesis, CountsASlowTimeUntilWhatWasSentInItIsHandled) {
  EchoWorld world;
  world.server().process().set_service(1s);
  world.client().script = [&world](EchoClient& self) {
    self.sleep(3s);
    self.ask(world.server(), "x");
    self.sleep(10s);
  };
  Fault slow = at_two(Verb::slow, "server-1", 2s);
  slow.step = 5s;
  world.run({slow});
  EXPECT_THAT(fates(world), ElementsAre(std::tuple(Occurred::fault_fired, 0u, 2s),
                                        std::tuple(Occurred::fault_ended, 0u, 4s)));
  EXPECT_EQ(since_start(world.simulation.nemesis.last_end()), 5s);
}

}  // namespace
}  // namespace picklock::sim
