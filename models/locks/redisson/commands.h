// How Redisson sends its commands (docs/facts/algorithms.md 1.1, 1.3, 1.5). Scripts are named by
// their SHA-1 and loaded where the server does not know them. Scripts that acquire or release a
// lock are not sent again after a time-out, which leaves their outcome open, unless
// `resend_scripts` is set. If a server has replicas, a grant can wait for one of them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "models/locks/redisson/options.h"
#include "picklock/lock.h"
#include "picklock/redis.h"

namespace picklock::models::locks::redisson {

struct Call {
  const redis::Script& script;
  std::span<const std::string_view> keys;
  std::span<const std::string_view> args;
};

class Commands {
 public:
  Commands(const LockOptions& options, std::size_t server)
      : resend_(options.of<RedissonOptions>().resend_scripts ? redis::Resend::unanswered
                                                             : redis::Resend::unsent),
        sync_replicas_(options.of<RedissonOptions>().sync_replicas),
        sync_timeout_(options.wait_timeout),
        server_(server) {}

  redis::Client& redis(Client& self) const { return redis::server(self, server_); }

  // Runs a script of the lock itself. `late`: gets the answer if the thread is interrupted before.
  redis::Reply run(Client& self, const Call& call, redis::Late late = {}) const;
  // Runs a script that may run twice, such as a renewal.
  redis::Reply run_freely(Client& self, const Call& call, Role role) const;

  // The same as run(), followed by WAIT if replicas are connected. `missed`: none of them has it,
  // which is an exception whatever the script answers.
  struct Synced {
    redis::Reply reply;
    bool missed = false;
  };
  Synced run_synced(Client& self, const Call& call, redis::Late late = {});

 private:
  std::optional<std::int64_t> replicas(Client& self);

  redis::Resend resend_;
  bool sync_replicas_;
  Duration sync_timeout_;
  std::size_t server_;
  std::optional<std::int64_t> replicas_;  // how many are connected, as far as known
};

}  // namespace picklock::models::locks::redisson
