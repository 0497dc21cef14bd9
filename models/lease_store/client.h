// A lease store as an algorithm sees it: what etcd, Consul and Chubby have in common. A session
// lives as long as its client keeps it alive; a key is held by one session, and every grant of a
// key has a larger revision than all grants before it. Nothing here knows whether the store is
// simulated. (docs/facts/algorithms.md 7.1, 7.2, 7.4)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/lock_options.h"

namespace picklock::models::lease_store {

enum class Status : std::uint8_t {
  done,
  refused,      // the key is another's, or is not granted yet; a watch: it still is
  gone,         // there is no such session, or no longer
  unknown,      // no answer
  interrupted,  // a watch alone: its thread was, and waits no longer
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

  // `lock_delay`: for so long after the session has ended, what it held is granted to nobody.
  virtual Opened open(Duration ttl, Duration lock_delay) = 0;
  virtual Status keep_alive(std::string_view session) = 0;
  // What a session holds already it is granted again, with the same revision.
  virtual Granted acquire(std::string_view key, std::string_view session) = 0;
  // The key is free at once.
  virtual Status release(std::string_view key, std::string_view session) = 0;
  // Answered as soon as the key is to be had, or refused after `at_most`. May be interrupted.
  virtual Status watch(std::string_view key, Duration at_most) = 0;
  // Ends the session as its expiry would.
  virtual Status close(std::string_view session) = 0;
};

}  // namespace picklock::models::lease_store
