// What the servers of an ensemble tell each other, in jute: the notifications of an election, and
// the packets between a leader and those that follow it (Zab: discovery, synchronization,
// broadcast). The kinds are ZooKeeper's; the layout of a packet is this program's own.
#pragma once

#include <cstdint>
#include <vector>

#include "models/zookeeper/proposal.h"
#include "sim/message.h"
#include "sim/trace.h"

namespace picklock::zookeeper {

enum class Packet : std::int32_t {
  notification,   // a vote in an election
  follower_info,  // to the leader: who I am, and the last epoch I have accepted
  leader_info,    // the epoch that begins
  ack_epoch,      // my epoch until now, and how far my log goes
  truncate,       // what is behind this was never committed
  proposal,
  commit,
  new_leader,  // all that came before has been sent
  up_to_date,  // serve your clients
  ack,         // I have it on disk up to here
  ping,        // back: the sessions that have been heard of
  request,     // to the leader: what a client asks
  sync,        // to the leader, and back behind all commits before it
  revalidate,  // to the leader: is this session alive; and back
};

enum class PeerState : std::int8_t { looking, following, leading };

struct Vote {
  ServerId leader = 0;
  Zxid zxid = 0;           // how far its log goes
  std::int64_t epoch = 0;  // its last one

  friend bool operator==(const Vote&, const Vote&) = default;
};

// Of a kind, only what belongs to it is on the wire.
struct PeerMessage {
  Packet packet{};
  ServerId server = 0;  // who speaks
  PeerState state{};
  std::int64_t round = 0;  // of the election
  Vote vote{};
  std::int64_t epoch = 0;
  Zxid zxid = 0;
  std::uint32_t request = 0;
  SessionId session = 0;
  std::int32_t timeout = 0;
  bool valid = false;
  std::vector<SessionId> sessions{};
  Proposal proposal{};  // of a request, its write alone
};

void write(const PeerMessage& message, sim::Payload& out);
// False: it is none, or not whole. The tenure is not on the wire.
bool read(std::string_view bytes, PeerMessage& message);

// They go on for as long as servers live: no run lasts for them.
const sim::Protocol& peer_protocol();

}  // namespace picklock::zookeeper
