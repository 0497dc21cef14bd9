// ZooKeeper as an algorithm sees it: one session for all threads of a process, kept alive by the
// library, which looks for another server when it loses the one it has. A request parks the calling
// thread until it is answered or its connection is lost; what it came to is then unknown (Z12).
// Nothing here knows whether the servers are simulated.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/lock_options.h"
#include "models/step.h"
#include "models/zookeeper/types.h"

namespace picklock::models::zookeeper {

// What a process knows of its session: Curator's names, of which `lost` is the server's word, or
// its own after a time without any.
enum class State : std::uint8_t { connected, suspended, lost };

struct Answer {
  Code code = Code::connection_loss;
  std::string path{};  // of what was created
  std::optional<std::string> data{};
  Stat stat{};
  std::vector<std::string> children{};  // in no order (Z23)
  Zxid zxid = 0;  // of the write itself, else the last one that the server had

  bool ok() const { return code == Code::ok; }
  // Neither done nor refused, for all that the client can know.
  bool unknown() const { return code == Code::connection_loss; }
};

// What watchers are told: of a znode, once; or, with EventType::none, of the connection, as often
// as that changes.
struct Told {
  EventType type = EventType::none;
  State state = State::connected;
};
// Both are called between the steps of threads and must not block.
using Watch = std::function<void(const Told& told)>;
using Listener = std::function<void(State state)>;

class Client {
 public:
  virtual ~Client() = default;

  // Role::none: that of the verb in which the request is sent. A watch is left only where the
  // server leaves one (Z31); empty: none.
  virtual Answer create(std::string_view path, std::string_view data, CreateMode mode,
                        Role role = Role::none) = 0;
  virtual Answer remove(std::string_view path, Role role = Role::none) = 0;
  virtual Answer exists(std::string_view path, Watch watch = {}, Role role = Role::none) = 0;
  virtual Answer get_data(std::string_view path, Watch watch = {}, Role role = Role::none) = 0;
  virtual Answer get_children(std::string_view path, Watch watch = {}, Role role = Role::none) = 0;
  virtual Answer set_data(std::string_view path, std::string_view data,
                          std::int32_t version = kAnyVersion, Role role = Role::none) = 0;
  // What is read next is no older than this.
  virtual Answer sync(std::string_view path, Role role = Role::none) = 0;

  virtual SessionId session() const = 0;  // 0: there is none yet
  virtual State state() const = 0;
  virtual Duration session_timeout() const = 0;  // as negotiated

  // Hears how the connection fares, until it is forgotten.
  virtual std::uint64_t listen(Listener listener) = 0;
  virtual void forget(std::uint64_t listener) = 0;
};

}  // namespace picklock::models::zookeeper
