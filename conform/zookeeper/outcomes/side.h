// An ensemble of three ZooKeeper servers, real or simulated, with raw connections to them: the
// servers on which situations run.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "models/zookeeper/proposal.h"

namespace picklock::conform::zookeeper::outcomes {

using namespace picklock::zookeeper;

using Duration = std::chrono::milliseconds;

inline constexpr ServerId kServers = 3;  // 1, 2 and 3

// Named as in zoo.cfg.
inline constexpr Duration kTick(200);
inline constexpr std::uint32_t kInitLimit = 10;
// The first limit is for servers that are to be lost by silence; the second loses none, even on a
// busy machine.
inline constexpr std::uint32_t kShortSyncLimit = 5;
inline constexpr std::uint32_t kLongSyncLimit = 25;

enum class Deed {
  kill,   // the process dies, the machine lives: sent bytes still arrive
  start,  // restarts a killed server with what it has on disk
  stop,   // the server is paused; its connections stay and accept bytes
  go_on,  // it continues where it was
};

enum class Role { none, leader, follower };  // none: it serves no clients

enum class Came { message, end, nothing };

// When a situation begins, all three have run for a while and serve. All calls return; none throws
// because a server is gone.
class Side {
 public:
  virtual ~Side() = default;

  // Since an arbitrary instant.
  virtual Duration now() = 0;
  virtual void pass(Duration time) = 0;

  virtual void act(Deed deed, ServerId server) = 0;
  // The server's own statement. Requires: it is not stopped.
  virtual Role role(ServerId server) = 0;

  // Connections are numbered from 0. A connection to a server that is gone ends at once.
  virtual void dial(std::uint32_t connection, ServerId server) = 0;
  virtual void send(std::uint32_t connection, std::string_view bytes) = 0;
  // The next message, or the end of the connection by the server, or nothing in that time.
  virtual Came receive(std::uint32_t connection, std::string& bytes, Duration patience) = 0;
};

}  // namespace picklock::conform::zookeeper::outcomes
