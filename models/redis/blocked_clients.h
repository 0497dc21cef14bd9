// Blocked clients. A client in WAIT is blocked until enough replicas have acknowledged its writes,
// one in BLPOP or BRPOP until one of its lists has an element. Both end when their time is up by
// the server's wall clock. Then the client is answered, and the loop continues with the commands
// that it has sent meanwhile.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/redis/commands.h"
#include "models/redis/parts.h"
#include "sim/service.h"

namespace picklock::redis {

class BlockedClients {
 public:
  explicit BlockedClients(const Parts& parts)
      : context_(parts),
        service_(parts.service),
        keys_(parts.keys),
        connections_(parts.connections),
        executor_(parts.executor),
        loop_(parts.loop),
        propagation_(parts.propagation),
        replication_(parts.replication) {}

  void reset();  // for a new run
  void halted();

  // The command gets no answer for now. `timeout_ms` 0: it waits for ever.
  void block(Call& call, std::int64_t replicas, std::int64_t timeout_ms);
  // The same until one of these keys is a list. Then the command runs again, on this key alone.
  void block_on_lists(Call& call, Argv keys, std::int64_t timeout_ms);
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

  // --- during a command
  // A list has come into being. Call this for every key that may be one.
  void ready(std::uint32_t database, std::string_view key) {
    if (!blocked_.empty()) ready_.emplace_back(database, key);
  }
  // The same for every list of two databases that were exchanged.
  void swapped(std::uint32_t one, std::uint32_t other);
  // As if its time were up, or with an error. False: this client is not blocked.
  bool unblock_later(std::int64_t id, bool error);
  // --- after it
  void settle() {
    if (!ready_.empty() || !released_.empty()) settle_all();
  }

 private:
  struct Blocked {
    Session* session = nullptr;
    sim::Message* request = nullptr;  // nullptr: not on the simulated network
    std::int64_t replicas = 0;
    std::vector<std::string> keys{};  // lists, any of which will do; empty: it is in WAIT
    std::string command{};            // that takes an element of one
    Actor actor{};                    // in whose name it does
    std::int64_t until_ms = 0;        // 0: for ever
  };
  void block(Call& call, Blocked blocked, std::int64_t timeout_ms);
  Reply timed_out(const Blocked& blocked) const;
  void unblock(const Blocked& blocked, const Reply& reply);
  void settle_all();
  void serve_list(std::uint32_t database, std::string_view key);
  void pop_for(const Blocked& blocked, std::string_view key);
  void time_out_all();
  void await_end();
  void on_end();

  const Context& context_;
  sim::Service& service_;
  Keyspace& keys_;
  Connections& connections_;
  Executor& executor_;
  CommandLoop& loop_;
  Propagation& propagation_;
  Replication& replication_;
  std::vector<Blocked> blocked_;  // in the order in which they were blocked
  std::deque<std::pair<std::uint32_t, std::string>> ready_;
  std::vector<std::pair<std::uint64_t, bool>> released_;  // ids; whether they get an error
  sim::Timer timer_;
};

}  // namespace picklock::redis
