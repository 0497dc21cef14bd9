// One ZooKeeper server of version 3.8. It keeps its clients' connections and watches, answers reads
// from its own tree, which may be behind (Z41), and passes writes to its ensemble
// (models/zookeeper/quorum_peer.h). It answers the requests of one connection in order (Z50), and
// notifies watchers of a change before any answer that shows it (Z33).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/server_end.h"
#include "models/zookeeper/four_letters.h"
#include "models/zookeeper/grant_recorder.h"
#include "models/zookeeper/quorum_peer.h"
#include "models/zookeeper/session_tracker.h"
#include "models/zookeeper/tree.h"
#include "models/zookeeper/watches.h"
#include "models/zookeeper/wire.h"
#include "sim/service.h"

namespace picklock::zookeeper {

class Server final : public sim::Service, private QuorumPeer::Host {
 public:
  // The state when a run begins. While it leads, it reports its commits to `grants`.
  void reset(sim::Simulation& simulation, sim::Process& process, GrantRecorder& grants, ServerId id,
             const std::vector<QuorumPeer*>& peers, const Settings& settings);

  QuorumPeer& peer() { return peer_; }
  const QuorumPeer& peer() const { return peer_; }
  const Tree& tree() const { return tree_; }
  std::size_t watches() const { return watches_.size(); }

  // Ends the session that the client has by its connection to this server; false: it has none.
  bool kill_session(const sim::Process& client);

  // --- sim::Program
  void start(sim::Keeps keeps) override;
  void halted() override;
  void strike(const sim::Strike& strike) override;

  // --- sim::Endpoint
  void on_reset(sim::Connection& connection) override { hung_up(connection); }
  void on_closed(sim::Connection& connection) override { hung_up(connection); }

 private:
  // A request that cannot be answered yet, and the later ones of its connection.
  struct Pending {
    sim::Message* message = nullptr;
    std::int32_t xid = 0;
    OpCode op{};
    bool waits = false;  // for the ensemble
    Zxid zxid = 0;
    Result result{};
  };
  // A client's connection.
  struct Link {
    enum class Phase : std::uint8_t { free, new_here, connecting, open, closing };
    Phase phase = Phase::free;
    sim::Connection* connection = nullptr;
    Watcher number = 0;  // its index among the links
    SessionId session = 0;
    std::int32_t timeout = 0;
    bool old = false;  // its client is (ConnectRequest)
    std::deque<Pending> pending;
    std::uint64_t first_pending = 0;  // counts the answered ones
  };
  // The request to which an answer of the ensemble belongs.
  struct Asked {
    Watcher link = 0;
    SessionId session = 0;
    std::uint64_t pending = 0;
  };

  // --- sim::Service
  bool apply(sim::Message& message, sim::Payload& answer) override;
  bool take(sim::Message& message, sim::Payload& answer);
  void release(sim::Message& message);
  Condition condition() const;

  // --- QuorumPeer::Host
  void load(std::span<const Proposal> proposals) override;
  void apply(const Proposal& proposal, bool committed) override;
  void serve(bool leads) override;
  void retire() override;
  void asked(const Proposal& request) override;
  bool revalidate(SessionId session, std::int32_t timeout, ServerId at) override;
  void heard_of(std::span<const SessionId> sessions) override;
  void take_heard_of(std::vector<SessionId>& sessions) override;
  void revalidated(std::uint32_t request, bool valid) override;
  void synced(std::uint32_t request) override;

  // --- connections
  Link& link_of(sim::Connection& connection);
  bool too_many(const sim::Connection& connection) const;
  void hung_up(const sim::Connection& connection);
  void shut(Link& link);
  void end_connection(SessionId session);
  void drop(Link& link);
  bool open(Link& link, sim::Message& message);
  void opened(Link& link, bool valid);

  // --- requests
  bool handle(Link& link, sim::Message& message, sim::Payload& answer);
  void wait(Link& link, sim::Message& message, const Request& request, bool for_ensemble);
  std::uint32_t expect(Link& link);
  void ask_ensemble(Write write, std::uint32_t number, const sim::Message& message);
  void settle(std::uint32_t number, Zxid zxid, Result result);
  void answer_pending(Link& link);
  void answer_one(Link& link, Pending& pending);
  void read(Link& link, const Request& request, Reply& reply);
  void set_watches(Link& link, const Request& request);
  void notify(const Watches::Told& told, history::TenureId by);

  // --- sessions, of a leader
  std::int64_t clock_ms() const;
  void heard_of_session(SessionId session);
  void await_ends();
  void end_sessions();
  void look_for_containers();

  GrantRecorder* grants_ = nullptr;
  QuorumPeer peer_;
  Tree tree_;
  Watches watches_;
  SessionTracker tracker_{1};
  std::set<SessionId> heard_of_;  // on a follower: those active since it last reported
  SessionId next_session_ = 0;
  std::deque<Link> links_;  // by Watcher
  std::map<SessionId, Watcher> by_session_;
  std::uint32_t numbered_ = 0;
  std::uint64_t received_ = 0;  // messages, since the process started
  std::uint64_t sent_ = 0;
  boost::unordered_flat_map<std::uint32_t, Asked> asked_;
  sim::Timer end_timer_;
  sim::Timer container_timer_;
  const sim::Message* arriving_ = nullptr;  // the message that is being applied
  std::vector<Change> changes_;             // scratch, like the rest
  std::vector<Watches::Told> told_;
  Request request_;
  Reply reply_;
};

}  // namespace picklock::zookeeper
