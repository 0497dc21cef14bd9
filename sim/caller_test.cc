#include "sim/caller.h"

#include <gmock/gmock.h>

#include "sim/echo_world.h"

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

}  // namespace
}  // namespace picklock::sim
