// Three ZooKeeper servers that are an ensemble, real or simulated, and raw connections to them:
// what situations are told to.
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

// As zoo.cfg has them.
inline constexpr Duration kTick(200);
inline constexpr std::uint32_t kInitLimit = 10;
// Where a server is to be lost because it is silent; and where none may be, on however busy a
// machine.
inline constexpr std::uint32_t kShortSyncLimit = 5;
inline constexpr std::uint32_t kLongSyncLimit = 25;

enum class Deed {
  kill,   // the process is gone, and the machine is not: what it had sent still arrives
  start,  // one that was killed begins again with what it has on disk
  stop,   // it runs nothing, and its connections stay and take in bytes
  go_on,  // it continues where it was
};

enum class Role { none, leader, follower };  // none: it serves nobody

enum class Came { message, end, nothing };

// All three have run for a while and serve when a situation begins. All calls return; none throws
// because a server is gone.
class Side {
 public:
  virtual ~Side() = default;

  // Counted from no matter when.
  virtual Duration now() = 0;
  virtual void pass(Duration time) = 0;

  virtual void act(Deed deed, ServerId server) = 0;
  // As it says itself. Requires: it is not stopped.
  virtual Role role(ServerId server) = 0;

  // Connections are numbered from 0. One to a server that is gone ends at once.
  virtual void dial(std::uint32_t connection, ServerId server) = 0;
  virtual void send(std::uint32_t connection, std::string_view bytes) = 0;
  // The next message, or that the server has ended the connection, or nothing in that time.
  virtual Came receive(std::uint32_t connection, std::string& bytes, Duration patience) = 0;
};

}  // namespace picklock::conform::zookeeper::outcomes
