// Fast leader election, one server's part. Votes are compared by epoch, then by the length of the
// log, then by the server's number; a server that receives a better vote adopts it and tells the
// others. The election is over once more than half agree and no better vote has come for a while.
// This class knows no time and no network. (ZooKeeper 3.8, FastLeaderElection)
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "models/zookeeper/peer_wire.h"

namespace picklock::zookeeper {

class Election {
 public:
  // The server's next steps after a notification.
  struct Reaction {
    bool tell_all = false;  // my vote has changed
    bool answer = false;    // the sender lags behind: send it my vote
    bool settling = false;  // more than half agree: over unless a better vote comes
    ServerId leader = 0;    // over: this one leads already
  };

  void reset(ServerId self, std::uint32_t servers);
  // A new round: a server that looks for a leader begins by voting for itself.
  void begin(std::int64_t epoch, Zxid last);
  // Handles a notification from another server while this one looks for a leader.
  Reaction heard(const PeerMessage& notification);

  const Vote& vote() const { return vote_; }
  std::int64_t round() const { return round_; }
  bool agreed() const { return agree(votes_, vote_); }

 private:
  struct Cast {
    Vote vote;
    PeerState state{};
    std::int64_t round = 0;
  };
  using Votes = std::map<ServerId, Cast>;

  bool agree(const Votes& votes, const Vote& vote) const;
  Reaction heard_of_leader(const PeerMessage& notification);

  ServerId self_ = 0;
  std::uint32_t servers_ = 1;
  std::int64_t round_ = 0;
  Vote own_;
  Vote vote_;
  Votes votes_;   // of this round
  Votes others_;  // of servers that follow or lead already
};

bool better(const Vote& one, const Vote& other);

}  // namespace picklock::zookeeper
