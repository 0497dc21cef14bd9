#include "models/zookeeper/peer_wire.h"

#include <gtest/gtest.h>

namespace picklock::zookeeper::peer_wire_tests {
namespace {

PeerMessage through_the_wire(const PeerMessage& message) {
  sim::Payload bytes;
  write(message, bytes);
  PeerMessage read_back;
  EXPECT_TRUE(read(bytes.view(), read_back));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    PeerMessage half;
    EXPECT_FALSE(read(bytes.view().substr(0, size), half)) << size;
  }
  return read_back;
}

TEST(PeerWire, CarriesAProposalWithItsWriteAndTheParts) {
  PeerMessage message;
  message.packet = Packet::proposal;
  message.server = 2;
  message.proposal = {.zxid = first_of(3) + 4,
                      .ms = 5,
                      .write = {.op = OpCode::multi,
                                .session = 6,
                                .parts = {{.op = OpCode::create, .path = "/a", .data = "x"},
                                          {.op = OpCode::remove, .path = "/b", .version = 7}}},
                      .server = 1,
                      .request = 8};
  const PeerMessage same = through_the_wire(message);
  EXPECT_EQ(same.proposal.zxid, message.proposal.zxid);
  EXPECT_EQ(same.proposal.request, 8);
  ASSERT_EQ(same.proposal.write.parts.size(), 2);
  EXPECT_EQ(same.proposal.write.parts[0].path, "/a");
  EXPECT_EQ(same.proposal.write.parts[0].data, "x");
  EXPECT_EQ(same.proposal.write.parts[1].data, std::nullopt);
  EXPECT_EQ(same.proposal.write.parts[1].version, 7);
}

TEST(PeerWire, CarriesVotesAndSessions) {
  PeerMessage vote;
  vote.packet = Packet::notification;
  vote.server = 1;
  vote.state = PeerState::leading;
  vote.round = 9;
  vote.vote = {.leader = 3, .zxid = 4, .epoch = 5};
  EXPECT_EQ(through_the_wire(vote).vote, vote.vote);
  EXPECT_EQ(through_the_wire(vote).state, PeerState::leading);

  PeerMessage ping;
  ping.packet = Packet::ping;
  ping.sessions = {1, 2};
  EXPECT_EQ(through_the_wire(ping).sessions, ping.sessions);
}

TEST(PeerWire, ReadsForPeople) {
  PeerMessage message;
  message.packet = Packet::proposal;
  message.proposal = {.zxid = first_of(1) + 10, .write = {.op = OpCode::remove, .path = "/a"}};
  sim::Payload bytes;
  write(message, bytes);
  EXPECT_EQ(peer_protocol().describe(bytes.view(), false), "PROPOSAL 0x10000000a delete /a");
  EXPECT_EQ(peer_protocol().describe("?", false), "what is no packet");
}

}  // namespace
}  // namespace picklock::zookeeper::peer_wire_tests
