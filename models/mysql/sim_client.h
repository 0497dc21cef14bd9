// mysql::Client over the simulated network: a pool, as libraries have one. Each connection is lent
// to one thread at a time. It is opened when first needed, at the first server of the list that
// takes writes. On return it is rolled back if the pool does that, but it keeps its named locks.
// (docs/facts/algorithms.md 8.1, 8.5)
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/pool.h"
#include "models/client/server_end.h"
#include "models/locks/lock_options.h"
#include "models/servers/client_end.h"
#include "picklock/mysql.h"
#include "sim/caller.h"

namespace picklock::mysql {

class SimClient final : public servers::EndOf<Client> {
 public:
  // The servers must outlive this client.
  void reset(history::RecordedSimulation& simulation, sim::Process& self,
             std::span<const models::ServerEnd> servers, const models::LockOptions& options,
             std::size_t first = 0);
  void forget() override;

  std::unique_ptr<Connection> connect() override;

 private:
  struct Pooled {
    sim::Caller caller;
    std::uint32_t session = 0;  // its number
    bool in_transaction = false;
    bool autocommit = true;
  };
  class Lent;

  bool dial(Pooled& pooled);
  bool takes_writes(Pooled& pooled);
  Answer execute(Pooled& pooled, const Statement& statement, Role role);
  void give_back(std::size_t one, std::uint64_t life);
  void note_lost_pool();

  history::RecordedSimulation* simulation_ = nullptr;
  sim::Process* self_ = nullptr;
  std::span<const models::ServerEnd> servers_;
  std::size_t first_ = 0;   // the server that it prefers
  std::size_t server_ = 0;  // of the last connection
  Duration patience_{};
  Duration connect_timeout_{};
  bool reconnects_ = false;
  bool rolls_back_ = true;
  bool out_of_connections_ = false;
  std::deque<Pooled> connections_;
  models::Pool pool_;
  std::uint64_t life_ = 0;  // counts runs and crashes: connections lent in an earlier life are void
};

}  // namespace picklock::mysql
