// A server with what etcd, Consul and Chubby have in common. A session lives as long as its client
// keeps it alive; a key is held by one session, and every grant of a key has a larger revision than
// all grants before it. (docs/facts/algorithms.md 7.1, 7.2, 7.4)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "picklock/client.h"

namespace picklock::lease_store {

// A lock on this server says so: `static constexpr LockServer server = lease_store::kServer;`.
inline constexpr LockServer kServer{"lease_store"};

enum class Status : std::uint8_t {
  done,
  refused,      // another session has the key, or it is not granted yet; a watch: it still is held
  gone,         // there is no such session, or no longer
  unknown,      // no answer: the request may have taken effect
  interrupted,  // a watch alone: its thread was interrupted
};

struct Opened {
  Status status{};
  std::string session;
};

struct Granted {
  Status status{};
  std::int64_t revision = 0;
};

class Client {
 public:
  virtual ~Client() = default;

  // `lock_delay`: how long after the end of the session its keys are not granted.
  virtual Opened open(Duration ttl, Duration lock_delay) = 0;
  virtual Status keep_alive(std::string_view session) = 0;
  // A key that the session already holds is granted again, with the same revision.
  virtual Granted acquire(std::string_view key, std::string_view session) = 0;
  // The key is free at once.
  virtual Status release(std::string_view key, std::string_view session) = 0;
  // Returns as soon as the key can be granted, or `refused` after `at_most`. May be interrupted.
  virtual Status watch(std::string_view key, Duration at_most) = 0;
  // Ends the session as its expiry would.
  virtual Status close(std::string_view session) = 0;
};

}  // namespace picklock::lease_store
