// Clients in WAIT: each is blocked until enough replicas have acknowledged what it has written, or
// its time is up by the server's wall clock; then it is answered, and the loop goes on with what it
// has sent meanwhile.
#pragma once

#include <cstdint>
#include <vector>

#include "models/redis/commands.h"
#include "models/redis/parts.h"
#include "sim/service.h"

namespace picklock::redis {

class BlockedClients {
 public:
  explicit BlockedClients(const Parts& parts)
      : service_(parts.service),
        keys_(parts.keys),
        connections_(parts.connections),
        loop_(parts.loop),
        replication_(parts.replication) {}

  void reset();  // for a new run
  void halted();

  // The command gets no answer for now. `timeout_ms` 0: it waits for ever.
  void block(Call& call, std::int64_t replicas, std::int64_t timeout_ms);
  // The request of the client that was blocked last; without one, it is not on the simulated
  // network.
  void keep(sim::Message& request);
  // Its connection is closed.
  void forget(Session& session);

  // Answers those for whom enough replicas have acknowledged.
  void serve();
  // Answers those whose time is up.
  void time_out() {
    if (!blocked_.empty()) time_out_all();
  }
  // Answers all with an error: the server is a replica from now on (R48).
  void unblock_all();

 private:
  struct Blocked {
    Session* session = nullptr;
    sim::Message* request = nullptr;  // nullptr: not on the simulated network
    std::int64_t replicas = 0;
    std::int64_t until_ms = 0;  // 0: for ever
  };
  void unblock(const Blocked& blocked, const Reply& reply);
  void time_out_all();
  void await_end();
  void on_end();

  sim::Service& service_;
  Keyspace& keys_;
  Connections& connections_;
  CommandLoop& loop_;
  Replication& replication_;
  std::vector<Blocked> blocked_;
  sim::Timer timer_;
};

}  // namespace picklock::redis
