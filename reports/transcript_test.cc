#include "reports/transcript.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "models/locks/redisson/scripts.h"
#include "testing/sample_run.h"

namespace picklock::reports {
namespace {

using history::What;
using sim::TraceKind;
using testing::at_ms;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::RunBuilder;

enum : sim::ProcessId { client_1, client_2, redis, replica };

RunBuilder two_clients() {
  return RunBuilder({"client-1", "client-2", "redis-1", "redis-1-replica-1"});
}

Transcript transcript_of(const RunBuilder& b) { return transcribe(b.run, Narrator(b.run)); }

std::vector<std::string> answers(const Transcript& transcript) {
  std::vector<std::string> all;
  for (const Exchange& exchange : transcript.exchanges)
    all.push_back(exchange.text + " -> " + exchange.answer);
  return all;
}

std::uint32_t arriving(RunBuilder& b, std::int64_t ms, std::string_view text) {
  const auto request = b.send(at_ms(ms), client_1, redis, Role::acquire, 1, text);
  b.message(at_ms(ms), TraceKind::delivered, request, client_1, redis);
  return request;
}

std::uint32_t answered(RunBuilder& b, std::int64_t ms, std::uint32_t request,
                       std::string_view text) {
  const auto reply = b.answer(at_ms(ms), request, redis, client_1, Role::acquire, 1, text);
  b.message(at_ms(ms), TraceKind::delivered, reply, redis, client_1);
  return reply;
}

// Two connections of one client keep no order between them.
TEST(Transcript, JoinsAnswersThatCrossEachOther) {
  RunBuilder b = two_clients();
  const auto first = arriving(b, 1, "SET a");
  const auto second = arriving(b, 2, "SET b");
  answered(b, 3, second, "to b");
  answered(b, 4, first, "to a");
  EXPECT_THAT(answers(transcript_of(b)), ElementsAre("SET a -> to a", "SET b -> to b"));
}

// A crashed server answers no request that it had before, but it answers those that come later.
TEST(Transcript, GivesNoAnswerToARequestOfAServerThatCrashed) {
  RunBuilder b = two_clients();
  b.client(at_ms(0), What::acquire_invoked, client_1, 1);
  arriving(b, 1, "SET a");
  b.process(at_ms(2), TraceKind::crashed, redis);
  b.process(at_ms(3), TraceKind::started, redis);
  const auto second = arriving(b, 4, "SET a");
  b.happens({.at = at_ms(4),
             .what = What::entry_created,
             .role = Role::acquire,
             .process = redis,
             .tenure = 1});
  answered(b, 5, second, "OK");
  const Transcript transcript = transcript_of(b);
  EXPECT_THAT(answers(transcript), ElementsAre("SET a -> ", "SET a -> OK"));
  EXPECT_FALSE(transcript.exchanges[0].took);
  EXPECT_TRUE(transcript.exchanges[1].took);
}

// Its text looks like an answer, and a request is in flight.
TEST(Transcript, TakesAnUnaskedMessageForNoAnswer) {
  RunBuilder b = two_clients();
  const auto request = arriving(b, 1, "GET a");
  answered(b, 2, 0, "nil");
  answered(b, 3, request, "b");
  const Transcript transcript = transcript_of(b);
  EXPECT_THAT(answers(transcript), ElementsAre("GET a -> b", " -> nil"));
  EXPECT_FALSE(transcript.exchanges[0].pushed);
  EXPECT_TRUE(transcript.exchanges[1].pushed);
}

TEST(Transcript, TellsOfTheUnaskedMessageThatWakesItsClient) {
  for (const std::size_t waking : {0u, 1u, 2u}) {
    RunBuilder b = two_clients();
    const std::array came = {std::uint32_t{0}, answered(b, 1, 0, "one"), answered(b, 1, 0, "two")};
    b.record({.at = at_ms(1),
              .kind = TraceKind::woke,
              .process = client_1,
              .message = came.at(waking),
              .tag = 2});
    const Transcript transcript = transcript_of(b);
    EXPECT_EQ(transcript.exchanges.at(0).woke, waking == 1);
    EXPECT_EQ(transcript.exchanges.at(1).woke, waking == 2);
    EXPECT_EQ(transcript.items.size(), waking == 0 ? 0u : 1u);
  }
}

// The request has its answer; the second one is told where it arrives.
TEST(Transcript, TellsOfAnAnswerThatIsSentTwice) {
  RunBuilder b = two_clients();
  const auto request = arriving(b, 1, "SET a");
  answered(b, 2, request, "OK");
  answered(b, 3, request, "OK");
  const Transcript transcript = transcript_of(b);
  EXPECT_THAT(answers(transcript), ElementsAre("SET a -> OK", " -> OK"));
  EXPECT_EQ(transcript.exchanges[0].answered_at, at_ms(2));
  EXPECT_TRUE(transcript.exchanges[1].pushed);
  EXPECT_EQ(transcript.items.back().position, transcript.exchanges[1].answered);
}

std::string_view shrug(std::string_view request, std::string_view) {
  return request == "MAYBE" ? "perhaps" : "";
}

TEST(Transcript, TakesTheMeaningOfAnAnswerFromTheProtocolOrTheLock) {
  const sim::Protocol vague{.name = "vague", .describe = testing::as_it_is, .gloss = shrug};
  RunBuilder b = two_clients();
  b.run.trace.protocols = {&vague};
  b.run.scenario.lock.algorithm = "redisson-lock";
  const std::string script =
      "EVALSHA " + models::locks::redisson::take().sha() + " 1 lock:order-42 9000 owner";
  for (const std::string_view text : {std::string_view("MAYBE"), std::string_view(script)})
    answered(b, 2, arriving(b, 1, text), "9000");
  const Transcript transcript = transcript_of(b);
  EXPECT_EQ(transcript.exchanges[0].gloss, "perhaps");
  EXPECT_EQ(transcript.exchanges[1].gloss, "refused, 9s left");
  b.run.scenario.lock.algorithm = "lua-check-delete";
  EXPECT_EQ(transcript_of(b).exchanges[1].gloss, "");
}

TEST(Transcript, LetsABeliefBeginAgainAfterALoss) {
  RunBuilder b = two_clients();
  std::int64_t ms = 0;
  for (const What what : {What::acquire_ok, What::acquire_ok, What::loss_learned, What::acquire_ok,
                          What::acquire_ok, What::release_invoked, What::release_invoked})
    b.client(at_ms(ms++), what, client_1, 1);
  std::vector<std::pair<std::size_t, Shift>> shifts;
  for (const Change& change : transcript_of(b).changes)
    shifts.emplace_back(change.position, change.shift);
  EXPECT_THAT(shifts,
              ElementsAre(std::pair(0u, Shift::belief_begins), std::pair(2u, Shift::belief_ends),
                          std::pair(3u, Shift::belief_begins), std::pair(6u, Shift::belief_ends)));
}

// A client sends none of them, and no fault concerns the replica.
TEST(Transcript, LeavesOutWhatAServerStreamsToItsReplica) {
  RunBuilder b = two_clients();
  b.answer(at_ms(1), 0, redis, replica, Role::acquire, 1, "SET a");
  EXPECT_THAT(transcript_of(b).exchanges, IsEmpty());
  sim::Fault fault;
  fault.target = "redis-1-replica-1";
  b.run.scenario.faults = {fault};
  EXPECT_THAT(answers(transcript_of(b)), ElementsAre(" -> SET a"));
}

}  // namespace
}  // namespace picklock::reports
