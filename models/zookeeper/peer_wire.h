// The messages between the servers of an ensemble, in jute: the notifications of an election, and
// the packets between a leader and its followers (Zab: discovery, synchronization, broadcast). The
// kinds are ZooKeeper's; the layout of a packet is this program's own.
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
  ack_epoch,      // my epoch until now, and where my log ends
  truncate,       // everything after this was never committed
  proposal,
  commit,
  new_leader,  // everything before has been sent
  up_to_date,  // serve your clients
  ack,         // my log is on disk up to here
  ping,        // and its reply: the sessions that were active
  request,     // to the leader: a client's write
  sync,        // to the leader; it replies after all commits before it
  revalidate,  // to the leader: is this session alive; and its reply
};

enum class PeerState : std::int8_t { looking, following, leading };

struct Vote {
  ServerId leader = 0;
  Zxid zxid = 0;           // where its log ends
  std::int64_t epoch = 0;  // of that last entry

  friend bool operator==(const Vote&, const Vote&) = default;
};

// The wire carries only the fields that belong to the kind.
struct PeerMessage {
  Packet packet{};
  ServerId server = 0;  // the sender
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
  Proposal proposal{};  // of a request, only its write
};

void write(const PeerMessage& message, sim::Payload& out);
// False: not a message, or incomplete. The tenure is not on the wire.
bool read(std::string_view bytes, PeerMessage& message);

// These messages never cease while servers live, so they do not keep a run from ending.
const sim::Protocol& peer_protocol();

}  // namespace picklock::zookeeper
