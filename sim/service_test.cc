#include "sim/service.h"

#include <gmock/gmock.h>

#include <map>

#include "testing/echo_world.h"

namespace picklock::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

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
  const Trace& trace = world.simulation.scheduler.record().tracer().trace();
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

// ---------------------------------------------------------------- answers in the trace

// The bytes of each message that was sent, and of the message that it answers.
std::vector<std::pair<std::string, std::string>> sent(const Trace& trace) {
  std::vector<std::pair<std::string, std::string>> all;
  std::map<std::uint32_t, std::string> bytes = {{0, "nothing"}};
  for (const TraceRecord& record : trace.records) {
    if (record.kind != TraceKind::sent) continue;
    bytes[record.message] = trace.payload(record);
    all.emplace_back(bytes[record.message], bytes.at(record.answers));
  }
  return all;
}

TEST(Service, NamesInTheTraceTheRequestThatAnAnswerBelongsTo) {
  EchoWorld world(1, 2, 1, true);
  world.server(1).process().set_service(1s);
  world.server(1).reply = "slow";
  world.server(2).reply = "fast";
  world.client().script = [&](EchoClient& self) {
    self.ask_beside(world.server(1), "a");
    self.ask_beside(world.server(2), "b");
  };
  world.run();
  EXPECT_THAT(sent(world.simulation.scheduler.record().tracer().trace()),
              ElementsAre(std::pair("a", "nothing"), std::pair("b", "nothing"),
                          std::pair("fast", "b"), std::pair("slow", "a")));
}

TEST(Service, AnswersTheCopyOfARequestAndNotTheRequestAgain) {
  EchoWorld world(1, 1, 1, true);
  world.client().script = [&](EchoClient& self) { self.ask(world.server(), "a"); };
  world.run({{.verb = Verb::duplicate,
              .target = "client-1",
              .trigger = {.role = kAsk, .phase = Phase::sent},
              .lasts = 1s}});
  std::vector<std::uint32_t> requests;
  std::vector<std::uint32_t> copies;
  std::vector<std::uint32_t> answered;
  for (const TraceRecord& record : world.simulation.scheduler.record().tracer().trace().records) {
    if (record.kind == TraceKind::copied) copies.push_back(record.message);
    if (record.kind != TraceKind::sent && record.kind != TraceKind::copied) continue;
    (record.reply ? answered : requests).push_back(record.reply ? record.answers : record.message);
  }
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(copies, std::vector(1, requests[1])) << "its client has sent one of them";
  EXPECT_EQ(answered, requests);
}

TEST(Service, AnswersNothingWithAnUnaskedMessage) {
  EchoWorld world(1, 1, 1, true);
  world.client().script = [&](EchoClient& self) {
    Network& network = self.simulation().network;
    Connection& connection = network.connect(self.process(), self.caller(world.server()),
                                             world.server().process(), world.server(), kEcho);
    self.ask_beside(world.server(), "a");
    Message& news = network.make(connection, 1);
    news.payload.append("news");
    network.send_unasked(news);
  };
  world.run();
  EXPECT_THAT(sent(world.simulation.scheduler.record().tracer().trace()),
              UnorderedElementsAre(std::pair("a", "nothing"), std::pair("news", "nothing"),
                                   std::pair("a", "a")));
}

}  // namespace
}  // namespace picklock::sim
