// ZooKeeper's wire format: records of jute, big-endian, without the length that precedes each on a
// socket. The simulated network carries these very bytes. A connection begins with a ConnectRequest
// and its answer; later records have headers. Texts are views of the bytes read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "keys/nearest.h"
#include "models/zookeeper/op_code.h"
#include "picklock/zookeeper.h"
#include "sim/message.h"
#include "sim/trace.h"

namespace picklock::zookeeper {

// The xids of messages that answer none of a client's own numbered requests.
inline constexpr std::int32_t kNotification = -1;
inline constexpr std::int32_t kPing = -2;
inline constexpr std::int32_t kSetWatches = -8;

inline constexpr std::size_t kPasswordSize = 16;

struct ConnectRequest {
  Zxid last_zxid = 0;        // the last that the client has seen
  std::int32_t timeout = 0;  // milliseconds
  SessionId session = 0;     // 0: a new one
  std::string_view password{};
  bool old = false;  // of a client before 3.4: neither it nor its answer has the read-only flag
};

struct ConnectResponse {
  std::int32_t timeout = 0;  // as negotiated; 0: there is no such session
  SessionId session = 0;
  std::string_view password{};
  bool old = false;  // for such a client
};

struct Request {
  std::int32_t xid = 0;
  OpCode op{};
  std::string_view path{};  // of auth: the scheme
  std::optional<std::string_view> data{};
  std::int32_t version = kAnyVersion;
  std::int32_t flags = 0;  // create: CreateMode; remove_watches, check_watches: WatcherType
  bool has_acl = true;     // of a create; the contents of the list do not matter here
  bool watch = false;
  Zxid seen = 0;  // of set_watches, like the rest
  std::vector<std::string_view> data_watches{};
  std::vector<std::string_view> exists_watches{};
  std::vector<std::string_view> child_watches{};
  std::vector<Request> parts{};  // of a multi
};

struct Reply {
  OpCode op{};  // the request that it answers; only on the wire for parts of a multi
  std::int32_t xid = 0;
  Zxid zxid = 0;
  Code code = Code::ok;
  std::string_view path{};
  std::optional<std::string_view> data{};
  Stat stat{};
  std::vector<std::string_view> children{};
  std::vector<Reply> parts{};
};

struct Event {
  EventType type{};
  std::string_view path{};
};

void write(const ConnectRequest& request, sim::Payload& out);
void write(const ConnectResponse& response, sim::Payload& out);
void write(const Request& request, sim::Payload& out);
void write(const Reply& reply, sim::Payload& out);
void write(const Event& event, sim::Payload& out);

// False: not such a record, or incomplete.
bool read(std::string_view bytes, ConnectRequest& request);
bool read(std::string_view bytes, ConnectResponse& response);
// Reads only the header of an unknown operation. False also: the header is complete, but the rest
// is not.
bool read(std::string_view bytes, Request& request);
// Requires: `reply.op` is the request that it answers.
bool read(std::string_view bytes, Reply& reply);
bool read(std::string_view bytes, Event& event);

// The xid in a message from a server, or kNotification. Requires a complete header.
std::int32_t xid_of(std::string_view bytes);

bool is_known(OpCode op);
// A real server carries it out, and the model does not.
bool is_left_out(OpCode op);
std::string_view name(OpCode op);  // "getChildren"
keys::Words command_names();       // those by which a fault may select messages
std::string_view name(Code code);  // "NoNode"

// The texts in reports: `create /lock ephemeral`, `NodeExists`.
const sim::Protocol& protocol();

}  // namespace picklock::zookeeper
