// Why a server does not run a command, in the order in which the real server checks: unknown
// command, number of words, password, memory, role and replicas, subscriptions, stale data,
// loading, a script that takes too long. Texts are those of redis-server 7.0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/redis/commands.h"
#include "models/redis/config.h"
#include "models/redis/parts.h"

namespace picklock::redis {

class Refusals {
 public:
  explicit Refusals(const Parts& parts)
      : config_(parts.config),
        keys_(parts.keys),
        pause_(parts.pause),
        scripts_(parts.scripts),
        replication_(parts.replication),
        persistence_(parts.persistence),
        redirection_(parts.redirection) {}

  void halted();
  // Its server is a node of a cluster.
  void redirect() { is_rare_ = true; }

  // A command begins: notes whether memory is full.
  void look_at_memory() {
    if (config_.max_memory() != 0) compare_memory();
  }
  // Whether it was full when a command last began while there was a limit (R106).
  bool short_of_memory() const { return short_of_memory_ && config_.max_memory() != 0; }

  // Whether a command may be refused for its keys or for lack of memory: seldom.
  bool is_rare() const { return is_rare_; }

  // Empty: nothing is against it. `flags` are the command's, with those of its script or
  // transaction. The text is valid until the next call.
  std::string_view reason(const Call& call, const Command* command, std::uint32_t flags);

 private:
  void compare_memory();
  std::string_view rare_reason(const Call& call, const Command& command, std::uint32_t flags);

  const Config& config_;
  Keyspace& keys_;
  PauseGate& pause_;
  ScriptRunner& scripts_;
  Replication& replication_;
  Persistence& persistence_;
  Redirection& redirection_;
  bool short_of_memory_ = false;
  bool is_rare_ = false;
  std::string text_;
};

}  // namespace picklock::redis
