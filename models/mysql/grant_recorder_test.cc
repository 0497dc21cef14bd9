#include "models/mysql/grant_recorder.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "models/mysql/tables.h"

namespace picklock::mysql::grant_recorder_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A server whose sessions are the tenures of the same numbers.
class AnyLockTest : public ::testing::Test {
 protected:
  AnyLockTest() {
    simulation_.reset(1, false);
    sim::Process& place = simulation_.scheduler.processes().add("mysql-1");
    keys_.reset();
    tenures_.reset(0);
    engine_.reset();
    for (const Schema& schema : schemas()) engine_.create(schema);
    locks_.reset(simulation_, place, tenures_, keys_, Grants::OverBy::server);
    for (int i = 0; i < 2; ++i) {
      engine_.open();
      tenures_.begin();
    }
  }

  void execute(SessionId session, const Statement& statement) {
    locks_.note_names(statement, engine_);
    engine_.execute(session, statement, 0);
    engine_.finished();
    locks_.look(engine_, {.session = session, .tenure = session},
                [](SessionId one) { return one; });
  }
  // "orders: created by 1", as they were recorded.
  std::vector<std::string> entries() const {
    std::vector<std::string> all;
    for (const history::HistoryEvent& event : simulation_.recorder.history()) {
      const bool created = event.what == history::What::entry_created;
      if (!created && event.what != history::What::entry_removed) continue;
      all.push_back(std::string(keys_.name(event.key)) +
                    (created ? ": created by " : ": removed by ") + std::to_string(event.tenure));
    }
    return all;
  }

  history::RecordedSimulation simulation_;
  models::Keys keys_;
  models::Tenures tenures_;
  Engine engine_;
  AnyLock locks_;
};

TEST_F(AnyLockTest, RecordsWhateverNameIsLocked) {
  execute(1, {.op = Op::get_lock, .name = "orders", .number = 0});
  execute(2, {.op = Op::get_lock, .name = "bills", .number = 0});
  execute(2, {.op = Op::get_lock, .name = "orders", .number = 5});
  execute(1, {.op = Op::release_lock, .name = "orders"});
  EXPECT_THAT(entries(), ElementsAre("orders: created by 1", "bills: created by 2",
                                     "orders: removed by 1", "orders: created by 2"));
}

TEST_F(AnyLockTest, AQuestionForALockIsNoGrant) {
  execute(1, {.op = Op::is_used_lock, .name = "orders"});
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(AnyLockTest, ForgetsLocksThatAreFreeAndNoOthers) {
  execute(1, {.op = Op::get_lock, .name = "orders", .number = 0});
  for (int i = 0; i < 200; ++i) {
    const std::string name = "n" + std::to_string(i);
    execute(2, {.op = Op::get_lock, .name = name, .number = 0});
    execute(2, {.op = Op::release_lock, .name = name});
  }
  execute(1, {.op = Op::release_lock, .name = "orders"});
  const std::vector<std::string> all = entries();
  EXPECT_EQ(all.size(), 402u);
  EXPECT_EQ(all.back(), "orders: removed by 1");
}

}  // namespace
}  // namespace picklock::mysql::grant_recorder_tests
