// One MySQL server on the network: sessions and their ends (FIN, wait_timeout, keepalive, KILL; M20
// to M24, M48, M49), waits that time out (M15, M30), the log on disk, and replication. A replica
// applies later what its primary has committed, and has none of its locks (docs/facts/failures.md
// C-17). Several primaries form a ring: each applies what the one before it has committed, as a
// session of its own, which waits for the rows that clients have locked. Nothing else keeps them
// apart.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/server_end.h"
#include "models/client/tenures.h"
#include "models/mysql/engine.h"
#include "models/mysql/grant_recorder.h"
#include "models/mysql/grants.h"
#include "models/mysql/settings.h"
#include "models/mysql/wire.h"
#include "sim/caller.h"
#include "sim/service.h"

namespace picklock::mysql {

class Server;

class Server final : public sim::Service {
 public:
  // The state when a run begins. `group`: the servers that replicate to each other, the primary
  // first. Writes to kWork are the work that the lock protects.
  // `any`: the names of the locks of clients outside the simulation; nullptr: there are none, and
  // only the grants of `lock_keys` are recorded.
  void reset(history::RecordedSimulation& simulation, sim::Process& process,
             std::span<Server* const> group, models::Tenures& tenures,
             std::span<const std::string> lock_keys, const Settings& settings,
             Grants::OverBy over_by, models::Keys* any);

  bool is_primary() const { return primary_; }
  std::size_t sessions() const { return links_.size(); }
  std::size_t commits() const { return binlog_.size(); }
  Engine& engine() { return engine_; }

  // From now on clients may write to this server.
  void promote();
  // Ends the sessions that the client has here; false: it had none.
  bool kill_session(const sim::Process& client);
  // Its machine is gone: another of its group takes its place, the foremost if none is named.
  void fail_over(sim::Process* to);

  // --- sim::Program
  void start(sim::Keeps keeps) override;
  void halted() override;
  void strike(const sim::Strike& strike) override;
  void relieve(const sim::Strike& strike) override;

  // --- sim::Endpoint
  void on_reset(sim::Connection& connection) override { hung_up(connection); }
  void on_closed(sim::Connection& connection) override { hung_up(connection); }

 private:
  // A write of a transaction to kWork: accepted once it commits.
  struct Write {
    sim::ProcessId client = 0;
    sim::ThreadId thread = 0;
    history::TenureId tenure = 0;
  };
  // A session. Times are on the monotonic clock, in nanoseconds.
  struct Link {
    SessionId id = 0;
    sim::Connection* connection = nullptr;  // nullptr: the client is gone
    sim::Message* asked = nullptr;          // the statement that waits
    Op op{};
    std::int64_t since = 0;               // beginning of its wait or idle time
    std::int64_t limit = 0;               // of its wait
    std::int64_t row_limit = 0;           // of each wait for a row: innodb_lock_wait_timeout
    std::int64_t noticed_at = INT64_MAX;  // when it notices that its client is gone
    std::int64_t asked_kernel_at = 0;     // after `since`: when its kernel last answered
    std::int64_t listed = INT64_MAX;      // its place in `deadlines_`
    sim::ProcessId client = 0;            // of the last statement, as the next three
    sim::ThreadId thread = 0;
    history::TenureId tenure = 0;
    Role role{};
    bool writes_work = false;       // the statement writes to kWork
    bool inserts_for_good = false;  // the row is the lock: a duplicate ends the attempt
    bool killed = false;            // ends after its current statement
    std::vector<Write> writes;
  };
  struct Deadline {
    std::int64_t time = 0;
    Link* link = nullptr;

    bool operator<(const Deadline& other) const {
      return time != other.time ? time < other.time : link->id < other.link->id;
    }
  };
  struct Logged {
    Changes changes;
    history::TenureId tenure = 0;
  };

  // --- statements
  bool apply(sim::Message& message, sim::Payload& answer) override;
  bool execute(Link& link, sim::Message& message, const Statement& statement, sim::Payload& answer);
  Answer about(const Link& link) const;
  std::int64_t row_limit(std::int64_t seconds) const;
  void note_write(Link& link, const Answer& answer);
  void note_refusal(SessionId id, const Answer& answer, bool waited);
  void settle(const Grants::Doing& doing);
  std::vector<Engine::Finished> begin_to_settle(const Grants::Doing& doing);
  void end_killed();
  bool answer_late(const Engine::Finished& done);
  void log_commits();
  void append(Logged logged);
  void look(const Grants::Doing& doing);
  void load();

  // --- sessions
  Link& link_of(sim::Connection& connection);
  void hung_up(sim::Connection& connection);
  void forget(Link& link, bool says_so);
  void end(SessionId id, history::Cause cause);
  bool close(SessionId id);
  void forget_sessions();

  // --- time
  std::int64_t now() const;         // monotonic, in nanoseconds
  std::int64_t wall_clock() const;  // microseconds since 1970
  std::int64_t due(const Link& link) const;
  void list_due(Link& link);
  void list_at(Link& link, std::int64_t time);
  void unlist(Link& link) { deadlines_.erase({link.listed, &link}); }
  std::int64_t next_due();
  std::vector<SessionId> overdue() const;
  void await();
  void on_time();
  void on_expiry() { look({.cause = history::Cause::expiry}); }
  void pass_due(Link& link);
  bool unreachable(const Link& link) const;

  // --- replication
  void serve_replica(sim::Connection& connection, std::string_view bytes);
  void publish(std::uint64_t position, sim::Connection& follower);
  void came(std::string_view bytes, history::TenureId by);
  void follow();

  // --- of several primaries
  bool in_ring() const { return settings_.primaries > 1; }
  void relay(Event event, history::TenureId by);
  void apply_next();
  void go_on_applying();
  void step_taken(const Answer& answer);
  Statement step_of_applier() const;
  void log_relayed();

  history::Recorder* recorder_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  std::vector<Server*> group_;
  Settings settings_;
  std::vector<std::string> lock_keys_;
  Engine engine_;
  KnownLocks known_locks_;
  AnyLock any_lock_;
  GrantRecorder* grants_ = nullptr;
  sim::Random chance_;  // chooses among several waiters, as the server's threads do
  bool primary_ = false;
  std::map<SessionId, Link> links_;
  // One entry for each session: when it is due, or earlier. A deadline that moves to a later time
  // is listed anew only once it is the first, because most of them move with every statement.
  std::set<Deadline> deadlines_;
  std::vector<SessionId> writing_;  // sessions whose `writes` may not be empty
  Link over_;  // of connections whose sessions have ended here: later messages are ignored
  std::deque<std::pair<std::int64_t, SessionId>> flushing_;  // when each commit is done
  std::vector<Logged> binlog_;
  std::size_t durable_ = 0;  // length of the log that survives a loss of power
  sim::Timer timer_;
  sim::Timer expiry_timer_;
  std::int64_t armed_ = 0;  // when the timer fires
  std::int64_t expires_ = 0;
  std::int64_t purge_at_ = 0;
  std::int64_t flush_at_ = 0;

  // --- of several primaries: what the one before has sent, and the session that applies it
  struct Relayed {
    Event event;
    history::TenureId by = 0;
  };
  // Where a transaction of the log comes from: the primary, and the position in the log of the one
  // before this.
  struct Source {
    std::uint32_t origin = 0;
    std::uint64_t position = 0;
  };
  std::uint32_t number_ = 0;  // of this server
  std::deque<Relayed> relayed_;
  std::vector<Source> sources_;  // for each transaction of the log
  std::uint64_t received_ = 0;
  SessionId applier_ = 0;  // 0: none is open
  std::size_t step_ = 0;   // of the first of `relayed_`: begin, its changes, commit
  bool logged_ = false;    // it is in the log here

  // --- of a primary, of a replica
  std::vector<sim::Connection*> followers_;
  Server* source_ = nullptr;
  sim::Caller caller_;
  sim::Thread* follower_ = nullptr;
};

// A primary and its replicas.
class Group {
 public:
  // `processes`: one for each server, the primary first.
  void reset(history::RecordedSimulation& simulation, std::span<sim::Process* const> processes,
             models::Tenures& tenures, std::span<const std::string> lock_keys,
             const Settings& settings, Grants::OverBy over_by = Grants::OverBy::server,
             models::Keys* any = nullptr);

  std::size_t size() const { return members_.size(); }
  Server& server(std::size_t index) { return servers_[index]; }
  bool takes_writes(const sim::Process& process) const;  // it is a member, and a primary now
  std::span<const models::ServerEnd> ends() const { return ends_; }

 private:
  std::deque<Server> servers_;
  std::vector<Server*> members_;
  std::vector<models::ServerEnd> ends_;
};

}  // namespace picklock::mysql
