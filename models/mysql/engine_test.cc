#include "models/mysql/engine.h"

#include <gmock/gmock.h>

namespace picklock::mysql::engine_tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Statement select(std::string key, Locking locking = Locking::update) {
  return {.op = Op::select, .table = "lock", .key = std::move(key), .locking = locking};
}
Statement insert(std::string key) {
  return {.op = Op::insert,
          .table = "lock",
          .values = {{.value = std::move(key)}, {.value = std::int64_t{0}}}};
}
Statement add(std::string key) {
  return {.op = Op::update,
          .table = "lock",
          .key = std::move(key),
          .set = {{"n", {.of = Term::Of::column, .column = "n", .plus = 1}}}};
}
Statement remove(std::string key) {
  return {.op = Op::remove, .table = "lock", .key = std::move(key)};
}
Statement get_lock(std::string name, std::int64_t seconds = 10) {
  return {.op = Op::get_lock, .name = std::move(name), .number = seconds};
}

// A table with the rows a, m and z, and as many sessions as a test uses.
class EngineTest : public testing::Test {
 protected:
  EngineTest() {
    engine.create({"lock", {"name", "n"}});
    for (const char* const key : {"a", "m", "z"}) run(9, insert(key));
  }

  // The outcome as text: "ok", "1 row", "2 changed", an error's number, or "waits".
  std::string run(SessionId session, const Statement& statement) {
    while (engine.sessions().size() < session) engine.open();
    const std::optional<Answer> answer = engine.execute(session, statement, 0);
    collect();
    return answer ? said(*answer) : "waits";
  }
  void collect() {
    for (const Engine::Finished& one : engine.finished())
      later.push_back(std::to_string(one.session) + " " + said(one.answer));
  }
  std::string run(SessionId session, Op op) { return run(session, Statement{.op = op}); }
  void begin(std::initializer_list<SessionId> all,
             Isolation isolation = Isolation::repeatable_read) {
    for (const SessionId session : all) {
      run(session, {.op = Op::set_isolation, .isolation = isolation});
      run(session, Op::begin);
    }
  }
  static std::string said(const Answer& answer) {
    if (!answer.ok()) return std::to_string(static_cast<int>(answer.error));
    if (!answer.rows.empty()) return std::to_string(answer.rows.size()) + " row";
    return answer.affected > 0 ? std::to_string(answer.affected) + " changed" : "ok";
  }
  std::vector<std::string> finished() {
    collect();
    return std::exchange(later, {});
  }

  Engine engine;
  std::vector<std::string> later;
};

TEST_F(EngineTest, LetsAnInsertOfTheSameKeyWaitAndThenFailOrSucceed) {  // M1
  for (const bool commits : {true, false}) {
    begin({1, 2});
    EXPECT_EQ(run(1, insert("x")), "1 changed");
    EXPECT_EQ(run(2, insert("x")), "waits");
    run(1, commits ? Op::commit : Op::rollback);
    EXPECT_THAT(finished(), ElementsAre(commits ? "2 1062" : "2 1 changed"));
    run(2, Op::rollback);
    run(9, remove("x"));
    engine.purge();
  }
}

TEST_F(EngineTest, ReadsPlainlyWhatItsFirstReadHasSeen) {  // M2
  begin({1, 2});
  EXPECT_EQ(run(2, select("x", Locking::none)), "ok");
  run(1, insert("x"));
  run(1, Op::commit);
  EXPECT_EQ(run(2, select("x", Locking::none)), "ok");
  EXPECT_EQ(run(2, insert("x")), "1062");
  EXPECT_EQ(run(2, select("x")), "1 row");
  EXPECT_EQ(run(2, select("x", Locking::none)), "ok");
}

TEST_F(EngineTest, LeavesASharedLockToWhoeverHasFoundADuplicate) {  // M3
  begin({1, 2, 3});
  EXPECT_EQ(run(1, insert("m")), "1062");
  EXPECT_EQ(run(2, insert("m")), "1062");
  EXPECT_EQ(run(3, select("m")), "waits");
  run(1, Op::rollback);
  EXPECT_THAT(finished(), IsEmpty());
  run(2, Op::rollback);
  EXPECT_THAT(finished(), ElementsAre("3 1 row"));
}

TEST_F(EngineTest, FindsADeadlockOfTwoWhoseDuplicateHasGone) {  // M4
  begin({1, 2, 3});
  run(1, insert("x"));
  EXPECT_EQ(run(2, insert("x")), "waits");
  EXPECT_EQ(run(3, insert("x")), "waits");
  run(1, Op::rollback);
  EXPECT_THAT(finished(), testing::AnyOf(UnorderedElementsAre("2 1213", "3 1 changed"),
                                         UnorderedElementsAre("3 1213", "2 1 changed")));
}

TEST_F(EngineTest, GivesOneGapToTwoAndADeadlockToWhoeverInsertsLast) {  // M5, M6
  begin({1, 2});
  EXPECT_EQ(run(1, select("x")), "ok");
  EXPECT_EQ(run(2, select("x")), "ok");
  EXPECT_EQ(run(1, insert("x")), "waits");
  EXPECT_EQ(run(2, insert("x")), "1213");
  EXPECT_THAT(finished(), ElementsAre("1 1 changed"));
  EXPECT_FALSE(engine.in_transaction(2));

  begin({1});
  run(1, select("p"));
  EXPECT_EQ(run(3, insert("o")), "waits");
  EXPECT_EQ(run(4, insert("zz")), "1 changed");
  run(1, Op::commit);
  EXPECT_THAT(finished(), ElementsAre("3 1 changed"));
}

TEST_F(EngineTest, LocksNoGapsUnderReadCommitted) {  // M6
  begin({1, 2}, Isolation::read_committed);
  run(1, select("x"));
  run(2, select("x"));
  EXPECT_EQ(run(2, insert("x")), "1 changed");
  EXPECT_EQ(run(1, insert("x")), "waits");
  run(2, Op::commit);
  EXPECT_THAT(finished(), ElementsAre("1 1062"));
}

TEST_F(EngineTest, WakesAWaiterWithNothingWhereTheRowIsDeleted) {  // M7
  begin({1, 2, 3});
  run(1, select("m"));
  EXPECT_EQ(run(2, select("m")), "waits");
  run(1, remove("m"));
  run(1, Op::commit);
  EXPECT_THAT(finished(), ElementsAre("2 ok"));
  EXPECT_EQ(run(3, insert("m")), "waits");
  EXPECT_EQ(run(2, insert("m")), "1 changed");
}

TEST_F(EngineTest, WaitsForADeletedRowOnlyWhereReadsRepeat) {  // M40, M47
  run(9, remove("m"));
  begin({1});
  run(1, select("m"));
  begin({2}, Isolation::read_committed);
  EXPECT_EQ(run(2, select("m")), "ok");
  begin({3});
  EXPECT_EQ(run(3, select("m")), "waits");
}

TEST_F(EngineTest, LocksEveryRowAndGapWithoutAnIndex) {  // M8
  begin({1});
  EXPECT_EQ(run(1, {.op = Op::select,
                    .table = "lock",
                    .where = {{"n", Condition::Is::equal, {.value = std::int64_t{7}}}},
                    .locking = Locking::update}),
            "ok");
  EXPECT_EQ(run(2, add("m")), "waits");
  EXPECT_EQ(run(3, insert("b")), "waits");
  EXPECT_EQ(run(4, insert("zz")), "waits");
  run(1, Op::commit);
  EXPECT_THAT(finished(), UnorderedElementsAre("2 1 changed", "3 1 changed", "4 1 changed"));
}

TEST_F(EngineTest, HoldsNothingBehindAStatementOfItsOwn) {  // M8
  EXPECT_EQ(run(1, select("m")), "1 row");
  EXPECT_EQ(run(2, add("m")), "1 changed");
}

TEST_F(EngineTest, CommitsInsideOfBeginAndOfDdl) {  // M9
  for (const Op op : {Op::begin, Op::ddl}) {
    begin({1});
    run(1, add("m"));
    run(1, op);
    EXPECT_EQ(run(2, select("m")), "1 row");
    run(1, Op::rollback);
  }
}

TEST_F(EngineTest, KeepsRowLocksBehindASavepointUnlessItIsTheVeryFirstStatement) {  // M9
  for (const bool first : {true, false}) {
    begin({1});
    if (!first) run(1, select("a"));
    run(1, {.op = Op::savepoint, .name = "s"});
    run(1, add("m"));
    run(1, {.op = Op::rollback_to, .name = "s"});
    EXPECT_EQ(run(2, add("m")), first ? "1 changed" : "waits");
    run(1, Op::commit);
    collect();
  }
}

TEST_F(EngineTest, LetsAHolderAskForMoreOfHisRowBeforeThoseWhoWaitForIt) {
  begin({1, 2});
  run(1, select("m"));
  EXPECT_EQ(run(2, select("m")), "waits");
  EXPECT_EQ(run(1, {.op = Op::select, .table = "lock", .locking = Locking::update}), "3 row");
  EXPECT_EQ(run(1, Op::commit), "ok");
  EXPECT_THAT(finished(), ElementsAre("2 1 row"));
}

TEST_F(EngineTest, RollsBackTheStatementAloneWhereAWaitHasTakenTooLong) {  // M15
  begin({1, 2});
  run(1, select("m"));
  run(2, insert("x"));
  EXPECT_EQ(run(2, add("m")), "waits");
  engine.time_out(2);
  EXPECT_THAT(finished(), ElementsAre("2 1205"));
  EXPECT_TRUE(engine.in_transaction(2));
  EXPECT_EQ(run(2, Op::commit), "ok");
  EXPECT_EQ(run(3, select("x")), "1 row");
}

TEST_F(EngineTest, WaitsForNothingIfToldNotTo) {  // M16
  begin({1, 2});
  run(1, select("m"));
  Statement impatient = select("m");
  impatient.waiting = Waiting::nowait;
  EXPECT_EQ(run(2, impatient), "1205");
  impatient.waiting = Waiting::skips;
  EXPECT_EQ(run(2, impatient), "ok");
}

TEST_F(EngineTest, GrantsARowInTheOrderInWhichItWasAskedFor) {  // M17
  begin({1, 2, 3, 4});
  run(1, select("m"));
  for (const SessionId session : {2u, 3u, 4u}) EXPECT_EQ(run(session, select("m")), "waits");
  for (const SessionId session : {1u, 2u, 3u}) {
    run(session, Op::commit);
    EXPECT_THAT(finished(), ElementsAre(std::to_string(session + 1) + " 1 row"));
  }
}

TEST_F(EngineTest, BreaksACircleWhereItIsClosed) {  // M18
  begin({1, 2});
  run(1, add("a"));
  run(2, add("m"));
  EXPECT_EQ(run(1, add("m")), "waits");
  EXPECT_EQ(run(2, add("a")), "1213");
  EXPECT_THAT(finished(), ElementsAre("1 1 changed"));
}

// M58: a victim that repeats its statement is outside any transaction, and keeps nothing.
TEST_F(EngineTest, HoldsNothingForAVictimThatRepeatsItsStatementAlone) {
  begin({1, 2});
  run(1, select("a"));
  run(2, select("m"));
  EXPECT_EQ(run(1, select("m")), "waits");
  EXPECT_EQ(run(2, select("a")), "1213");
  EXPECT_THAT(finished(), ElementsAre("1 1 row"));
  EXPECT_EQ(run(2, select("a")), "waits");
  run(1, Op::commit);
  EXPECT_THAT(finished(), ElementsAre("2 1 row"));
  EXPECT_FALSE(engine.in_transaction(2));
  EXPECT_EQ(run(3, {.op = Op::begin}), "ok");
  EXPECT_EQ(run(3, select("a")), "1 row");
  EXPECT_EQ(run(3, select("m")), "1 row");
}

TEST_F(EngineTest, WeighsALockThatWidensOneAsALockOfItsOwn) {  // M54
  begin({1, 2});
  run(1, select("p"));
  run(2, select("a"));
  run(1, add("z"));
  EXPECT_EQ(run(2, {.op = Op::select, .table = "lock", .locking = Locking::update}), "waits");
  EXPECT_EQ(run(1, insert("p")), "1213");
  EXPECT_THAT(finished(), ElementsAre("2 3 row"));
}

TEST_F(EngineTest, NeedsNothingMoreWhereItHasBothTheRecordAndItsGap) {  // M55
  begin({1, 2});
  run(1, select("m"));
  run(1, select("c"));
  run(1, select("p"));
  for (int i = 0; i < 3; ++i) run(2, add("z"));
  EXPECT_EQ(run(1, {.op = Op::select, .table = "lock", .locking = Locking::update}), "waits");
  EXPECT_EQ(run(2, insert("d")), "1 changed");
  EXPECT_THAT(finished(), ElementsAre("1 1213"));
}

TEST_F(EngineTest, LetsAWaiterGoOnBeforeARollbackHasGivenBackItsLocks) {  // M56
  const Statement remove_many{.op = Op::remove,
                              .table = "lock",
                              .where = {{"n", Condition::Is::more, {.value = std::int64_t{0}}}}};
  for (const bool before : {true, false}) {
    begin({1}, Isolation::read_committed);
    begin({2});
    run(2, insert("d"));
    run(2, insert("m"));
    EXPECT_EQ(run(1, remove_many), "waits");
    engine.set_pick([before](std::size_t among) { return before ? 0 : among - 1; });
    run(2, Op::rollback);
    EXPECT_THAT(finished(), ElementsAre("1 ok"));
    // It keeps a row for which it had to wait for the same transaction once more (M51).
    Statement impatient = select("m");
    impatient.waiting = Waiting::nowait;
    EXPECT_EQ(run(3, impatient), before ? "1205" : "1 row");
    run(1, Op::rollback);
  }
}

TEST_F(EngineTest, FindsNoSecondCircleThroughAVictimThatIsBeingRolledBack) {  // M56
  begin({1, 2});
  for (int i = 0; i < 4; ++i) run(1, add("a"));
  run(2, insert("x"));
  run(2, add("z"));
  EXPECT_EQ(run(1, {.op = Op::select, .table = "lock", .locking = Locking::update}), "waits");
  engine.set_pick([](std::size_t) { return 0; });
  EXPECT_EQ(run(2, add("m")), "1213");
  EXPECT_THAT(finished(), ElementsAre("1 3 row"));
}

TEST_F(EngineTest, FreesWhatASessionHadWhenItEnds) {  // M20, M31
  begin({1});
  run(1, add("m"));
  run(1, get_lock("l"));
  EXPECT_EQ(run(2, add("m")), "waits");
  EXPECT_EQ(run(3, get_lock("l")), "waits");
  engine.close(1);
  collect();
  EXPECT_THAT(finished(), UnorderedElementsAre("2 1 changed", "3 1 row"));
}

TEST_F(EngineTest, CountsTheHoldsOfANamedLock) {  // M30, M32, M33
  EXPECT_EQ(run(1, get_lock("l")), "1 row");
  EXPECT_EQ(run(1, get_lock("l")), "1 row");
  const Statement release{.op = Op::release_lock, .name = "l"};
  const auto value = [&](SessionId session, const Statement& statement) {
    return engine.execute(session, statement, 0)->rows.at(0).at(0);
  };
  run(2, Op::ping);
  EXPECT_EQ(value(2, get_lock("l", 0)), Value(std::int64_t{0}));
  EXPECT_EQ(value(2, release), Value(std::int64_t{0}));
  EXPECT_EQ(value(2, get_lock("l", -1)), Value());
  EXPECT_EQ(value(1, release), Value(std::int64_t{1}));
  EXPECT_EQ(value(1, release), Value(std::int64_t{1}));
  EXPECT_EQ(value(1, release), Value());
  run(1, get_lock("p"));
  run(2, get_lock("q"));
  EXPECT_EQ(run(1, get_lock("q")), "waits");
  EXPECT_EQ(run(2, get_lock("p")), "1213");
  EXPECT_EQ(run(2, get_lock(std::string(193, 'n'))), "1059");
}

TEST_F(EngineTest, TakesTurnsInBeingTheVictimOfACircleOfNames) {  // M57
  run(1, get_lock("p"));
  run(2, get_lock("q"));
  EXPECT_EQ(run(1, get_lock("q")), "waits");
  EXPECT_EQ(run(2, get_lock("p")), "1213");
  EXPECT_EQ(run(2, get_lock("p")), "waits");
  EXPECT_THAT(finished(), ElementsAre("1 1213"));
  EXPECT_EQ(run(1, get_lock("q")), "1213");
  EXPECT_EQ(run(1, get_lock("q")), "waits");
  EXPECT_THAT(finished(), ElementsAre("2 1213"));
}

}  // namespace
}  // namespace picklock::mysql::engine_tests
