// One workload, and tiny variations of it: every difference between two runs must show in the
// digest, which must be the same number in every build.
#include <gtest/gtest.h>

#include "testing/echo_world.h"

namespace picklock::sim {
namespace {

struct Variation {
  std::uint64_t seed = 1;
  Duration late_answer{};  // the 500th
  int reply_bit = -1;      // of the 500th answer
  int request_bit = -1;    // of the 500th request
  Duration late_timer{};   // of the server, with no effect of its own
  Duration long_sleep{};   // the 500th
  bool tracing = false;
};

// Answers by itself, so that one answer can be changed.
class VaryingServer final : public Service {
 public:
  VaryingServer(Simulation& simulation, const Variation& variation) : variation_(variation) {
    attach(simulation, simulation.scheduler.processes().add("server"));
  }

  void start(Keeps) override {
    timer_.bind<&VaryingServer::on_time>(simulation().scheduler, &process(), *this);
    timer_.arm(kStart + 333ms + variation_.late_timer);
  }

 private:
  void on_time() {}
  bool apply(Message& request, Payload&) override {
    Message& reply = reply_to(request);
    reply.payload.append(request.payload.view());
    if (++answers_ == 500) {
      reply.extra = variation_.late_answer;
      reply.altered = true;
      if (variation_.reply_bit >= 0) flip(reply.payload, variation_.reply_bit);
    }
    answer(request, reply);
    return false;
  }

 public:
  static void flip(Payload& payload, int bit) {
    char& byte = payload.data()[bit / 8];
    byte = static_cast<char>(byte ^ (1 << bit % 8));
  }

 private:
  const Variation& variation_;
  int answers_ = 0;
  Timer timer_;
};

std::uint64_t digest_of(const Variation& variation) {
  Simulation simulation;
  simulation.reset(variation.seed, variation.tracing);
  simulation.network.set_latency({.low = 50us, .high = 2ms, .tail_one_in = 16, .tail_high = 1s});
  Process& client = simulation.scheduler.processes().add("client");
  VaryingServer server(simulation, variation);
  Caller caller;
  caller.reset(simulation, client, server.process(), server, kEcho);
  simulation.scheduler.processes().start(server.process());
  simulation.scheduler.threads().spawn(
      client,
      [&] {
        for (int i = 1; i <= 1'000; ++i) {
          caller.call(kAsk, 10s, [&](Payload& payload) {
            payload.append("SET key value");
            if (i == 500 && variation.request_bit >= 0)
              VaryingServer::flip(payload, variation.request_bit);
          });
          simulation.scheduler.sleep(1ms + (i == 500 ? variation.long_sleep : Duration()));
        }
      },
      true);
  simulation.scheduler.run();
  return simulation.scheduler.record().digest().value();
}

// A commit that changes this number says why runs differ from those before it.
TEST(DigestSensitivity, IsTheSameNumberOnEveryBuild) {
  EXPECT_EQ(digest_of({}), 0xcca71169692687a9ull);
  EXPECT_EQ(digest_of({.seed = 2}), 0x9f285c9f97d55902ull);
}

TEST(DigestSensitivity, DoesNotDependOnTracing) {
  EXPECT_EQ(digest_of({.tracing = true}), digest_of({}));
}

TEST(DigestSensitivity, ShowsOneLatencyThatDiffersByANanosecond) {
  EXPECT_NE(digest_of({.late_answer = 1ns}), digest_of({}));
}

TEST(DigestSensitivity, ShowsOneBitOfOneReply) {
  const std::uint64_t unchanged = digest_of({});
  for (const int bit : {0, 7, 55, 103}) EXPECT_NE(digest_of({.reply_bit = bit}), unchanged) << bit;
}

TEST(DigestSensitivity, ShowsOneBitOfOneRequest) {
  const std::uint64_t unchanged = digest_of({});
  for (const int bit : {0, 7, 55, 103})
    EXPECT_NE(digest_of({.request_bit = bit}), unchanged) << bit;
}

TEST(DigestSensitivity, ShowsATimerThatDiffersByANanosecond) {
  EXPECT_NE(digest_of({.late_timer = 1ns}), digest_of({}));
}

TEST(DigestSensitivity, ShowsASleepThatDiffersByANanosecond) {
  EXPECT_NE(digest_of({.long_sleep = 1ns}), digest_of({}));
}

}  // namespace
}  // namespace picklock::sim
