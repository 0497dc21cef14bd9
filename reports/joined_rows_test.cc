#include "reports/joined_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace picklock::reports {
namespace {

using namespace std::chrono_literals;
using sim::ProcessId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ProcessId kClient1 = 0;
constexpr ProcessId kClient2 = 1;
constexpr ProcessId kRedis1 = 2;
constexpr ProcessId kRedis2 = 3;
constexpr ProcessId kRedis3 = 4;

// Rows of a story about two clients and three servers, each at its own position.
class JoinedRows : public ::testing::Test {
 protected:
  Row& add(RowKind kind, ProcessId from, ProcessId to, std::string text, sim::Duration at = 0ms) {
    Row& row = rows.emplace_back();
    row.kind = kind;
    row.at = sim::kStart + at;
    row.until = row.at;
    row.from = from;
    row.to = to;
    row.text = std::move(text);
    row.processes = {from, to};
    row.tenure = from + 1;
    row.position = 10 * rows.size();
    row.last = row.position + 9;
    return row;
  }

  Row& request(ProcessId server, std::string text, std::string answer, sim::Duration at = 0ms) {
    Row& row = add(RowKind::exchange, kClient1, server, std::move(text), at);
    row.answer = std::move(answer);
    return row;
  }

  Row& event(ProcessId process, std::string text, sim::Duration at = 0ms) {
    return add(RowKind::event, process, process, std::move(text), at);
  }

  std::vector<Row> joined() const { return joined_rows(rows, Narrator(run), changes); }

  scenarios::Run run = [] {
    scenarios::Run made;
    made.processes = {"client-1", "client-2", "redis-1", "redis-2", "redis-3"};
    return made;
  }();
  std::vector<Row> rows;
  std::vector<Change> changes;
};

TEST_F(JoinedRows, ARequestThatServersAnswerAlikeIsOneRow) {
  request(kRedis2, "SET k", "OK");
  request(kRedis1, "SET k", "OK");
  request(kRedis3, "SET k", "OK").outcome = "client-1 holds the lock";
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].text, "SET k");
  EXPECT_EQ(all[0].answer, "OK");
  EXPECT_EQ(consequence(all[0]), ", client-1 holds the lock");
  EXPECT_THAT(servers_of(all[0]), ElementsAre(kRedis1, kRedis2, kRedis3));
  EXPECT_EQ(all[0].last, rows[2].last);
}

TEST_F(JoinedRows, UnlikeAnswersAreToldWithTheirServers) {
  request(kRedis1, "SET k", "OK");
  Row& refused = request(kRedis2, "SET k", "nil");
  refused.gloss = "refused";
  refused.outcome = "refused";
  request(kRedis3, "SET k", "OK").outcome = "client-1 holds the lock";
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].answer + consequence(all[0]),
            "redis-1 and redis-3: OK; redis-2: nil, refused; client-1 holds the lock");
}

TEST_F(JoinedRows, AServerThatARequestHasNotReachedIsNamedButNotReached) {
  request(kRedis1, "SET k", "OK");
  add(RowKind::departure, kClient1, kRedis2, "SET k");
  request(kRedis3, "SET k", "");
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].answer, "redis-1: OK; still on its way to redis-2; redis-3: no answer yet");
  EXPECT_THAT(servers_of(all[0]), ElementsAre(kRedis1, kRedis3));
  EXPECT_THAT(all[0].processes, ElementsAre(kClient1, kRedis1, kRedis2, kRedis3));
}

TEST_F(JoinedRows, RequestsThatReachNoServerYetLeaveInOneRow) {
  add(RowKind::departure, kClient1, kRedis1, "SET k");
  add(RowKind::departure, kClient1, kRedis2, "SET k");
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].kind, RowKind::departure);
  EXPECT_EQ(addressed(all[0], Narrator(run)), "SET k, to redis-1 and redis-2");
}

TEST_F(JoinedRows, AStepThatTakesTimeSaysUntilWhen) {
  request(kRedis1, "SET k", "OK", 1ms);
  request(kRedis2, "SET k", "OK", 3ms);
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].text, "SET k (until 0.003s)");
  EXPECT_EQ(all[0].at, sim::kStart + 1ms);
}

TEST_F(JoinedRows, ARequestLongAfterAnotherIsAStepOfItsOwn) {
  request(kRedis1, "SET k", "OK");
  request(kRedis2, "SET k", "OK", 51ms);
  EXPECT_EQ(joined().size(), 2U);
}

TEST_F(JoinedRows, TokensMayDifferFromServerToServerAndNothingElse) {
  request(kRedis1, "EVALSHA cf9c.. 1 k 9000 d9bf324812f4:1", "nil");
  request(kRedis2, "EVALSHA cf9c.. 1 k 9000 ed671e891180:1", "nil");
  request(kRedis3, "EVALSHA cf9c.. 1 k 9000 52b55daba4b8:1", "nil");
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].text, "EVALSHA cf9c.. 1 k 9000 ..:1");
  for (const std::string other :
       {"EVALSHA cf9c.. 1 k 8000 52b55daba4b8:1", "EVALSHA aadb.. 1 k 9000 52b55daba4b8:1",
        "EVALSHA cf9c.. 1 l 9000 52b55daba4b8:1", "EVALSHA cf9c.. 1 k 9000 52b55daba4b8:2",
        "EVALSHA cf9c.. 1 k 9000 1735689610009:1", "EVALSHA cf9c.. 1 k 9000",
        "EVALSHA cf9c.. 1 k 9000 52b55daba4b8:1 x"}) {
    rows[2].text = other;
    EXPECT_EQ(joined().size(), 2U) << other;
  }
}

TEST_F(JoinedRows, ARequestThatIsSentAgainBecauseOfItsScriptIsOneRowWithTheFirst) {
  const std::string text = "EVALSHA cf9c.. 1 k";
  request(kRedis1, text, "error: NOSCRIPT No matching script.");
  request(kRedis1, text, "1");
  request(kRedis2, text, "1");
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].text, text + " (sent again to redis-1 after NOSCRIPT)");
  EXPECT_EQ(all[0].answer, "1");
  rows.pop_back();
  EXPECT_EQ(joined().at(0).text, text + " (sent again after NOSCRIPT)");
}

TEST_F(JoinedRows, ARequestThatIsSentAgainMayStillBeOnItsWay) {
  const std::string text = "EVALSHA cf9c.. 1 k";
  request(kRedis1, text, "error: NOSCRIPT No matching script.");
  add(RowKind::departure, kClient1, kRedis1, text);
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].kind, RowKind::departure);
  EXPECT_EQ(all[0].answer, "");
  EXPECT_EQ(all[0].text, text + " (sent again after NOSCRIPT)");
}

TEST_F(JoinedRows, ARequestToTheSameServerIsAStepOfItsOwn) {
  request(kRedis1, "SET k", "nil");
  request(kRedis2, "SET k", "nil");
  request(kRedis1, "SET k", "nil");
  EXPECT_EQ(joined().size(), 2U);
}

TEST_F(JoinedRows, AFaultOrAnExpiryBetweenKeepsRowsApart) {
  request(kRedis1, "SET k", "OK");
  rows.emplace_back();
  request(kRedis2, "SET k", "OK");
  for (const RowKind kind : {RowKind::fault, RowKind::event, RowKind::violation}) {
    rows[1] = Row{.kind = kind, .from = kRedis3, .to = kRedis3};
    EXPECT_EQ(joined().size(), 3U);
  }
}

TEST_F(JoinedRows, AMessageBetweenOtherProcessesDoesNotInterruptAStep) {
  request(kRedis1, "SET k", "OK");
  add(RowKind::exchange, kClient2, kRedis1, "SET k").answer = "nil";
  request(kRedis2, "SET k", "OK");
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(servers_of(all[0]), ElementsAre(kRedis1, kRedis2));
  EXPECT_EQ(all[0].last, rows[0].last) << "what comes after the message between is not drawn yet";
  rows[1].to = kRedis2;
  rows[1].processes = {kClient2, kRedis2};
  EXPECT_EQ(joined().size(), 3U) << "what redis-2 answers depends on the message between";
}

TEST_F(JoinedRows, RequestsThatTakeEntriesOfDifferentOwnersStayApart) {
  request(kRedis1, "DEL k", "1");
  request(kRedis2, "DEL k", "1");
  changes = {{.position = 1, .process = kRedis1, .shift = Shift::entry_is, .owner = kClient1},
             {.position = 2, .process = kRedis2, .shift = Shift::entry_is, .owner = kClient1},
             {.position = 15, .process = kRedis1, .shift = Shift::no_entry},
             {.position = 25, .process = kRedis2, .shift = Shift::no_entry}};
  EXPECT_EQ(joined().size(), 1U);
  changes[1].owner = kClient2;
  EXPECT_EQ(joined().size(), 2U);
  Row none = rows[0];  // takes nothing, so that it could be joined to either
  none.to = kRedis3;
  none.position = none.last = 3;
  rows.insert(rows.begin(), none);
  EXPECT_EQ(joined().size(), 2U);
}

TEST_F(JoinedRows, ARequestAfterTheEndOfTheOperationIsAnotherStep) {
  request(kRedis1, "SET k", "OK").outcome = "client-1 holds the lock";
  request(kRedis2, "SET k", "OK");
  EXPECT_EQ(joined().size(), 2U);
  rows[0].last = rows[1].position + 1;  // it was sent before that
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].outcome, "client-1 holds the lock");
}

TEST_F(JoinedRows, RequestsThatAreLostAreOneRowApartFromThoseThatArrive) {
  request(kRedis1, "SET k", "OK");
  for (const ProcessId server : {kRedis2, kRedis3}) {
    Row& lost = add(RowKind::lost, kClient1, server, "SET k");
    lost.outcome = "lost in transit";
    lost.gloss = lost.outcome;
  }
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].kind, RowKind::lost);
  EXPECT_EQ(addressed(all[1], Narrator(run)) + consequence(all[1]),
            "SET k, to redis-2 and redis-3, lost in transit");
}

TEST_F(JoinedRows, LateAnswersThatAreAlikeAreOneRow) {
  add(RowKind::reply, kRedis2, kClient1, "OK (answer to SET)").tenure = 1;
  add(RowKind::reply, kRedis1, kClient1, "OK (answer to SET)").tenure = 1;
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(addressed(all[0], Narrator(run)), "OK (answer to SET), from redis-1 and redis-2");
  rows[1].text = "nil (answer to SET)";
  EXPECT_EQ(joined().size(), 2U);
  rows[1] = rows[0];
  rows[1].from = kRedis3;
  rows[1].tenure = rows[0].tenure = 0;
  EXPECT_EQ(joined().size(), 2U) << "what servers push is not an answer";
}

TEST_F(JoinedRows, StepsOfTwoOperationsStayApart) {
  request(kRedis1, "SET k", "nil");
  request(kRedis2, "SET k", "nil").tenure = 9;
  EXPECT_EQ(joined().size(), 2U);
}

TEST_F(JoinedRows, AnEventAtSeveralServersNamesThem) {
  event(kRedis1, "client-1's entry expires", 1ms);
  event(kRedis2, "client-1's entry expires", 4ms);
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].text, "client-1's entry expires on redis-1 and redis-2, the last at 0.004s");
  EXPECT_THAT(all[0].more, ElementsAre(kRedis2));
}

TEST_F(JoinedRows, AClientThatStopsWaitingNamesTheServersAndWhatFollows) {
  event(kClient1, "client-1 stops waiting for the answer to SET").to = kRedis1;
  event(kClient1, "client-1 stops waiting for the answer to SET").to = kRedis3;
  event(kClient1, "client-1 gives up").concludes = true;
  const std::vector<Row> all = joined();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].text + consequence(all[0]),
            "client-1 stops waiting for the answer to SET from redis-1 and redis-3; client-1 gives "
            "up");
  EXPECT_THAT(all[0].more, IsEmpty());
}

TEST_F(JoinedRows, RowsOfOneInstantAreJoinedOnlyWhereTheySayTheSame) {
  request(kRedis1, "SET k", "OK");
  request(kRedis2, "SET k", "OK");
  request(kRedis3, "SET k", "nil");
  event(kClient1, "client-1 waits");
  event(kClient1, "client-1 waits");
  const std::vector<Row> all = rows_of_one_instant(rows, [](ProcessId) { return true; });
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(servers_of(all[0]), ElementsAre(kRedis1, kRedis2));
  EXPECT_EQ(all[2].text, "client-1 waits, twice");
  EXPECT_EQ(rows_of_one_instant(rows, [](ProcessId process) { return process != kRedis2; }).size(),
            4U)
      << "the row of a process without a column has to name it";
}

}  // namespace
}  // namespace picklock::reports
