// ZooKeeper's own vocabulary, with the numbers of its wire: what requests are called, what they
// come to, how znodes are made, and what is told of them.
#pragma once

#include <cstdint>

namespace picklock::models::zookeeper {

using Zxid = std::int64_t;       // numbers every write of an ensemble, failed ones too (Z50)
using SessionId = std::int64_t;  // 0: none

enum class OpCode : std::int32_t {
  error = -1,  // in the answer to a multi
  create = 1,
  remove = 2,
  exists = 3,
  get_data = 4,
  set_data = 5,
  get_children = 8,
  sync = 9,
  ping = 11,
  get_children2 = 12,  // with the parent's Stat
  check = 13,
  multi = 14,
  create2 = 15,  // with the new node's Stat
  remove_watches = 18,
  create_container = 19,
  remove_container = 20,  // a leader's own
  set_watches = 101,
  create_session = -10,
  close_session = -11,
};

enum class Code : std::int32_t {
  ok = 0,
  runtime_inconsistency = -2,  // stood in a multi behind what failed
  connection_loss = -4,        // no answer came; nobody sends it
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
  std::int32_t aversion = 0;  // of the access rights, which nobody changes here
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

}  // namespace picklock::models::zookeeper
