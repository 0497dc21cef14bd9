#include "models/zookeeper/quorum_peer.h"

#include <algorithm>
#include <utility>

namespace picklock::zookeeper {
namespace {

using namespace std::chrono_literals;

// As in ZooKeeper: finalizeWait and maxNotificationInterval of an election.
constexpr Duration kSettle = 200ms;
constexpr Duration kVoteAgain = 200ms;
constexpr Duration kVoteAgainAtMost = 60s;

}  // namespace

void QuorumPeer::reset(sim::Simulation& simulation, sim::Process& process, Host& host,
                       ServerId self, const std::vector<QuorumPeer*>& peers,
                       const Settings& settings) {
  simulation_ = &simulation;
  process_ = &process;
  host_ = &host;
  peers_ = &peers;
  settings_ = &settings;
  self_ = self;
  log_.reset();
  dials_ = 0;
  halted();
}

void QuorumPeer::halted() {
  state_ = PeerState::looking;
  serves_ = settling_ = entered_ = introduced_ = false;
  leader_ = 0;
  epoch_ = 0;
  learners_.clear();
  syncs_.clear();
  votes_.assign(peers_->size() + 1, nullptr);
  link_ = nullptr;
  new_leader_ = 0;
  writing_ = 0;
  half_ticks_ = 0;
}

template <void (QuorumPeer::*kMethod)()>
void QuorumPeer::bind(sim::Timer& timer) {
  timer.bind<kMethod>(simulation_->scheduler, process_, *this);
  timer.join();
}

void QuorumPeer::start(sim::Keeps keeps) {
  bind<&QuorumPeer::notify_again>(vote_timer_);
  bind<&QuorumPeer::settle>(settle_timer_);
  bind<&QuorumPeer::tick>(tick_timer_);
  bind<&QuorumPeer::dial>(retry_timer_);
  bind<&QuorumPeer::look>(deadline_timer_);
  bind<&QuorumPeer::fsynced>(disk_timer_);
  const bool first = process().incarnation() == 0;
  if (!first) log_.restart(keeps);
  election_.reset(self_, static_cast<std::uint32_t>(peers_->size()));
  host_->load(log_.proposals());
  applied_ = log_.size();
  if (is_alone()) {
    state_ = PeerState::leading;
    leader_ = self_;
    last_zxid_ = log_.last();
    serves_ = true;
    host_->serve(true);
  } else if (!first) {
    look();
  } else if (self_ == 1) {
    log_.accept(1);
    log_.enter(1);
    lead();
    epoch_ = 1;
    entered_ = true;
    take_office();
  } else {
    log_.accept(1);
    log_.enter(1);
    state_ = PeerState::following;
    leader_ = 1;
    QuorumPeer& leader = *peers_->front();
    link_ =
        &simulation_->network.connect(process(), *this, leader.process(), leader, peer_protocol());
    introduced_ = serves_ = true;
    leader.learners_.push_back({.connection = link_,
                                .server = self_,
                                .phase = Learner::Phase::ready,
                                .accepted = 1,
                                .acked = first_of(1)});
    arm(deadline_timer_, settings_->sync_limit * settings_->tick);
    host_->serve(false);
  }
}

std::int64_t QuorumPeer::now() const {
  return simulation_->scheduler.local_time(process(), sim::ClockKind::monotonic);
}

void QuorumPeer::arm(sim::Timer& timer, Duration after) {
  timer.arm_on(sim::ClockKind::monotonic, now() + after.count());
}

// ---------------------------------------------------------------- messages

PeerMessage QuorumPeer::said(Packet packet, Zxid zxid) const {
  PeerMessage message;
  message.packet = packet;
  message.server = self_;
  message.zxid = zxid;
  return message;
}

sim::Message& QuorumPeer::packet(sim::Connection& connection, std::uint8_t direction,
                                 const PeerMessage& message) {
  sim::Message& packet = simulation_->network.make(connection, direction);
  write(message, packet.payload);
  packet.tag = message.proposal.tenure;
  return packet;
}

void QuorumPeer::send(sim::Connection& connection, std::uint8_t direction,
                      const PeerMessage& message) {
  simulation_->network.send_when_running(packet(connection, direction, message));
}

void QuorumPeer::on_message(sim::Connection& connection, sim::Message& message) {
  if (!read(message.payload.view(), heard_)) return;
  if (heard_.packet == Packet::notification) {
    heard_vote(heard_);
  } else if (&connection == link_) {
    heard_from_leader(message, heard_);
  } else if (heard_.packet == Packet::follower_info) {
    introduced(connection, heard_);
  } else if (Learner* const learner = learner_on(connection)) {
    heard_from(*learner, message, heard_);
  }
}

void QuorumPeer::on_reset(sim::Connection& connection) {
  std::replace(votes_.begin(), votes_.end(), &connection, static_cast<sim::Connection*>(nullptr));
  std::erase_if(learners_,
                [&connection](const Learner& one) { return one.connection == &connection; });
  if (&connection == link_) lost_leader();
}

// ---------------------------------------------------------------- looking for a leader

void QuorumPeer::look() {
  leave();
  // Everything in the log counts from now on, because no server knows which part of it was
  // committed.
  while (applied_ < log_.size()) host_->apply(log_[applied_++], false);
  election_.begin(log_.current_epoch(), log_.last());
  patience_ = kVoteAgain;
  notify_all();
  arm(vote_timer_, patience_);
}

// Stops leading or following.
void QuorumPeer::leave() {
  for (sim::Timer* const timer :
       {&tick_timer_, &deadline_timer_, &retry_timer_, &settle_timer_, &vote_timer_})
    timer->disarm();
  const bool served = serves_;
  state_ = PeerState::looking;
  serves_ = settling_ = entered_ = introduced_ = false;
  leader_ = 0;
  epoch_ = 0;
  new_leader_ = 0;
  if (link_ != nullptr) simulation_->network.close(*link_);
  link_ = nullptr;
  for (const Learner& learner : learners_) simulation_->network.shut(*learner.connection);
  learners_.clear();
  syncs_.clear();
  if (served) host_->retire();
}

void QuorumPeer::notify(ServerId to) {
  if (to == self_) return;
  sim::Connection*& way = votes_[to];
  if (way == nullptr) {
    QuorumPeer& other = *(*peers_)[to - 1];
    way = &simulation_->network.dial(process(), *this, other.process(), other, peer_protocol(),
                                     ++dials_);
  }
  PeerMessage message = said(Packet::notification);
  message.state = state_;
  message.round = election_.round();
  message.vote = state_ == PeerState::looking ? election_.vote() : Vote{.leader = leader_};
  send(*way, 0, message);
}

void QuorumPeer::notify_all() {
  for (ServerId server = 1; server <= peers_->size(); ++server) notify(server);
}

void QuorumPeer::notify_again() {
  patience_ = std::min(2 * patience_, kVoteAgainAtMost);
  notify_all();
  arm(vote_timer_, patience_);
}

void QuorumPeer::heard_vote(const PeerMessage& notification) {
  if (state_ != PeerState::looking) {
    if (notification.state == PeerState::looking) notify(notification.server);
    return;
  }
  const Election::Reaction reaction = election_.heard(notification);
  if (reaction.leader != 0) {
    decided(reaction.leader);
    return;
  }
  if (reaction.tell_all) {
    notify_all();
    settle_timer_.disarm();
    settling_ = false;
  } else if (reaction.answer) {
    notify(notification.server);
  }
  if (reaction.settling && !settling_) {
    settling_ = true;
    arm(settle_timer_, kSettle);
  }
}

void QuorumPeer::settle() {
  settling_ = false;
  if (election_.agreed()) decided(election_.vote().leader);
}

void QuorumPeer::decided(ServerId leader) {
  vote_timer_.disarm();
  settle_timer_.disarm();
  settling_ = false;
  if (leader == self_) {
    lead();
  } else {
    follow(leader);
  }
}

// ---------------------------------------------------------------- the disk

// One fsync runs at a time; proposals that arrive meanwhile go with the next.
void QuorumPeer::write_on() {
  if (!settings_->force_sync) {
    tell_acked();
    return;
  }
  if (writing_ != 0 || log_.safe() == log_.size()) return;
  writing_ = log_.size();
  if (settings_->fsync > Duration::zero()) {
    arm(disk_timer_, settings_->fsync);
  } else {
    fsynced();
  }
}

void QuorumPeer::fsynced() {
  log_.fsynced(std::exchange(writing_, 0));
  tell_acked();
  if (!process().down()) write_on();
}

// Writes on disk count: a follower acknowledges them to its leader, the leader counts its own.
void QuorumPeer::tell_acked() {
  if (state_ == PeerState::leading) {
    if (serves_) advance();
    return;
  }
  if (state_ != PeerState::following) return;
  const std::size_t done = settings_->force_sync ? log_.safe() : log_.size();
  if (new_leader_ != 0) {
    if (done == log_.size() || !settings_->log_before_ack)
      tell_leader(said(Packet::ack, std::exchange(new_leader_, 0)));
  } else if (done > 0) {
    tell_leader(said(Packet::ack, log_[done - 1].zxid));
  }
}

}  // namespace picklock::zookeeper
