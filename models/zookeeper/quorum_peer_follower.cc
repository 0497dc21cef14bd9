#include <algorithm>

#include "models/zookeeper/quorum_peer.h"

namespace picklock::zookeeper {
namespace {

using namespace std::chrono_literals;

// As in ZooKeeper: how a follower connects to a leader that does not lead yet.
constexpr Duration kDialPeerAgain = 100ms;
constexpr std::uint32_t kDials = 5;

}  // namespace

// ---------------------------------------------------------------- following

void QuorumPeer::follow(ServerId leader) {
  state_ = PeerState::following;
  leader_ = leader;
  tries_ = 0;
  arm(deadline_timer_, settings_->init_limit * settings_->tick);
  dial();
}

void QuorumPeer::dial() {
  ++tries_;
  QuorumPeer& leader = *(*peers_)[leader_ - 1];
  link_ = &simulation_->network.dial(process(), *this, leader.process(), leader, peer_protocol(),
                                     ++dials_);
  PeerMessage message = said(Packet::follower_info);
  message.epoch = log_.accepted_epoch();
  tell_leader(message);
}

// A leader that does not know yet that it was elected refuses connections.
void QuorumPeer::lost_leader() {
  link_ = nullptr;
  if (introduced_ || tries_ >= kDials) {
    look();
  } else {
    arm(retry_timer_, kDialPeerAgain);
  }
}

void QuorumPeer::heard_from_leader(const sim::Message& message, PeerMessage& packet) {
  const std::uint32_t limit = serves_ ? settings_->sync_limit : settings_->init_limit;
  arm(deadline_timer_, limit * settings_->tick);
  switch (packet.packet) {
    case Packet::leader_info: {
      introduced_ = true;
      if (packet.epoch < log_.accepted_epoch()) {
        look();
        return;
      }
      log_.accept(packet.epoch);
      PeerMessage ack = said(Packet::ack_epoch, log_.last());
      ack.epoch = log_.current_epoch();
      tell_leader(ack);
      break;
    }
    case Packet::truncate:
      log_.truncate(packet.zxid);
      writing_ = std::min(writing_, log_.size());
      host_->load(log_.proposals());
      applied_ = log_.size();
      break;
    case Packet::proposal:
      packet.proposal.tenure = message.tag;
      log_.append(packet.proposal);
      write_on();
      break;
    case Packet::commit:
      commit_up_to(packet.zxid);
      break;
    case Packet::new_leader:
      log_.enter(epoch_of(packet.zxid));
      new_leader_ = packet.zxid;
      tell_acked();
      break;
    case Packet::up_to_date:
      commit_up_to(packet.zxid);
      serves_ = true;
      arm(deadline_timer_, settings_->sync_limit * settings_->tick);
      host_->serve(false);
      break;
    case Packet::ping: {
      PeerMessage answer = said(Packet::ping);
      host_->take_heard_of(answer.sessions);
      tell_leader(answer);
      break;
    }
    case Packet::sync:
      host_->synced(packet.request);
      break;
    case Packet::revalidate:
      host_->revalidated(packet.request, packet.valid);
      break;
    default:
      break;
  }
}

void QuorumPeer::commit_up_to(Zxid zxid) {
  const sim::Connection* const leader = link_;
  while (link_ == leader && applied_ < log_.size() && log_[applied_].zxid <= zxid)
    host_->apply(Proposal(log_[applied_++]), false);
}

void QuorumPeer::forward(const Proposal& request) {
  PeerMessage message = said(Packet::request);
  message.request = request.request;
  message.proposal = request;
  tell_leader(message);
}

void QuorumPeer::sync(std::uint32_t request) {
  if (leads()) {
    syncs_.push_back({log_.last(), self_, request});
    answer_syncs();
    return;
  }
  PeerMessage message = said(Packet::sync);
  message.request = request;
  tell_leader(message);
}

void QuorumPeer::revalidate(std::uint32_t request, SessionId session, std::int32_t timeout) {
  PeerMessage message = said(Packet::revalidate);
  message.request = request;
  message.session = session;
  message.timeout = timeout;
  tell_leader(message);
}

}  // namespace picklock::zookeeper
