// One server's part in its ensemble: Zab, as ZooKeeper has it. The servers elect a leader. It finds
// out with more than half of them where the log ends and begins an epoch. From then on it gives
// every write its zxid, commits the writes that more than half have on disk, and tells everyone. A
// server that loses its leader, or a leader that loses its quorum, serves no clients and looks for
// a leader again (Z42-Z45). (Junqueira, Reed, Serafini: Zab, 2011; ZooKeeper 3.8, Leader, Follower,
// Learner)
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "models/zookeeper/election.h"
#include "models/zookeeper/log.h"
#include "models/zookeeper/peer_wire.h"
#include "sim/simulation.h"

namespace picklock::zookeeper {

using sim::Duration;

// The same for all servers of an ensemble; named as in zoo.cfg.
struct Settings {
  Duration tick = std::chrono::seconds(2);  // tickTime
  std::uint32_t init_limit = 10;            // ticks that a follower has to catch up
  std::uint32_t sync_limit = 5;             // ticks after which a silent leader or follower is lost
  std::uint32_t max_connections = 60;       // of one client (Z7); 0: any number
  Duration fsync = std::chrono::microseconds(500);
  bool force_sync = true;          // false: a write is acknowledged before it is on disk
  bool wall_clock_expiry = false;  // sessions are counted on a clock that steps, as in old releases
  // Whether a server acknowledges its new leader only when it has the leader's log on disk (Z63).
  bool log_before_ack = true;
  Numbering numbering{};
};

class QuorumPeer final : public sim::Endpoint {
 public:
  // The server that a peer belongs to.
  class Host {
   public:
    // Replaces everything applied before with these proposals.
    virtual void load(std::span<const Proposal> proposals) = 0;
    // Applies one more, in order. `committed`: a leader in office commits it now.
    virtual void apply(const Proposal& proposal, bool committed) = 0;
    virtual void serve(bool leads) = 0;  // serves clients from now on
    virtual void retire() = 0;           // stops serving clients

    // --- of a leader
    // A client of another server sends a write.
    virtual void asked(const Proposal& request) = 0;
    virtual bool revalidate(SessionId session, std::int32_t timeout, ServerId at) = 0;
    virtual void heard_of(std::span<const SessionId> sessions) = 0;
    // --- of a follower
    virtual void take_heard_of(std::vector<SessionId>& sessions) = 0;
    virtual void revalidated(std::uint32_t request, bool valid) = 0;
    // --- of either
    virtual void synced(std::uint32_t request) = 0;

   protected:
    ~Host() = default;
  };

  // Server number `self` of the ensemble; `peers`: all its servers, in order. A run begins with an
  // ensemble that has long been in service: the first server leads.
  void reset(sim::Simulation& simulation, sim::Process& process, Host& host, ServerId self,
             const std::vector<QuorumPeer*>& peers, const Settings& settings);
  void start(sim::Keeps keeps);
  void halted();

  ServerId self() const { return self_; }
  bool serves() const { return serves_; }
  bool is_alone() const { return peers_->size() == 1; }  // the ensemble has no other server
  bool leads() const { return state_ == PeerState::leading; }
  PeerState state() const { return state_; }
  Zxid committed() const { return applied_ == 0 ? 0 : log_[applied_ - 1].zxid; }
  const Log& log() const { return log_; }
  const Settings& settings() const { return *settings_; }

  // --- of a leader that serves
  // Sends the proposal to all, with the next zxid.
  void propose(Proposal proposal);
  // --- of one that serves
  // Sends the write to the leader, which proposes it. Not for the leader itself.
  void forward(const Proposal& request);
  void sync(std::uint32_t request);
  void revalidate(std::uint32_t request, SessionId session, std::int32_t timeout);

  // --- sim::Endpoint, for both ends of the connections between servers
  void on_message(sim::Connection& connection, sim::Message& message) override;
  void on_reset(sim::Connection& connection) override;
  void on_closed(sim::Connection& connection) override { on_reset(connection); }

 private:
  // A server that follows this one, and its progress.
  struct Learner {
    enum class Phase : std::uint8_t { introduced, agreed, catching_up, ready };
    sim::Connection* connection = nullptr;
    ServerId server = 0;
    Phase phase = Phase::introduced;
    std::int64_t accepted = 0;  // its last accepted epoch
    Zxid last = 0;              // where its log ends
    Zxid acked = 0;
    std::uint64_t heard = 0;  // the leader's half tick of its last message
  };
  struct PendingSync {
    Zxid behind = 0;
    ServerId server = 0;
    std::uint32_t request = 0;
  };

  sim::Process& process() const { return *process_; }
  bool quorum(std::size_t servers) const { return 2 * servers > peers_->size(); }
  std::int64_t now() const;
  template <void (QuorumPeer::*kMethod)()>
  void bind(sim::Timer& timer);
  void arm(sim::Timer& timer, Duration after);

  // --- messages
  sim::Message& packet(sim::Connection& connection, std::uint8_t direction,
                       const PeerMessage& message);
  void send(sim::Connection& connection, std::uint8_t direction, const PeerMessage& message);
  void tell(Learner& learner, const PeerMessage& message) { send(*learner.connection, 1, message); }
  void tell_leader(const PeerMessage& message) {
    if (link_ != nullptr) send(*link_, 0, message);
  }
  PeerMessage said(Packet packet, Zxid zxid = 0) const;

  // --- looking for a leader
  void look();
  void leave();
  void notify(ServerId to);
  void notify_all();
  void notify_again();
  void heard_vote(const PeerMessage& notification);
  void settle();
  void decided(ServerId leader);

  // --- leading
  void lead();
  void introduced(sim::Connection& connection, const PeerMessage& info);
  void begin_epoch();
  void agreed(Learner& learner, const PeerMessage& ack);
  void bring_up(Learner& learner);
  void acked(Learner& learner, Zxid zxid);
  void take_office();
  void serve_learner(Learner& learner);
  void advance();
  void commit_next();
  void answer_syncs();
  void synced(ServerId server, std::uint32_t request);
  void tick();
  void give_up_the_silent();
  Learner* learner_on(const sim::Connection& connection);
  std::size_t in_phase(Learner::Phase least) const;  // counts this server too
  void heard_from(Learner& learner, const sim::Message& message, PeerMessage& packet);

  // --- following
  void follow(ServerId leader);
  void dial();
  void lost_leader();
  void heard_from_leader(const sim::Message& message, PeerMessage& packet);
  void commit_up_to(Zxid zxid);

  // --- the disk
  void write_on();
  void fsynced();
  void tell_acked();

  sim::Simulation* simulation_ = nullptr;
  sim::Process* process_ = nullptr;
  Host* host_ = nullptr;
  const std::vector<QuorumPeer*>* peers_ = nullptr;
  const Settings* settings_ = nullptr;
  ServerId self_ = 0;

  Log log_;
  std::size_t applied_ = 0;  // of the log
  PeerState state_ = PeerState::looking;
  bool serves_ = false;
  ServerId leader_ = 0;
  std::uint32_t dials_ = 0;
  PeerMessage heard_;  // scratch

  Election election_;
  Duration patience_{};                  // until it repeats its vote
  std::vector<sim::Connection*> votes_;  // to each server, for notifications
  sim::Timer vote_timer_;
  sim::Timer settle_timer_;
  bool settling_ = false;

  std::int64_t epoch_ = 0;  // the epoch that this leader begins; 0: not known yet
  bool entered_ = false;
  Zxid last_zxid_ = 0;  // of the last proposal
  std::deque<Learner> learners_;
  std::deque<PendingSync> syncs_;
  std::uint64_t half_ticks_ = 0;
  sim::Timer tick_timer_;

  sim::Connection* link_ = nullptr;  // to the leader
  std::uint32_t tries_ = 0;
  bool introduced_ = false;  // the leader has answered
  Zxid new_leader_ = 0;      // to acknowledge once the log is on disk
  sim::Timer retry_timer_;
  sim::Timer deadline_timer_;

  std::size_t writing_ = 0;  // length of the log that is being written to disk; 0: nothing
  sim::Timer disk_timer_;
};

}  // namespace picklock::zookeeper
