#include <algorithm>
#include <functional>
#include <utility>

#include "models/zookeeper/quorum_peer.h"

namespace picklock::zookeeper {

// ---------------------------------------------------------------- leading: discovery

void QuorumPeer::lead() {
  state_ = PeerState::leading;
  leader_ = self_;
  arm(deadline_timer_, settings_->init_limit * settings_->tick);
  arm(tick_timer_, settings_->tick / 2);
}

QuorumPeer::Learner* QuorumPeer::learner_on(const sim::Connection& connection) {
  const auto found =
      std::find_if(learners_.begin(), learners_.end(),
                   [&connection](const Learner& one) { return one.connection == &connection; });
  return found == learners_.end() ? nullptr : &*found;
}

std::size_t QuorumPeer::in_phase(Learner::Phase least) const {
  return 1 + static_cast<std::size_t>(
                 std::count_if(learners_.begin(), learners_.end(),
                               [least](const Learner& learner) { return learner.phase >= least; }));
}

void QuorumPeer::introduced(sim::Connection& connection, const PeerMessage& info) {
  if (state_ != PeerState::leading) {
    simulation_->network.shut(connection);
    return;
  }
  learners_.push_back({.connection = &connection,
                       .server = info.server,
                       .accepted = info.epoch,
                       .heard = half_ticks_});
  if (epoch_ == 0) {
    if (quorum(in_phase(Learner::Phase::introduced))) begin_epoch();
    return;
  }
  PeerMessage message = said(Packet::leader_info);
  message.epoch = epoch_;
  tell(learners_.back(), message);
}

void QuorumPeer::begin_epoch() {
  epoch_ = log_.accepted_epoch();
  for (const Learner& learner : learners_) epoch_ = std::max(epoch_, learner.accepted);
  log_.accept(++epoch_);
  PeerMessage message = said(Packet::leader_info);
  message.epoch = epoch_;
  for (Learner& learner : learners_) tell(learner, message);
}

void QuorumPeer::agreed(Learner& learner, const PeerMessage& ack) {
  learner.phase = Learner::Phase::agreed;
  learner.last = ack.zxid;
  if (entered_) {
    bring_up(learner);
    return;
  }
  // A follower that knows more than this leader must not lose it.
  const bool knows_more = ack.epoch > log_.current_epoch() ||
                          (ack.epoch == log_.current_epoch() && ack.zxid > log_.last());
  if (knows_more) {
    look();
    return;
  }
  if (!quorum(in_phase(Learner::Phase::agreed))) return;
  entered_ = true;
  log_.enter(epoch_);
  for (Learner& one : learners_) {
    if (one.phase == Learner::Phase::agreed) bring_up(one);
  }
}

// ---------------------------------------------------------------- leading: synchronization

// The learner removes what only its own log has, because that was never committed, and receives
// what it lacks. From then on it receives what all learners receive.
void QuorumPeer::bring_up(Learner& learner) {
  learner.phase = Learner::Phase::catching_up;
  const std::size_t shared = log_.up_to(learner.last);
  const Zxid common = shared == 0 ? 0 : log_[shared - 1].zxid;
  if (common != learner.last) tell(learner, said(Packet::truncate, common));
  PeerMessage message = said(Packet::proposal);
  for (std::size_t i = shared; i < log_.size(); ++i) {
    message.proposal = log_[i];
    tell(learner, message);
  }
  if (serves_ && applied_ > 0) tell(learner, said(Packet::commit, committed()));
  tell(learner, said(Packet::new_leader, first_of(epoch_)));
}

void QuorumPeer::acked(Learner& learner, Zxid zxid) {
  learner.acked = std::max(learner.acked, zxid);
  if (learner.phase == Learner::Phase::catching_up && zxid >= first_of(epoch_)) {
    learner.phase = Learner::Phase::ready;
    if (serves_) {
      serve_learner(learner);
    } else if (quorum(in_phase(Learner::Phase::ready))) {
      take_office();
    }
  }
  if (serves_) advance();
}

void QuorumPeer::serve_learner(Learner& learner) {
  tell(learner, said(Packet::up_to_date, committed()));
}

// More than half have everything that this leader has, so it is committed.
void QuorumPeer::take_office() {
  deadline_timer_.disarm();
  last_zxid_ = first_of(epoch_);
  serves_ = true;
  for (Learner& learner : learners_) {
    if (learner.phase == Learner::Phase::ready) serve_learner(learner);
  }
  host_->serve(true);
}

// ---------------------------------------------------------------- leading: broadcast

void QuorumPeer::propose(Proposal proposal) {
  proposal.zxid = ++last_zxid_;
  proposal.ms = simulation_->scheduler.local_time(process(), sim::ClockKind::wall) / 1'000'000;
  log_.append(proposal);
  if (!learners_.empty()) {
    PeerMessage message = said(Packet::proposal);
    message.proposal = std::move(proposal);
    for (Learner& learner : learners_) {
      if (learner.phase >= Learner::Phase::catching_up) tell(learner, message);
    }
  }
  write_on();
}

// Commits, in order, the proposals that more than half have on disk.
void QuorumPeer::advance() {
  std::vector<Zxid> acked;
  const bool force = settings_->force_sync;
  const std::size_t own = force ? log_.safe() : log_.size();
  acked.push_back(own == 0 ? 0 : log_[own - 1].zxid);
  for (const Learner& learner : learners_) {
    if (learner.phase == Learner::Phase::ready) acked.push_back(learner.acked);
  }
  std::sort(acked.begin(), acked.end(), std::greater<>());
  const std::size_t enough = peers_->size() / 2;
  if (acked.size() <= enough) return;
  const Zxid limit = acked[enough];
  while (serves_ && applied_ < log_.size() && log_[applied_].zxid <= limit) commit_next();
}

void QuorumPeer::commit_next() {
  const Proposal& proposal = log_[applied_++];
  PeerMessage message = said(Packet::commit, proposal.zxid);
  for (Learner& learner : learners_) {
    if (learner.phase >= Learner::Phase::catching_up) tell(learner, message);
  }
  // A fault may strike where a client is answered and change the log, so pass a copy.
  host_->apply(Proposal(proposal), true);
  if (serves_) answer_syncs();
}

void QuorumPeer::answer_syncs() {
  while (serves_ && !syncs_.empty() && syncs_.front().behind <= committed()) {
    const PendingSync sync = syncs_.front();
    syncs_.pop_front();
    synced(sync.server, sync.request);
  }
}

void QuorumPeer::synced(ServerId server, std::uint32_t request) {
  if (server == self_) {
    host_->synced(request);
    return;
  }
  PeerMessage message = said(Packet::sync);
  message.request = request;
  for (Learner& learner : learners_) {
    if (learner.server == server && learner.phase == Learner::Phase::ready) tell(learner, message);
  }
}

// Pings the followers twice a tick, and checks once a tick whether they are enough (Z45).
void QuorumPeer::tick() {
  ++half_ticks_;
  give_up_the_silent();
  const PeerMessage ping = said(Packet::ping);
  for (Learner& learner : learners_) {
    if (learner.phase >= Learner::Phase::catching_up) tell(learner, ping);
  }
  if (half_ticks_ % 2 == 0 && serves_ && !quorum(in_phase(Learner::Phase::ready))) {
    look();
    return;
  }
  arm(tick_timer_, settings_->tick / 2);
}

// Until it is given up, a follower answers its clients as usual while their sessions expire here.
void QuorumPeer::give_up_the_silent() {
  std::erase_if(learners_, [this](const Learner& learner) {
    const bool silent = half_ticks_ - learner.heard > 2 * std::uint64_t{settings_->sync_limit};
    if (silent && serves_) simulation_->network.shut(*learner.connection);
    return silent && serves_;
  });
}

void QuorumPeer::heard_from(Learner& learner, const sim::Message& message, PeerMessage& packet) {
  learner.heard = half_ticks_;
  switch (packet.packet) {
    case Packet::ack_epoch:
      agreed(learner, packet);
      break;
    case Packet::ack:
      acked(learner, packet.zxid);
      break;
    case Packet::ping:
      host_->heard_of(packet.sessions);
      break;
    case Packet::request:
      if (!serves_) break;
      packet.proposal.server = packet.server;
      packet.proposal.request = packet.request;
      packet.proposal.tenure = message.tag;
      host_->asked(packet.proposal);
      break;
    case Packet::sync:
      if (!serves_) break;
      syncs_.push_back({log_.last(), packet.server, packet.request});
      answer_syncs();
      break;
    case Packet::revalidate:
      packet.valid = serves_ && host_->revalidate(packet.session, packet.timeout, packet.server);
      packet.server = self_;
      tell(learner, packet);
      break;
    default:
      break;
  }
}

}  // namespace picklock::zookeeper
