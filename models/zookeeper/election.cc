#include "models/zookeeper/election.h"

#include <algorithm>
#include <tuple>

namespace picklock::zookeeper {

bool better(const Vote& one, const Vote& other) {
  return std::tie(one.epoch, one.zxid, one.leader) >
         std::tie(other.epoch, other.zxid, other.leader);
}

void Election::reset(ServerId self, std::uint32_t servers) {
  self_ = self;
  servers_ = servers;
  round_ = 0;
  vote_ = own_ = {};
  votes_.clear();
  others_.clear();
}

void Election::begin(std::int64_t epoch, Zxid last) {
  ++round_;
  vote_ = own_ = {.leader = self_, .zxid = last, .epoch = epoch};
  others_.clear();
  votes_.clear();
  votes_[self_] = {vote_, PeerState::looking, round_};
}

bool Election::agree(const Votes& votes, const Vote& vote) const {
  const auto same = std::count_if(votes.begin(), votes.end(), [&vote](const auto& one) {
    return one.second.vote.leader == vote.leader;
  });
  return 2 * static_cast<std::uint32_t>(same) > servers_;
}

Election::Reaction Election::heard(const PeerMessage& notification) {
  if (notification.state != PeerState::looking) return heard_of_leader(notification);
  const Vote& theirs = notification.vote;
  Reaction reaction;
  if (notification.round < round_) {
    reaction.answer = true;
    return reaction;
  }
  if (notification.round > round_) {
    round_ = notification.round;
    votes_.clear();
    vote_ = better(theirs, own_) ? theirs : own_;
    reaction.tell_all = true;
  } else if (better(theirs, vote_)) {
    vote_ = theirs;
    reaction.tell_all = true;
  }
  votes_[self_] = {vote_, PeerState::looking, round_};
  votes_[notification.server] = {theirs, PeerState::looking, round_};
  reaction.settling = agreed();
  return reaction;
}

// Some servers follow or lead already. This server joins their leader if more than half of them
// follow it and if it claims to lead itself.
Election::Reaction Election::heard_of_leader(const PeerMessage& notification) {
  others_[notification.server] = {notification.vote, notification.state, notification.round};
  const ServerId leader = notification.vote.leader;
  const auto itself = others_.find(leader);
  const bool leads = itself != others_.end() && itself->second.state == PeerState::leading;
  if (!leads || !agree(others_, notification.vote)) return {};
  round_ = notification.round;
  vote_ = notification.vote;
  return {.leader = leader};
}

}  // namespace picklock::zookeeper
