// The requests of a quorum lock to one of its servers, and how the server votes. A server that
// takes the key may count the grant; its number is then part of its vote (docs/facts/failures.md
// B-24).
#pragma once

#include <cstdint>
#include <span>

#include "models/locks/lock_options.h"
#include "models/locks/quorum_options.h"
#include "picklock/lock.h"
#include "picklock/redis.h"

namespace picklock::models::locks {

// A server's answer to a request: yes, no, or none (yet).
struct Vote {
  enum class Of : std::uint8_t { yes, no, none };
  Of of = Of::none;
  std::int64_t number = 0;  // that the server has counted; 0: it does not count
};

// Copied into the threads that ask the servers; the options outlive them.
class QuorumRequests {
 public:
  explicit QuorumRequests(const LockOptions& options);

  Vote take(redis::Client& redis, const Lease& lease) const;
  Vote forget(redis::Client& redis, const Lease& lease) const;
  Vote prolong(redis::Client& redis, const Lease& lease) const;
  // The server's counter is at least `lease.fence` from now on, if it still has the key.
  Vote raise(redis::Client& redis, const Lease& lease) const;

 private:
  redis::Reply run(redis::Client& redis, Role role, const redis::Script& script,
                   std::initializer_list<std::string_view> keys,
                   std::initializer_list<std::string_view> args) const;
  redis::Reply send_take(redis::Client& redis, const Lease& lease) const;

  Speaks how_;
  bool counts_;
  const redis::Script* take_;  // nullptr: SET takes the key
  const redis::Script* forget_;
  const redis::Script* prolong_;
};

// The scripts that a user can replace.
std::span<const ScriptUse> quorum_scripts();

}  // namespace picklock::models::locks
