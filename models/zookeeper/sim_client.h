// zookeeper::Client over the simulated network, with the life of the real library's: one thread of
// the process keeps the session, pings when nothing was sent for a third of its time-out, gives a
// server up that was silent for two thirds, and goes through the list of servers for another. What
// is asked meanwhile waits for the next attempt. A session that has ended is followed by another.
// (ZooKeeper 3.8, ClientCnxn; docs/facts/algorithms.md 5)
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "history/history.h"
#include "models/lock_options.h"
#include "models/server_end.h"
#include "models/zookeeper/wire.h"
#include "picklock/zookeeper.h"
#include "sim/caller.h"

namespace picklock::zookeeper {

class SimClient final : public Client {
 public:
  // `first`: which of the servers, which must outlive it, it tries first; it goes on with those
  // behind it. `options.ttl` is the session time-out that it asks for.
  void reset(sim::Simulation& simulation, sim::Process& self,
             std::span<const models::ServerEnd> servers, const models::LockOptions& options,
             std::size_t first);
  // As soon as its process runs.
  void start();
  void forget();  // the process has crashed

  // Whose message is being heard, if one is.
  history::TenureId speaker() const { return speaker_; }

  Answer create(std::string_view path, std::string_view data, CreateMode mode, Role role) override;
  Answer remove(std::string_view path, Role role) override;
  Answer exists(std::string_view path, Watch watch, Role role) override;
  Answer get_data(std::string_view path, Watch watch, Role role) override;
  Answer get_children(std::string_view path, Watch watch, Role role) override;
  Answer set_data(std::string_view path, std::string_view data, std::int32_t version,
                  Role role) override;
  Answer sync(std::string_view path, Role role) override;

  SessionId session() const override { return session_; }
  State state() const override { return state_; }
  Duration session_timeout() const override { return timeout_; }
  std::uint64_t listen(Listener listener) override;
  void forget(std::uint64_t listener) override;

 private:
  // The library's three tables: getData's, those of exists on what was missing, getChildren's.
  enum class Table : std::uint8_t { data, exists, children };
  struct Kept {
    Table table{};
    std::string path;
    Watch watch;
  };
  // A thread that asks for something while there is no connection.
  struct Waiter {
    sim::Thread* thread = nullptr;
    Code outcome = Code::ok;
    bool told = false;
  };
  class Queued;
  class Keeping;

  // --- the thread that keeps the session
  void live();
  bool connect();
  bool greet();
  void keep_alive();
  void suspended();
  void lost();
  void await_loss();
  void restore_watches();
  void enter(State state);
  void serve_queue(Code outcome);

  // --- requests
  Code await_connection();
  Answer ask(Request request, Role role);
  Answer ask_watching(Request request, Watch watch, Table table, Role role);

  // --- what comes unasked
  void came(std::string_view bytes, history::TenureId from);
  void fire(EventType type, std::string_view path);
  std::int64_t now() const;

  sim::Simulation* simulation_ = nullptr;
  sim::Process* self_ = nullptr;
  std::span<const models::ServerEnd> servers_;
  sim::Caller caller_;
  sim::Random chance_;
  std::size_t host_ = 0;  // next to be tried
  Duration asked_timeout_{};
  std::uint32_t lost_percent_ = 0;
  Duration timeout_{};
  SessionId session_ = 0;
  std::string password_;  // of the session, by its server
  Zxid seen_ = 0;
  State state_ = State::suspended;
  bool known_ = false;         // it has been connected since the session began
  std::uint64_t outages_ = 0;  // counts them
  sim::Thread* keeper_ = nullptr;
  std::int64_t last_sent_ = 0;  // on the monotonic clock, in nanoseconds
  std::int32_t xids_ = 0;
  std::vector<Waiter*> queue_;
  std::vector<Kept> watches_;
  std::map<std::uint64_t, Listener> listeners_;
  std::uint64_t listened_ = 0;
  history::TenureId speaker_ = 0;
};

}  // namespace picklock::zookeeper
