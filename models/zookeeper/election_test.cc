#include "models/zookeeper/election.h"

#include <gtest/gtest.h>

namespace picklock::zookeeper::election_tests {
namespace {

PeerMessage says(ServerId server, const Vote& vote, std::int64_t round,
                 PeerState state = PeerState::looking) {
  PeerMessage message;
  message.packet = Packet::notification;
  message.server = server;
  message.state = state;
  message.round = round;
  message.vote = vote;
  return message;
}

Election of_three(ServerId self, Zxid last = 5, std::int64_t epoch = 1) {
  Election election;
  election.reset(self, 3);
  election.begin(epoch, last);
  return election;
}

TEST(Election, PrefersALaterEpochThenALongerLogThenAHigherNumber) {
  EXPECT_TRUE(better({1, 1, 2}, {3, 9, 1}));
  EXPECT_TRUE(better({1, 9, 1}, {3, 1, 1}));
  EXPECT_TRUE(better({3, 1, 1}, {1, 1, 1}));
}

TEST(Election, FollowsABetterVoteAndIsSettledOnceMoreThanHalfAgree) {
  Election election = of_three(1);
  const auto reaction = election.heard(says(3, {3, 5, 1}, 1));
  EXPECT_TRUE(reaction.tell_all);
  EXPECT_TRUE(reaction.settling);
  EXPECT_EQ(election.vote().leader, 3);
}

TEST(Election, KeepsItsVoteAgainstAWorseOne) {
  Election election = of_three(3);
  const auto reaction = election.heard(says(1, {1, 5, 1}, 1));
  EXPECT_FALSE(reaction.tell_all);
  EXPECT_FALSE(reaction.settling);
  EXPECT_TRUE(election.heard(says(1, {3, 5, 1}, 1)).settling);
}

TEST(Election, JoinsALaterRoundAndAnswersWhoIsInAnEarlierOne) {
  Election election = of_three(3);
  EXPECT_TRUE(election.heard(says(1, {1, 5, 1}, 7)).tell_all);
  EXPECT_EQ(election.round(), 7);
  EXPECT_EQ(election.vote().leader, 3);
  EXPECT_TRUE(election.heard(says(2, {2, 5, 1}, 6)).answer);
}

TEST(Election, FollowsALeaderThatIsThereOnceItSaysSoItself) {
  Election election = of_three(1);
  EXPECT_EQ(election.heard(says(2, {3, 0, 0}, 4, PeerState::following)).leader, 0);
  EXPECT_EQ(election.heard(says(3, {3, 0, 0}, 4, PeerState::leading)).leader, 3);
}

}  // namespace
}  // namespace picklock::zookeeper::election_tests
