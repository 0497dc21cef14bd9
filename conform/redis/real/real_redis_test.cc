#include "conform/redis/real/real_redis.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "models/redis/wire.h"
#include "testing/conform/real_redis_world.h"

namespace picklock::conform::redis::real {
namespace {

using namespace std::chrono_literals;

TEST(RealRedis, AnswersEachThreadItsOwnOverOneConnection) {
  RealWorld world(1, 1);
  std::vector<std::string> answers(20);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    world.client(1, [&, i](RealWorld&, picklock::Client& self) {
      const std::string key = "key-" + std::to_string(i);
      picklock::redis::server(self).set(key, std::to_string(i));
      answers[i] = picklock::redis::server(self).get(key).text;
    });
  }
  world.run();
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i], std::to_string(i));
  // Ours and the onlooker's.
  const std::string clients = world.onlookers[0].ask({"INFO", "clients"}).text;
  EXPECT_THAT(clients, testing::HasSubstr("connected_clients:2\r\n"));
}

TEST(RealRedis, CarriesAnswersThatComeInManyPieces) {
  RealWorld world(1, 1);
  const std::string large(3'000'000, 'x');
  bool same = false;
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    picklock::redis::server(self).set("key", large);
    same = picklock::redis::server(self).get("key").is_bulk(large);
  });
  world.run();
  EXPECT_TRUE(same);
}

TEST(RealRedis, RunsScripts) {
  RealWorld world(1, 1);
  const Script script("return {KEYS[1], ARGV[1], redis.call('incr', KEYS[1])}");
  Reply unknown;
  Reply reply;
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    unknown = picklock::redis::server(self).evalsha(script, {"key"}, {"a"});
    reply = picklock::redis::server(self).eval(script, {"key"}, {"a"});
  });
  world.run();
  EXPECT_TRUE(unknown.is_error());
  EXPECT_THAT(unknown.text, testing::StartsWith("NOSCRIPT"));
  ASSERT_EQ(reply.elements.size(), 3u);
  EXPECT_TRUE(reply.elements[1].is_bulk("a"));
  EXPECT_TRUE(reply.elements[2].is_integer(1));
}

TEST(RealRedis, LeavesAClientInDoubtWhoseConnectionItCloses) {
  RealWorld world(1, 1);
  Reply lost;
  Reply after;
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    const std::string_view id_of[] = {"CLIENT", "ID"};
    const auto id = std::to_string(picklock::redis::server(self).call(Role::none, id_of).integer);
    self.spawn([&, id](picklock::Client& other) {
      other.sleep(20ms);
      world.onlookers[0].ask({"CLIENT", "KILL", "ID", id});
    });
    const std::string_view waits[] = {"BLPOP", "list", "0"};
    lost = picklock::redis::server(self).call(Role::none, waits);
    after = picklock::redis::server(self).set("key", "value");
  });
  world.run();
  EXPECT_EQ(lost.kind, Reply::Kind::unknown);
  EXPECT_TRUE(after.ok()) << "a new connection is dialled";
}

// On one connection the second command would wait for the first.
TEST(RealRedis, IsAskedOverSeveralConnectionsAtOnce) {
  RealWorld world(1, 1, {.command_timeout = RealWorld::kCommandTimeout, .connections = 2});
  Reply popped;
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    bool over = false;
    self.spawn([&](picklock::Client& other) {
      const std::string_view waits[] = {"BLPOP", "list", "0"};
      popped = picklock::redis::server(other).call(Role::none, waits);
      over = true;
    });
    self.sleep(20ms);
    const std::string_view pushes[] = {"RPUSH", "list", "value"};
    picklock::redis::server(self).call(Role::none, pushes);
    while (!over) self.sleep(1ms);
  });
  world.run();
  ASSERT_EQ(popped.elements.size(), 2u);
  EXPECT_TRUE(popped.elements[1].is_bulk("value"));
}

TEST(RealRedis, LetsClientsLosePatience) {
  RealWorld world(1, 1, {.command_timeout = 100ms});
  Reply late;
  Duration waited{};
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    const Duration begun = self.monotonic_now();
    const std::string_view waits[] = {"BLPOP", "list", "0"};
    late = picklock::redis::server(self).call(Role::none, waits);
    waited = self.monotonic_now() - begun;
  });
  world.run();
  EXPECT_EQ(late.kind, Reply::Kind::unknown);
  EXPECT_GE(waited, 100ms);
}

TEST(RealRedis, CannotBeReachedWhereNobodyListens) {
  RealWorld world(1, 1);
  RealRedis nobody(world.simulation, world.simulation.scheduler.processes().add("redis-9"),
                   {"127.0.0.1", 1});
  world.time->watch(nobody);
  const Node nodes[] = {nobody.node()};
  world.connections[0].reset(world.simulation, world.simulation.scheduler.processes().at(0), nodes,
                             {.command_timeout = 60s});
  Reply reply;
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    reply = picklock::redis::server(self).get("key");
  });
  world.run();
  EXPECT_FALSE(reply.answered());
}

// The messages that a subscriber's connection gets, and its requests.
class Subscriber {
 public:
  void reset(RealWorld& world) {
    world_ = &world;
    caller_.reset(world.simulation, world.simulation.scheduler.processes().at(0),
                  *world.servers[0].node().process, world.servers[0], protocol());
    caller_.listen(
        {.self = this, .came = [](void* self, std::string_view bytes, history::TenureId) {
           Reply message;
           read_reply(bytes, message);
           std::string& text = static_cast<Subscriber*>(self)->heard.emplace_back();
           for (const Reply& element : message.elements) text += element.text + " ";
         }});
  }
  Reply ask(std::initializer_list<std::string_view> argv) {
    const sim::Answer answer = caller_.call({}, 60s, [&](sim::Payload& payload) {
      write_request(payload, {argv.begin(), argv.size()});
    });
    Reply reply;
    std::string_view bytes = answer.bytes();
    read_reply(bytes, reply);
    rest = bytes;
    return reply;
  }

  std::vector<std::string> heard;
  std::string rest;  // of the last answer

 private:
  RealWorld* world_ = nullptr;
  sim::Caller caller_;
};

TEST(RealRedis, TellsMessagesOfChannelsFromAnswers) {
  RealWorld world(1, 1);
  Subscriber subscriber;
  subscriber.reset(world);
  Reply confirmed;
  std::string second;
  Reply pong;
  Reply left;
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    confirmed = subscriber.ask({"SUBSCRIBE", "one", "two"});
    second = subscriber.rest;
    for (const char* channel : {"one", "two"})
      world.onlookers[0].ask({"PUBLISH", channel, "hello"});
    pong = subscriber.ask({"PING"});
    left = subscriber.ask({"UNSUBSCRIBE", "one"});
    world.onlookers[0].ask({"PUBLISH", "one", "nobody hears it"});
    world.onlookers[0].ask({"PUBLISH", "two", "bye"});
    while (subscriber.heard.size() < 3) self.sleep(1ms);
  });
  world.run();
  EXPECT_THAT(subscriber.heard,
              testing::ElementsAre("message one hello ", "message two hello ", "message two bye "));
  ASSERT_EQ(confirmed.elements.size(), 3u);
  EXPECT_TRUE(confirmed.elements[1].is_bulk("one"));
  EXPECT_THAT(second, testing::HasSubstr("two"));
  ASSERT_EQ(pong.elements.size(), 2u);
  EXPECT_TRUE(pong.elements[0].is_bulk("pong"));
  ASSERT_EQ(left.elements.size(), 3u);
  EXPECT_TRUE(left.elements[2].is_integer(1));
}

TEST(RealTime, GoesByTheMachinesClocks) {
  RealWorld world(1, 1);
  const auto begun = std::chrono::steady_clock::now();
  Duration slept{};
  Duration wall{};
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    const Duration from = self.monotonic_now();
    self.sleep(50ms);
    slept = self.monotonic_now() - from;
    wall = self.wall_now();
  });
  world.run();
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 50ms);
  EXPECT_GE(slept, 50ms);
  const Duration difference = std::chrono::system_clock::now().time_since_epoch() - wall;
  EXPECT_LT(difference < Duration::zero() ? -difference : difference, 60s);
}

TEST(RealTime, EndsARunThatWaitsForNothing) {
  RealWorld world(1, 1);
  bool ended = false;
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    self.spawn([&](picklock::Client& other) { other.sleep(3600s); });  // nobody waits for it
    self.sleep(1ms);
    ended = true;
  });
  world.run();
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace picklock::conform::redis::real
