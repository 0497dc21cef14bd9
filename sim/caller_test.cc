#include "sim/caller.h"

#include <gmock/gmock.h>

#include "testing/echo_world.h"

namespace picklock::sim {
namespace {

using Status = Answer::Status;
using testing::ElementsAre;

// Its server needs a second for each request.
class CallerTest : public testing::Test {
 protected:
  CallerTest() {
    for (EchoServer& server : world.servers) server.process().set_service(1s);
  }
  Caller& caller() { return world.client().caller(world.server(1)); }

  EchoWorld world{1, 2};
};

TEST_F(CallerTest, HangsUpOnRequestsOfEveryThreadAtOnce) {
  world.client().script = [&](EchoClient& self) {
    self.ask_beside(world.server(), "a", 10s);
    self.ask_beside(world.server(), "b");
  };
  world.at(500ms, [&] { caller().hang_up(); });
  world.run();
  EXPECT_THAT(world.client().told,
              ElementsAre(Told{Status::reset, "", 500ms}, Told{Status::reset, "", 500ms}));
}

TEST_F(CallerTest, DialsAnewAfterItHasHungUp) {
  world.client().script = [&](EchoClient& self) {
    EXPECT_TRUE(caller().connected());
    caller().hang_up();
    EXPECT_FALSE(caller().connected());
    self.ask(world.server(), "a");
    EXPECT_TRUE(caller().connected());
  };
  world.run();
  EXPECT_THAT(world.client().told, ElementsAre(Told{Status::ok, "a", 1s + 4 * kWay}));
}

TEST_F(CallerTest, HearsNoAnswerOnAConnectionThatItHungUp) {
  world.client().script = [&](EchoClient& self) {
    self.ask_beside(world.server(), "late");
    self.sleep(500ms);
    caller().hang_up();
    self.ask(world.server(), "next");
  };
  world.run();
  EXPECT_EQ(world.server().applied(), "late next");
  EXPECT_EQ(world.client().told.back().bytes, "next");
}

TEST_F(CallerTest, HasNothingToHangUpWithoutAConnection) {
  world.client().script = [&](EchoClient& self) {
    caller().hang_up();
    caller().hang_up();
    self.ask(world.server(), "a");
  };
  world.run();
  EXPECT_EQ(world.client().told[0].status, Status::ok);
}

TEST_F(CallerTest, TellsItsListenerThatItHasHungUp) {
  int lost = 0;
  world.client().script = [&](EchoClient&) {
    caller().listen({.self = &lost, .lost = [](void* self) { ++*static_cast<int*>(self); }});
    caller().hang_up();
    caller().hang_up();
  };
  world.run();
  EXPECT_EQ(lost, 1);
}

TEST_F(CallerTest, DialsWhomItWasAimedAtOnceItsConnectionIsGone) {
  world.client().script = [&](EchoClient& self) {
    caller().aim(world.server(2).process(), world.server(2));
    self.ask(world.server(1), "a");
    caller().hang_up();
    self.ask(world.server(1), "b");
  };
  world.run();
  EXPECT_EQ(world.server(1).applied(), "a");
  EXPECT_EQ(world.server(2).applied(), "b");
}

TEST_F(CallerTest, TakesItsStepsAtTheServerOfItsConnectionWhereverItIsAimed) {
  world.client().script = [&](EchoClient& self) {
    caller().aim(world.server(2).process(), world.server(2));
    self.ask(world.server(1), "a");
  };
  world.run({{.verb = Verb::drop,
              .target = "client-1",
              .trigger = {.role = kAsk, .phase = Phase::sent, .on = "server-1"}}});
  EXPECT_EQ(world.client().told[0].status, Status::reset);
}

// ---------------------------------------------------------------- unasked messages

// A thread that waits for a connection has no request yet, so a message that answers none must not
// be taken for its answer.
TEST_F(CallerTest, PassesAnUnaskedMessageOnWhileItDials) {
  std::string heard;
  world.client().script = [&](EchoClient& self) {
    caller().listen({.self = &heard, .came = [](void* text, std::string_view bytes, Tag) {
                       static_cast<std::string*>(text)->append(bytes);
                     }});
    caller().hang_up();
    Network& network = self.simulation().network;
    Connection& other =
        network.connect(self.process(), caller(), world.server().process(), world.server(), kEcho);
    Message& news = network.make(other, 1);
    news.payload.append("news");
    network.send_unasked(news);
    self.ask(world.server(), "a");
  };
  world.run();
  EXPECT_EQ(heard, "news");
  EXPECT_EQ(world.client().told, std::vector({Told{Status::ok, "a", 1s + 4 * kWay}}));
}

// ---------------------------------------------------------------- interrupts

auto filled(std::string_view text) {
  return [text](Payload& payload) { payload.append(text); };
}

// Requests "a", is interrupted after half a second and receives the answer late.
class InterruptedCaller : public CallerTest {
 protected:
  void play(std::function<void(EchoClient&)> then, Duration patience = {}) {
    world.client().script = [this, then, patience](EchoClient& self) {
      thread = self.simulation().scheduler.running();
      status = caller()
                   .call_interruptibly(kAsk, patience, filled("a"),
                                       [this](std::string_view bytes) {
                                         late.emplace_back(bytes);
                                         late_at = since_start(world.simulation.now());
                                       })
                   .status();
      self.note_time();
      then(self);
    };
    world.at(500ms, [this] { world.simulation.scheduler.threads().interrupt(*thread); });
    world.run();
  }

  Thread* thread = nullptr;
  Status status{};
  std::vector<std::string> late;
  Duration late_at{};
};

TEST_F(InterruptedCaller, WaitsNoLongerAndHearsTheAnswerLate) {
  play([](EchoClient& self) { self.sleep(5s); });
  EXPECT_EQ(status, Status::interrupted);
  EXPECT_THAT(world.client().times, ElementsAre(500ms));
  EXPECT_THAT(late, ElementsAre("a"));
  EXPECT_EQ(late_at, 1s + 2 * kWay);
}

TEST_F(InterruptedCaller, HearsItsOwnLateAnswerAlone) {
  play([this](EchoClient& self) { self.ask(world.server(), "b"); });
  EXPECT_THAT(late, ElementsAre("a"));
  EXPECT_EQ(world.client().told[0].bytes, "b");
}

TEST_F(InterruptedCaller, HearsNoLateAnswerOnAConnectionThatIsGone) {
  play([this](EchoClient& self) {
    caller().hang_up();
    self.sleep(5s);
  });
  EXPECT_EQ(status, Status::interrupted);
  EXPECT_THAT(late, ElementsAre());
}

TEST_F(InterruptedCaller, HasItsAnswerWhereItWasInTime) {
  world.server().process().set_service(100ms);
  play([](EchoClient& self) { self.sleep(5s); });
  EXPECT_EQ(status, Status::ok);
  EXPECT_THAT(late, ElementsAre());
}

TEST_F(CallerTest, SendsWhatAThreadAsksThatWasInterruptedBefore) {
  bool heard = false;
  world.client().script = [&](EchoClient& self) {
    self.simulation().scheduler.threads().interrupt(*self.simulation().scheduler.running());
    EXPECT_EQ(
        caller()
            .call_interruptibly(kAsk, 0s, filled("a"), [&](std::string_view) { heard = true; })
            .status(),
        Status::interrupted);
    self.note_time();
    self.sleep(5s);
  };
  world.run();
  EXPECT_THAT(world.client().times, ElementsAre(0s));
  EXPECT_EQ(world.server().applied(), "a");
  EXPECT_TRUE(heard);
}

TEST_F(CallerTest, IsNotInterruptedInAnOrdinaryCall) {
  Thread* thread = nullptr;
  world.client().script = [&](EchoClient& self) {
    thread = self.simulation().scheduler.running();
    self.ask(world.server(), "a");
  };
  world.at(500ms, [&] { world.simulation.scheduler.threads().interrupt(*thread); });
  world.run();
  EXPECT_THAT(world.client().told, ElementsAre(Told{Status::ok, "a", 1s + 2 * kWay}));
}

// ---------------------------------------------------------------- two requests at once, and posts

// The server works on one after the other.
std::pair<Told, Told> both(EchoWorld& world, Caller& caller, Duration patience) {
  std::pair<Told, Told> told;
  world.client().script = [&told, &caller, patience](EchoClient& self) {
    const auto [one, other] = caller.call_both(kAsk, patience, filled("a"), filled("b"));
    const Duration at = since_start(self.simulation().now());
    told = {{one.status(), std::string(one.bytes()), at},
            {other.status(), std::string(other.bytes()), at}};
  };
  world.run();
  return told;
}

TEST_F(CallerTest, SendsTwoRequestsAtOnceAndAwaitsBothAnswers) {
  const auto [one, other] = both(world, caller(), {});
  EXPECT_EQ(one, (Told{Status::ok, "a", 2s + 2 * kWay}));
  EXPECT_EQ(other, (Told{Status::ok, "b", 2s + 2 * kWay}));
  EXPECT_EQ(world.server().applied(), "a b");
}

TEST_F(CallerTest, KnowsTheFirstOfTwoAnswersWhereTheSecondIsLate) {
  const auto [one, other] = both(world, caller(), 1500ms);
  EXPECT_EQ(one, (Told{Status::ok, "a", 1500ms}));
  EXPECT_EQ(other, (Told{Status::timed_out, "", 1500ms}));
}

TEST_F(CallerTest, KnowsNeitherOfTwoAnswersOnceTheConnectionIsGone) {
  Caller& mine = caller();
  world.at(500ms, [&] { mine.hang_up(); });
  const auto [one, other] = both(world, mine, {});
  EXPECT_EQ(one, (Told{Status::reset, "", 500ms}));
  EXPECT_EQ(other, (Told{Status::reset, "", 500ms}));
}

TEST_F(CallerTest, PostsWithoutWaitingWhereAConnectionStands) {
  world.client().script = [&](EchoClient& self) {
    EXPECT_TRUE(caller().post(kAsk, filled("a")));
    self.note_time();
    self.ask(world.server(), "b");
    caller().hang_up();
    EXPECT_FALSE(caller().post(kAsk, filled("c")));
  };
  world.run();
  EXPECT_THAT(world.client().times, ElementsAre(0s));
  EXPECT_EQ(world.server().applied(), "a b");
  EXPECT_EQ(world.client().told[0].bytes, "b");
}

TEST_F(CallerTest, KeepsAConnectionThroughATimeOutIfToldTo) {
  for (const bool keeps : {true, false}) {
    EchoWorld all;
    all.server().process().set_service(1s);
    all.client().script = [&](EchoClient& self) {
      Caller& mine = self.caller(all.server());
      mine.keep_after_timeout(keeps);
      self.ask(all.server(), "a", 500ms);
      EXPECT_EQ(mine.connected(), keeps);
      self.ask(all.server(), "b", 5s);
    };
    all.run();
    EXPECT_EQ(all.client().told[0].status, Status::timed_out);
    EXPECT_EQ(all.client().told[1].bytes, "b");
  }
}

}  // namespace
}  // namespace picklock::sim
