// zookeeper::Client over the simulated network, with the behavior of the real library. One thread
// of the process keeps the session: it pings when nothing was sent for a third of the time-out. It
// gives up a server that was silent for two thirds, and goes through the list of servers for
// another. Requests made meanwhile wait for the next attempt. A session that has ended is followed
// by another. (ZooKeeper 3.8, ClientCnxn; docs/facts/algorithms.md 5)
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "history/history.h"
#include "models/client/server_end.h"
#include "models/locks/lock_options.h"
#include "models/servers/client_end.h"
#include "models/zookeeper/wire.h"
#include "picklock/zookeeper.h"
#include "sim/caller.h"

namespace picklock::zookeeper {

class SimClient final : public servers::EndOf<Client> {
 public:
  // `servers` must outlive this client. It tries `first` first, then those behind it. `options.ttl`
  // is the session time-out that it requests.
  void reset(sim::Simulation& simulation, sim::Process& self,
             std::span<const models::ServerEnd> servers, const models::LockOptions& options,
             std::size_t first);
  void start() override;
  void forget() override;
  history::TenureId speaker() const override { return speaker_; }

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
  // The library's three tables: of getData, of exists on a missing node, of getChildren.
  enum class Table : std::uint8_t { data, exists, children };
  struct Kept {
    Table table{};
    std::string path;
    Watch watch;
  };
  // A thread that makes a request while there is no connection.
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

  // --- notifications
  void came(std::string_view bytes, history::TenureId from);
  void fire(EventType type, std::string_view path);
  std::int64_t now() const;

  sim::Simulation* simulation_ = nullptr;
  sim::Process* self_ = nullptr;
  std::span<const models::ServerEnd> servers_;
  sim::Caller caller_;
  sim::Random chance_;
  std::size_t host_ = 0;  // the next to try
  Duration asked_timeout_{};
  std::uint32_t lost_percent_ = 0;
  Duration timeout_{};
  SessionId session_ = 0;
  std::string password_;  // of the session; its server sent it
  Zxid seen_ = 0;
  State state_ = State::suspended;
  bool known_ = false;         // it has been connected since the session began
  std::uint64_t outages_ = 0;  // their number so far
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
