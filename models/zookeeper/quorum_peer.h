// One server's part in its ensemble: Zab, as ZooKeeper has it. Servers elect one of them; it finds
// out with more than half of them how far the log goes, begins an epoch, and from then on gives
// every write its zxid, commits what more than half have on disk, and says so to all. Whoever loses
// the leader, or as a leader loses its quorum, serves nobody and looks for one again (Z42-Z45).
// (Junqueira, Reed, Serafini: Zab, 2011; ZooKeeper 3.8, Leader, Follower, Learner)
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

// The same for all servers of an ensemble, as zoo.cfg has them.
struct Settings {
  Duration tick = std::chrono::seconds(2);  // tickTime
  std::uint32_t init_limit = 10;            // ticks that a follower has to catch up
  std::uint32_t sync_limit = 5;        // ticks after which a silent leader, or follower, is lost
  std::uint32_t max_connections = 60;  // of one client (Z7); 0: any number
  Duration fsync = std::chrono::microseconds(500);
  bool force_sync = true;          // false: a write is acknowledged before it is on disk
  bool wall_clock_expiry = false;  // sessions are counted on a clock that steps, as in old releases
};

class QuorumPeer final : public sim::Endpoint {
 public:
  // Whom it works for.
  class Host {
   public:
    // What was applied before is void: these are all.
    virtual void load(std::span<const Proposal> proposals) = 0;
    // One more, in order. `committed`: by a leader in office, now.
    virtual void apply(const Proposal& proposal, bool committed) = 0;
    virtual void serve(bool leads) = 0;  // clients, from now on
    virtual void retire() = 0;           // serves nobody any more

    // --- of a leader
    // A client of another server asks for a write.
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

  // The server with this number of so many; `peers`: all of them, in order. Long in service when a
  // run begins: the first one leads.
  void reset(sim::Simulation& simulation, sim::Process& process, Host& host, ServerId self,
             const std::vector<QuorumPeer*>& peers, const Settings& settings);
  void start(sim::Keeps keeps);
  void halted();

  ServerId self() const { return self_; }
  bool serves() const { return serves_; }
  bool leads() const { return state_ == PeerState::leading; }
  PeerState state() const { return state_; }
  Zxid committed() const { return applied_ == 0 ? 0 : log_[applied_ - 1].zxid; }
  const Log& log() const { return log_; }
  const Settings& settings() const { return *settings_; }

  // --- of a leader that serves
  // Proposes it to all, with the next zxid.
  void propose(Proposal proposal);
  // --- of one that serves
  // Tells the leader, who proposes it. Not for the leader itself.
  void forward(const Proposal& request);
  void sync(std::uint32_t request);
  void revalidate(std::uint32_t request, SessionId session, std::int32_t timeout);

  // --- sim::Endpoint, for both ends of what servers have with each other
  void on_message(sim::Connection& connection, sim::Message& message) override;
  void on_reset(sim::Connection& connection) override;
  void on_closed(sim::Connection& connection) override { on_reset(connection); }

 private:
  // A server that follows this one, as far as it has come.
  struct Learner {
    enum class Phase : std::uint8_t { introduced, agreed, catching_up, ready };
    sim::Connection* connection = nullptr;
    ServerId server = 0;
    Phase phase = Phase::introduced;
    std::int64_t accepted = 0;  // its last epoch
    Zxid last = 0;              // how far its log goes
    Zxid acked = 0;
    std::uint64_t heard = 0;  // in which half tick of the leader
  };
  struct PendingSync {
    Zxid behind = 0;
    ServerId server = 0;
    std::uint32_t request = 0;
  };

  sim::Process& process() const { return *process_; }
  bool alone() const { return peers_->size() == 1; }
  bool quorum(std::size_t servers) const { return 2 * servers > peers_->size(); }
  std::int64_t now() const;
  void arm(sim::TimerId timer, Duration after);
  template <void (QuorumPeer::*Method)()>
  sim::TimerId timer();

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
  std::size_t in_phase(Learner::Phase least) const;  // this server with them
  void heard_from(Learner& learner, const sim::Message& message, PeerMessage& packet);

  // --- following
  void follow(ServerId leader);
  void dial();
  void try_again();
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
  Duration patience_{};                  // until the vote is repeated
  std::vector<sim::Connection*> votes_;  // to each server, for notifications
  sim::TimerId vote_timer_ = 0;
  sim::TimerId settle_timer_ = 0;
  bool settling_ = false;

  std::int64_t epoch_ = 0;  // that this leader begins; 0: not yet known
  bool entered_ = false;
  Zxid last_zxid_ = 0;  // that was given to a proposal
  std::deque<Learner> learners_;
  std::deque<PendingSync> syncs_;
  std::uint64_t half_ticks_ = 0;
  sim::TimerId tick_timer_ = 0;

  sim::Connection* link_ = nullptr;  // to the leader
  std::uint32_t tries_ = 0;
  bool introduced_ = false;  // the leader has answered
  Zxid new_leader_ = 0;      // to be acknowledged once the log is on disk
  sim::TimerId retry_timer_ = 0;
  sim::TimerId deadline_timer_ = 0;

  std::size_t writing_ = 0;  // so much of the log is on its way to the disk; 0: nothing
  sim::TimerId disk_timer_ = 0;
};

}  // namespace picklock::zookeeper
