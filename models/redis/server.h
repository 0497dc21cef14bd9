// One Redis server: a keyspace, and the parts that serve it to clients. Commands run one at a time,
// in the order of arrival (CommandLoop, Executor); the server itself puts the parts together,
// starts and stops them, and receives the faults.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/redis/blocked_clients.h"
#include "models/redis/command_loop.h"
#include "models/redis/config.h"
#include "models/redis/connections.h"
#include "models/redis/direct_commands.h"
#include "models/redis/effects.h"
#include "models/redis/executor.h"
#include "models/redis/keyspace.h"
#include "models/redis/lifetime.h"
#include "models/redis/monitors.h"
#include "models/redis/pause_gate.h"
#include "models/redis/persistence.h"
#include "models/redis/propagation.h"
#include "models/redis/pubsub.h"
#include "models/redis/redirection.h"
#include "models/redis/refusals.h"
#include "models/redis/replication.h"
#include "models/redis/restart_guard.h"
#include "models/redis/script_runner.h"
#include "models/redis/slow_readers.h"
#include "models/redis/stats.h"
#include "sim/service.h"

namespace picklock::redis {

class Server final : public sim::Service {
 public:
  // Empty, for a new run. Without a directory it knows no other servers.
  void reset(history::RecordedSimulation& simulation, sim::Process& process,
             models::Tenures& tenures, models::Keys& keys, const Directory* directory = nullptr);
  // As its configuration file has it, from every start on: names and values by turns. Throws
  // std::invalid_argument with what CONFIG SET would answer.
  void configure(std::span<const std::string_view> file);
  // Replicas get expiries as lengths of time, as before Redis 7.0.
  void replicate_relative_expiry(bool on) { effects_.set_relative_expiry(on); }
  // It is a node of this cluster. Call this in the same run after reset().
  void join_cluster(const Slots& slots) {
    redirection_.join(&slots);
    refusals_.redirect();
  }
  void delay_restarts(const RestartDelay& delay) { guard_.set(delay); }
  void join_group(Group& group) { replication_.join_group(group); }

  // Its machine is gone: another of its group takes its place, the foremost if none is named.
  void fail_over(sim::Process* to);

  // --- sim::Program
  void start(sim::Keeps keeps) override;
  bool holds_back_start(sim::Keeps keeps) override { return guard_.holds_back(keeps); }
  void halted() override;
  void clock_changed() override;
  void strike(const sim::Strike& strike) override;
  void relieve(const sim::Strike& strike) override;
  void on_reset(sim::Connection& connection) override { connections_.client_gone(connection); }
  void on_closed(sim::Connection& connection) override { connections_.client_gone(connection); }

  // --- connections that are not on the simulated network: for tests, and for a socket in front of
  // the model
  Session& connect() { return connections_.open(); }
  void disconnect(Session& session) { connections_.disconnect(session); }
  // One command on behalf of a tenure (0: nobody's), as if it had just arrived; its answer, and
  // what is pushed to the same connection with it, in order, go to `out`. Scripts included: the
  // caller provides the stack. If CLIENT PAUSE holds the command back, its answer goes into
  // `Session::unasked`.
  void execute(Session& session, Argv argv, sim::Payload& out, history::TenureId tenure = 0,
               Role role = {}) {
    direct_.execute(session, argv, out, tenure, role);
  }

  // --- parts that the harness and tests look at
  std::span<Session* const> sessions() const { return connections_.all(); }
  const Stats& stats() const { return stats_; }
  Pause paused() const { return pause_.held_back(); }
  Keyspace& keyspace() { return keys_; }
  Replication& replication() { return replication_; }
  Persistence& persistence() { return persistence_; }
  ScriptRunner& scripts() { return scripts_; }

 private:
  bool apply(sim::Message& request, sim::Payload& answer) override {
    return loop_.apply(request, answer);
  }
  bool evict(std::string_view key);
  // A dead key, of which the keyspace tells it.
  static void on_forgotten(void* self, std::uint32_t database, std::string_view key);
  void read_configuration();
  void forget_process();

  RestartGuard guard_;
  Stats stats_;
  PubSub pubsub_;
  Config config_;
  Effects effects_;
  Keyspace keys_;
  std::vector<std::string> configuration_;  // its file: names and values by turns

  // The table by which the parts below find each other.
  Parts parts_{
      {.lifetime = lifetime_,
       .config = config_,
       .stats = stats_,
       .pubsub = pubsub_,
       .connections = connections_,
       .pause = pause_,
       .blocked = blocked_,
       .monitors = monitors_,
       .scripts = scripts_,
       .executor = executor_,
       .effects = effects_,
       .replication = replication_,
       .persistence = persistence_,
       .redirection = redirection_},
      *this,
      keys_,
      loop_,
      direct_,
      propagation_,
      refusals_,
      slow_readers_,
  };
  Lifetime lifetime_{*this};
  Connections connections_{parts_};
  SlowReaders slow_readers_{parts_};
  PauseGate pause_{parts_};
  BlockedClients blocked_{parts_};
  Monitors monitors_{parts_};
  ScriptRunner scripts_{parts_};
  Refusals refusals_{parts_};
  Executor executor_{parts_};
  CommandLoop loop_{parts_};
  DirectCommands direct_{parts_};
  Propagation propagation_{parts_};
  Replication replication_{parts_};
  Persistence persistence_{parts_};
  Redirection redirection_{parts_};
};

}  // namespace picklock::redis
