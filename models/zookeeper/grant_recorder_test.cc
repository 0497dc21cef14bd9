#include "models/zookeeper/grant_recorder.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace picklock::zookeeper::grant_recorder_tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr SessionId kFirst = 11;
constexpr SessionId kSecond = 12;

// A leader that commits what it is told, for sessions 11 and 12 of connections 1 and 2.
class Leader {
 public:
  Leader() {
    simulation_.reset(1);
    tenures_.reset(keys_.id("lock"));
    any_.reset(simulation_, simulation_.scheduler.processes().add("zookeeper-1").id(), tenures_,
               keys_);
    for (const SessionId session : {kFirst, kSecond}) {
      tenures_.begin();
      commit({.op = OpCode::create_session, .session = session, .timeout = 4000});
    }
  }

  void commit(Write write) {
    const auto tenure = static_cast<history::TenureId>(write.session - 10);
    const Proposal proposal{.zxid = ++zxid_, .write = std::move(write), .tenure = tenure};
    std::vector<Change> changes;
    tree_.apply(proposal.write, proposal.stamp(), changes);
    any_.committed(proposal, changes);
  }
  void create(SessionId session, std::string path, CreateMode mode) {
    commit(creation(session, std::move(path), mode));
  }
  void remove(SessionId session, std::string path) {
    commit({.op = OpCode::remove, .session = session, .path = std::move(path)});
  }
  static Write creation(SessionId session, std::string path, CreateMode mode) {
    return {.op = OpCode::create,
            .session = session,
            .path = std::move(path),
            .data = "",
            .flags = static_cast<std::int32_t>(mode)};
  }
  // Another leader has this tree, or an empty one.
  void take_office(bool with_its_tree, Zxid behind = 0) {
    any_.restored(with_its_tree ? tree_ : Tree(), zxid_ - behind);
  }
  // A former leader runs again, and finds that a majority has this write of long ago.
  void commit_late(const Write& write) {
    Tree tree;
    std::vector<Change> changes;
    tree.apply(write, {.zxid = 1, .tenure = 2}, changes);
    any_.committed({.zxid = 1, .write = write, .tenure = 2}, changes);
  }
  // A write that no leader had reported before it crashed.
  void apply_unreported(const Write& write) {
    std::vector<Change> changes;
    tree_.apply(write, {.zxid = ++zxid_, .tenure = 2}, changes);
  }

  std::vector<std::string> take_entries() {
    std::vector<std::string> lines;
    const auto& history = simulation_.recorder.history();
    for (; read_ < history.size(); ++read_) {
      const history::HistoryEvent& event = history[read_];
      lines.push_back(std::string(keys_.name(event.key)) + ": " +
                      std::string(history::name(event.what)) + " by " +
                      std::to_string(event.tenure) + " of " + std::to_string(event.owner) + ", " +
                      std::string(history::name(event.cause)));
    }
    return lines;
  }

 private:
  history::RecordedSimulation simulation_;
  models::Tenures tenures_;
  models::Keys keys_;
  AnyLock any_;
  Tree tree_;
  Zxid zxid_ = 0;
  std::size_t read_ = 0;
};

TEST(AnyLock, RecordsEachEphemeralZnodeByItsPath) {
  Leader leader;
  leader.create(kFirst, "/a", CreateMode::ephemeral);
  leader.create(kSecond, "/a", CreateMode::ephemeral);
  leader.create(kSecond, "/b", CreateMode::ephemeral);
  leader.create(kSecond, "/c", CreateMode::persistent);
  leader.remove(kSecond, "/a");
  EXPECT_THAT(leader.take_entries(), ElementsAre("/a: entry created by 1 of 0, command",
                                                 "/b: entry created by 2 of 0, command",
                                                 "/a: entry removed by 2 of 1, command"));
}

TEST(AnyLock, RecordsTheFirstOfAQueueByThePathOfItsParent) {
  Leader leader;
  leader.create(kFirst, "/q", CreateMode::persistent);
  leader.create(kFirst, "/q/x-", CreateMode::ephemeral_sequential);
  leader.create(kSecond, "/q/a-", CreateMode::ephemeral_sequential);
  EXPECT_THAT(leader.take_entries(), ElementsAre("/q: entry created by 1 of 0, command"));
  leader.commit({.op = OpCode::close_session, .session = kFirst});
  EXPECT_THAT(leader.take_entries(), ElementsAre("/q: entry removed by 1 of 1, session end",
                                                 "/q: entry created by 2 of 0, command"));
}

TEST(AnyLock, IsNotMisledByTenDigitsAtTheEndOfAName) {
  Leader leader;
  leader.create(kFirst, "/orders", CreateMode::persistent);
  leader.create(kFirst, "/orders/1234567890", CreateMode::ephemeral);
  leader.create(kFirst, "/orders/", CreateMode::ephemeral_sequential);
  leader.take_office(true);
  leader.remove(kFirst, "/orders/1234567890");
  EXPECT_THAT(leader.take_entries(),
              ElementsAre("/orders/1234567890: entry created by 1 of 0, command",
                          "/orders: entry created by 1 of 0, command",
                          "/orders/1234567890: entry removed by 1 of 1, command"));
}

TEST(AnyLock, RecordsASessionsEndOnceForTheWholeQueue) {
  Leader leader;
  leader.create(kFirst, "/q", CreateMode::persistent);
  leader.create(kFirst, "/q/n-", CreateMode::ephemeral_sequential);
  leader.create(kFirst, "/q/n-", CreateMode::ephemeral_sequential);
  leader.take_entries();
  leader.commit({.op = OpCode::close_session, .session = kFirst});
  EXPECT_THAT(leader.take_entries(), ElementsAre("/q: entry removed by 1 of 1, session end"));
}

TEST(AnyLock, ReadsAMultiPartByPart) {
  Leader leader;
  leader.create(kFirst, "/q", CreateMode::persistent);
  leader.commit({.op = OpCode::multi,
                 .session = kFirst,
                 .parts = {Leader::creation(kFirst, "/a", CreateMode::ephemeral),
                           Leader::creation(kFirst, "/q/n-", CreateMode::ephemeral_sequential)}});
  EXPECT_THAT(leader.take_entries(), ElementsAre("/a: entry created by 1 of 0, command",
                                                 "/q: entry created by 1 of 0, command"));
}

TEST(AnyLock, IgnoresACommitOfAFormerLeaderThatItsSuccessorHasReported) {
  Leader leader;
  leader.create(kFirst, "/lock", CreateMode::ephemeral);
  leader.take_office(true);
  leader.take_entries();
  leader.commit_late(Leader::creation(kSecond, "/other", CreateMode::ephemeral));
  EXPECT_THAT(leader.take_entries(), IsEmpty());
}

TEST(AnyLock, RecordsWhatANewLeaderHasLostAndWhatItAloneHas) {
  Leader leader;
  leader.create(kFirst, "/a", CreateMode::ephemeral);
  leader.apply_unreported(Leader::creation(kSecond, "/b", CreateMode::ephemeral));
  leader.take_entries();
  leader.take_office(true);
  EXPECT_THAT(leader.take_entries(), ElementsAre("/b: entry created by 2 of 0, restart"));
  leader.take_office(false, 1);
  EXPECT_THAT(leader.take_entries(), ElementsAre("/a: entry removed by 0 of 1, restart",
                                                 "/b: entry removed by 0 of 2, restart"));
  leader.take_office(false);
  EXPECT_THAT(leader.take_entries(), IsEmpty());
}

}  // namespace
}  // namespace picklock::zookeeper::grant_recorder_tests
