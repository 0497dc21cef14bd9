// ZooKeeper as a lock sees it: one session for all threads of a process. The library keeps the
// session alive and connects to another server when its connection is lost. A request blocks the
// calling thread until it is answered or its connection is lost; its outcome is then unknown (Z12).
// Nothing here knows whether the servers are simulated. No function throws; paths begin with "/",
// and a parent must exist before its child.
//
//   const auto made = self.connection<zookeeper::Client>().create(
//       "/" + std::string(key), self.name(), zookeeper::CreateMode::ephemeral);
//   if (made.unknown()) return Acquired::unknown();
//   if (!made.ok()) return std::nullopt;  // Code::node_exists: another session has it
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "picklock/client.h"

namespace picklock::zookeeper {

// A lock on this server says so: `static constexpr LockServer server = zookeeper::kServer;`.
inline constexpr LockServer kServer{"zookeeper"};

using Zxid = std::int64_t;       // numbers every write of an ensemble, failed ones too (Z50)
using SessionId = std::int64_t;  // 0: none

enum class Code : std::int32_t {
  ok = 0,
  runtime_inconsistency = -2,  // in a multi, behind an operation that failed
  connection_loss = -4,        // no answer came; the client's own code
  marshalling_error = -5,
  unimplemented = -6,
  operation_timeout = -7,
  bad_arguments = -8,
  no_node = -101,
  no_auth = -102,
  bad_version = -103,
  no_children_for_ephemerals = -108,
  node_exists = -110,
  not_empty = -111,
  session_expired = -112,
  invalid_acl = -114,
  auth_failed = -115,
  session_moved = -118,
  no_watcher = -121,
};

enum class CreateMode : std::int32_t {
  persistent = 0,
  ephemeral = 1,
  persistent_sequential = 2,
  ephemeral_sequential = 3,
  container = 4,
};

constexpr bool is_sequential(CreateMode mode) {
  return mode == CreateMode::persistent_sequential || mode == CreateMode::ephemeral_sequential;
}
constexpr bool is_ephemeral(CreateMode mode) {
  return mode == CreateMode::ephemeral || mode == CreateMode::ephemeral_sequential;
}

inline constexpr std::int32_t kAnyVersion = -1;

struct Stat {
  Zxid czxid = 0;          // of the write that created the node
  Zxid mzxid = 0;          // that set its data last
  std::int64_t ctime = 0;  // milliseconds since 1970
  std::int64_t mtime = 0;
  std::int32_t version = 0;   // of the data
  std::int32_t cversion = 0;  // of the children, as clients are told it: Z22
  std::int32_t aversion = 0;  // of the access rights, which never change here
  SessionId ephemeral_owner = 0;
  std::int32_t data_length = 0;
  std::int32_t num_children = 0;
  Zxid pzxid = 0;  // of the last child that came or went

  friend bool operator==(const Stat&, const Stat&) = default;
};

enum class EventType : std::int32_t {
  none = -1,
  created = 1,
  deleted = 2,
  data_changed = 3,
  children_changed = 4,
};

// The state of the session as its process knows it, by Curator's names. `lost` is the server's
// word, or the client's own after a time without a connection.
enum class State : std::uint8_t { connected, suspended, lost };

struct Answer {
  Code code = Code::connection_loss;
  std::string path{};  // of what was created
  std::optional<std::string> data{};
  Stat stat{};
  std::vector<std::string> children{};  // in no order (Z23)
  Zxid zxid = 0;  // of the write itself, else the last one that the server had

  bool ok() const { return code == Code::ok; }
  // The client cannot know whether it was done.
  bool unknown() const { return code == Code::connection_loss; }
};

// The message to a watcher: about a znode, once; or, with EventType::none, about the connection, at
// every change.
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
  // Later reads are no older than this.
  virtual Answer sync(std::string_view path, Role role = Role::none) = 0;

  virtual SessionId session() const = 0;  // 0: there is none yet
  virtual State state() const = 0;
  virtual Duration session_timeout() const = 0;  // as negotiated

  // Calls the listener at every change of the connection, until forget().
  virtual std::uint64_t listen(Listener listener) = 0;
  virtual void forget(std::uint64_t listener) = 0;
};

}  // namespace picklock::zookeeper
