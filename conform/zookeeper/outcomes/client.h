// A client of an ensemble, in raw bytes: one session, on one connection at a time, one request at a
// time. It reports results in words: `ok`, a node's data, `NoNode`, or one of those below. It pings
// only while it waits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "conform/zookeeper/outcomes/side.h"
#include "models/zookeeper/op_code.h"
#include "models/zookeeper/wire.h"
#include "picklock/zookeeper.h"

namespace picklock::conform::zookeeper::outcomes {

inline constexpr std::string_view kOk = "ok";
inline constexpr std::string_view kHungUp = "hung up";
inline constexpr std::string_view kNoAnswer = "no answer";
inline constexpr std::string_view kExpired = "expired";

// The longest time-out of a session that these ticks allow (Z1).
inline constexpr Duration kTimeout = 20 * kTick;
// Longer than any answer takes, even on a busy machine.
inline constexpr Duration kPatience(10'000);

class Client {
 public:
  Client(Side& side, std::uint32_t connection) : side_(side), connection_(connection) {}

  // Requests a new session, or resumes the one that it has.
  std::string connect(ServerId server);
  // Tries these servers in turn, until one serves it or it has waited too long.
  std::string connect_at_last(std::span<const ServerId> servers);

  std::string create(std::string_view path, std::string_view data,
                     CreateMode mode = CreateMode::persistent);
  std::string set(std::string_view path, std::string_view data);
  std::string get(std::string_view path);
  std::string sync(std::string_view path);
  // The owner of an ephemeral node: `its own`, `another's`, `nobody's`.
  std::string owner(std::string_view path);

  // The same as set(), in two steps.
  void begin_set(std::string_view path, std::string_view data);
  std::string outcome(Duration patience);
  // Repeats the write, as in connect_at_last(), until it is acknowledged.
  std::string set_at_last(std::span<const ServerId> servers, std::string_view path,
                          std::string_view data);

  SessionId session() const { return session_; }

 private:
  void ping();
  void send(const Request& request);
  std::string ask(const Request& request);
  std::string take(Duration patience, Reply& reply);

  Side& side_;
  std::uint32_t connection_;
  SessionId session_ = 0;
  std::string password_;
  Zxid seen_ = 0;
  std::int32_t xid_ = 0;
  OpCode asked_{};
  std::string received_;
};

}  // namespace picklock::conform::zookeeper::outcomes
