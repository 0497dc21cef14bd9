#include "models/zookeeper/quorum_peer.h"

#include <algorithm>
#include <functional>

namespace picklock::zookeeper {
namespace {

using namespace std::chrono_literals;

// As in ZooKeeper: finalizeWait and maxNotificationInterval of an election, and how a follower
// connects to a leader that does not lead yet.
constexpr Duration kSettle = 200ms;
constexpr Duration kVoteAgain = 200ms;
constexpr Duration kVoteAgainAtMost = 60s;
constexpr Duration kDialPeerAgain = 100ms;
constexpr std::uint32_t kDials = 5;

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
  if (alone()) {
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
    if (done == log_.size()) tell_leader(said(Packet::ack, std::exchange(new_leader_, 0)));
  } else if (done > 0) {
    tell_leader(said(Packet::ack, log_[done - 1].zxid));
  }
}

}  // namespace picklock::zookeeper
