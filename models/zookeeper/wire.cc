#include "models/zookeeper/wire.h"

#include <algorithm>
#include <array>
#include <string>

#include "models/zookeeper/jute.h"

namespace picklock::zookeeper {
namespace {

using jute::put;
using jute::Reader;
using jute::Rights;

constexpr std::int32_t kConnected = 3;  // the state in every event

// ---------------------------------------------------------------- requests

struct OpName {
  OpCode op{};
  std::string_view name;
};
constexpr std::array<OpName, 21> kOps = {{
    {OpCode::error, "error"},
    {OpCode::create, "create"},
    {OpCode::remove, "delete"},
    {OpCode::exists, "exists"},
    {OpCode::get_data, "getData"},
    {OpCode::set_data, "setData"},
    {OpCode::get_children, "getChildren"},
    {OpCode::sync, "sync"},
    {OpCode::ping, "ping"},
    {OpCode::get_children2, "getChildren2"},
    {OpCode::check, "check"},
    {OpCode::multi, "multi"},
    {OpCode::create2, "create2"},
    {OpCode::remove_watches, "removeWatches"},
    {OpCode::create_container, "createContainer"},
    {OpCode::remove_container, "deleteContainer"},
    {OpCode::set_watches, "setWatches"},
    {OpCode::create_session, "createSession"},
    {OpCode::close_session, "closeSession"},
    {OpCode::check_watches, "checkWatches"},
    {OpCode::auth, "auth"},
}};

// getACL, setACL, reconfig, createTTL, multiRead, sasl, getEphemerals, getAllChildrenNumber,
// setWatches2, addWatch and whoAmI.
constexpr std::array<std::int32_t, 11> kLeftOut = {6, 7, 16, 21, 22, 102, 103, 104, 105, 106, 107};

// The fields of a request after its header, in order.
template <typename Some, typename Direction>
void each_of(Some& request, Direction&& direct) {
  switch (request.op) {
    case OpCode::create:
    case OpCode::create2:
    case OpCode::create_container:
      direct(request.path);
      direct(request.data);
      direct(Rights{request.has_acl});
      direct(request.flags);
      break;
    case OpCode::remove:
    case OpCode::check:
      direct(request.path);
      direct(request.version);
      break;
    case OpCode::exists:
    case OpCode::get_data:
    case OpCode::get_children:
    case OpCode::get_children2:
      direct(request.path);
      direct(request.watch);
      break;
    case OpCode::set_data:
      direct(request.path);
      direct(request.data);
      direct(request.version);
      break;
    case OpCode::sync:
      direct(request.path);
      break;
    case OpCode::remove_watches:
    case OpCode::check_watches:
      direct(request.path);
      direct(request.flags);
      break;
    case OpCode::auth:
      direct(request.flags);
      direct(request.path);
      direct(request.data);
      break;
    case OpCode::set_watches:
      direct(request.seen);
      direct(request.data_watches);
      direct(request.exists_watches);
      direct(request.child_watches);
      break;
    default:
      break;
  }
}

void put_body(const Request& request, sim::Payload& out) {
  each_of(request, [&out](const auto& field) { put(out, field); });
}
void take_body(Reader& in, Request& request) {
  each_of(request, [&in](auto&& field) { in.take(field); });
}

// The header of each part of a multi, which also marks its end.
struct PartHeader {
  OpCode op = OpCode::error;
  bool done = true;
  std::int32_t error = -1;
};
void put(sim::Payload& out, const PartHeader& header) {
  put(out, header.op);
  put(out, header.done);
  put(out, header.error);
}
PartHeader part_header(Reader& in) {
  PartHeader header;
  in.take(header.op);
  in.take(header.done);
  in.take(header.error);
  return header;
}

// ---------------------------------------------------------------- replies

enum class Body : std::uint8_t {
  none,
  path,
  path_and_stat,
  stat,
  data,
  children,
  children_and_stat
};

Body body_of(OpCode op) {
  switch (op) {
    case OpCode::create:
    case OpCode::sync:
      return Body::path;
    case OpCode::create2:
    case OpCode::create_container:
      return Body::path_and_stat;
    case OpCode::exists:
    case OpCode::set_data:
      return Body::stat;
    case OpCode::get_data:
      return Body::data;
    case OpCode::get_children:
      return Body::children;
    case OpCode::get_children2:
      return Body::children_and_stat;
    default:
      return Body::none;
  }
}

template <typename Direction, typename Some>
void each_of(Body body, Some& reply, Direction&& direct) {
  if (body == Body::path || body == Body::path_and_stat) direct(reply.path);
  if (body == Body::data) direct(reply.data);
  if (body == Body::children || body == Body::children_and_stat) direct(reply.children);
  if (body == Body::path_and_stat || body == Body::stat || body == Body::data ||
      body == Body::children_and_stat)
    direct(reply.stat);
}

void put_body(Body body, const Reply& reply, sim::Payload& out) {
  each_of(body, reply, [&out](const auto& field) { put(out, field); });
}
void take_body(Reader& in, Body body, Reply& reply) {
  each_of(body, reply, [&in](auto& field) { in.take(field); });
}

// In a multi a create2 is answered as a create, and a container as a create2 (Z52).
OpCode in_multi(OpCode op) {
  if (op == OpCode::create2) return OpCode::create;
  return op == OpCode::create_container ? OpCode::create2 : op;
}

void put_parts(const Reply& reply, sim::Payload& out) {
  const bool failed = std::any_of(reply.parts.begin(), reply.parts.end(),
                                  [](const Reply& part) { return part.code != Code::ok; });
  for (const Reply& part : reply.parts) {
    const auto error = static_cast<std::int32_t>(part.code);
    const OpCode op = failed ? OpCode::error : in_multi(part.op);
    put(out, PartHeader{.op = op, .done = false, .error = error});
    if (failed)
      put(out, error);
    else
      put_body(body_of(op), part, out);
  }
  put(out, PartHeader{});
}

void take_parts(Reader& in, Reply& reply) {
  reply.parts.clear();
  while (in.good()) {
    const PartHeader header = part_header(in);
    if (header.done) break;
    Reply& part = reply.parts.emplace_back();
    part.op = header.op;
    part.code = static_cast<Code>(header.error);
    if (header.op == OpCode::error)
      in.take(part.code);
    else
      take_body(in, body_of(header.op), part);
  }
}

// ---------------------------------------------------------------- for readers

std::string_view mode_name(std::int32_t flags) {
  constexpr std::array<std::string_view, 5> kModes = {"", " ephemeral", " sequential",
                                                      " ephemeral sequential", " container"};
  const auto index = static_cast<std::size_t>(flags);
  return index < kModes.size() ? kModes[index] : " of an unknown mode";
}

std::string said(const Request& request) {
  std::string text(name(request.op));
  if (!request.path.empty()) text.append(" ").append(request.path);
  if (request.data && !request.data->empty()) text.append(" ").append(*request.data);
  const bool creates = request.op == OpCode::create || request.op == OpCode::create2 ||
                       request.op == OpCode::create_container;
  if (creates) text += mode_name(request.flags);
  if (request.version != kAnyVersion) text += " version " + std::to_string(request.version);
  if (request.watch) text += ", watched";
  for (const Request& part : request.parts) text += "; " + said(part);
  return text;
}

std::string described_request(std::string_view bytes) {
  Request request;
  ConnectRequest connect;
  if (read(bytes, connect))
    return connect.session == 0 ? "connect" : "connect again to its session";
  return read(bytes, request) ? said(request) : "what is no request";
}

std::string_view event_name(EventType type) {
  switch (type) {
    case EventType::created:
      return "NodeCreated";
    case EventType::deleted:
      return "NodeDeleted";
    case EventType::data_changed:
      return "NodeDataChanged";
    case EventType::children_changed:
      return "NodeChildrenChanged";
    case EventType::none:
      break;
  }
  return "None";
}

std::string joined(const std::vector<std::string_view>& texts, std::string_view between) {
  std::string all;
  for (const std::string_view text : texts) all.append(all.empty() ? "" : between).append(text);
  return all;
}

std::string listed(std::vector<std::string_view> names) {
  constexpr std::size_t kMost = 4;
  const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - more);
  std::string all = "[" + joined(names, ", ");
  if (more > 0) all += " and " + std::to_string(more) + " more";
  return all + "]";
}

// The wire does not say which request a reply answers: its body shows it.
std::string described_reply(std::string_view bytes) {
  Event event;
  ConnectResponse connect;
  if (read(bytes, event)) return std::string(event_name(event.type)).append(" ").append(event.path);
  if (read(bytes, connect))
    return connect.session == 0 ? "no such session"
                                : "session of " + std::to_string(connect.timeout) + " ms";
  Reply reply;
  reply.op = OpCode::ping;
  Reader header(bytes.substr(0, 16));
  header.take(reply.xid);
  header.take(reply.zxid);
  header.take(reply.code);
  if (!header.all()) return "what is no answer";
  if (reply.code != Code::ok) return std::string(name(reply.code));
  for (const OpCode op : {OpCode::get_children, OpCode::exists, OpCode::create, OpCode::get_data,
                          OpCode::get_children2, OpCode::multi}) {
    reply.op = op;
    if (!read(bytes, reply)) continue;
    if (op == OpCode::create) return std::string(reply.path);
    // create2 sends the path of its node where getData sends data.
    if (op == OpCode::get_data && reply.data)
      return reply.data->starts_with('/') ? std::string(*reply.data)
                                          : "\"" + std::string(*reply.data) + "\"";
    if (op == OpCode::get_children || op == OpCode::get_children2) return listed(reply.children);
    if (op == OpCode::multi) {
      std::vector<std::string_view> codes;
      for (const Reply& part : reply.parts) codes.push_back(name(part.code));
      return joined(codes, "; ");
    }
    break;
  }
  return std::string(name(Code::ok));
}

std::string describe(std::string_view bytes, bool reply) {
  return reply ? described_reply(bytes) : described_request(bytes);
}

std::string_view command(std::string_view bytes) {
  ConnectRequest connect;
  Request request;
  if (read(bytes, connect)) return "connect";
  return read(bytes, request) ? name(request.op) : std::string_view();
}

constexpr sim::Protocol kProtocol{.name = "zookeeper", .describe = describe, .command = command};

}  // namespace

const sim::Protocol& protocol() { return kProtocol; }

bool is_known(OpCode op) {
  return op != OpCode::error && op != OpCode::create_session &&
         std::any_of(kOps.begin(), kOps.end(), [op](const OpName& one) { return one.op == op; });
}

bool is_left_out(OpCode op) {
  return std::find(kLeftOut.begin(), kLeftOut.end(), static_cast<std::int32_t>(op)) !=
         kLeftOut.end();
}

keys::Words command_names() {
  keys::Words names = {"connect"};
  for (const OpName& one : kOps) names.push_back(one.name);
  return names;
}

std::string_view name(OpCode op) {
  const auto found =
      std::find_if(kOps.begin(), kOps.end(), [op](const OpName& one) { return one.op == op; });
  return found != kOps.end() ? found->name : "?";
}

std::string_view name(Code code) {
  switch (code) {
    case Code::ok:
      return "ok";
    case Code::runtime_inconsistency:
      return "RuntimeInconsistency";
    case Code::connection_loss:
      return "ConnectionLoss";
    case Code::marshalling_error:
      return "MarshallingError";
    case Code::unimplemented:
      return "Unimplemented";
    case Code::operation_timeout:
      return "OperationTimeout";
    case Code::bad_arguments:
      return "BadArguments";
    case Code::no_node:
      return "NoNode";
    case Code::no_auth:
      return "NoAuth";
    case Code::bad_version:
      return "BadVersion";
    case Code::no_children_for_ephemerals:
      return "NoChildrenForEphemerals";
    case Code::node_exists:
      return "NodeExists";
    case Code::not_empty:
      return "NotEmpty";
    case Code::session_expired:
      return "SessionExpired";
    case Code::invalid_acl:
      return "InvalidACL";
    case Code::auth_failed:
      return "AuthFailed";
    case Code::session_moved:
      return "SessionMoved";
    case Code::no_watcher:
      return "NoWatcher";
  }
  return "?";
}

void write(const ConnectRequest& request, sim::Payload& out) {
  put(out, std::int32_t{0});  // protocol version
  put(out, request.last_zxid);
  put(out, request.timeout);
  put(out, request.session);
  put(out, request.password);
  if (!request.old) put(out, false);  // read-only servers are not acceptable
}

bool read(std::string_view bytes, ConnectRequest& request) {
  Reader in(bytes);
  const std::int32_t version = in.number();
  in.take(request.last_zxid);
  in.take(request.timeout);
  in.take(request.session);
  in.take(request.password);
  // whether read-only servers are acceptable
  request.old = in.over();
  if (!request.old) in.byte();
  return in.all() && version == 0;
}

void write(const ConnectResponse& response, sim::Payload& out) {
  put(out, std::int32_t{0});
  put(out, response.timeout);
  put(out, response.session);
  put(out, response.password);
  if (!response.old) put(out, false);
}

bool read(std::string_view bytes, ConnectResponse& response) {
  Reader in(bytes);
  const std::int32_t version = in.number();
  in.take(response.timeout);
  in.take(response.session);
  in.take(response.password);
  response.old = in.over();
  if (!response.old) in.byte();
  return in.all() && version == 0 && response.password.size() == kPasswordSize;
}

void write(const Request& request, sim::Payload& out) {
  put(out, request.xid);
  put(out, request.op);
  put_body(request, out);
  if (request.op != OpCode::multi) return;
  for (const Request& part : request.parts) {
    put(out, PartHeader{.op = part.op, .done = false, .error = -1});
    put_body(part, out);
  }
  put(out, PartHeader{});
}

bool read(std::string_view bytes, Request& request) {
  Reader in(bytes);
  request = {};
  in.take(request.xid);
  in.take(request.op);
  if (!is_known(request.op)) return in.good();
  take_body(in, request);
  if (request.op != OpCode::multi) return in.all();
  while (in.good()) {
    const PartHeader header = part_header(in);
    if (header.done) break;
    Request& part = request.parts.emplace_back();
    part.op = header.op;
    take_body(in, part);
  }
  return in.all();
}

void write(const Reply& reply, sim::Payload& out) {
  put(out, reply.xid);
  put(out, reply.zxid);
  put(out, reply.code);
  if (reply.code != Code::ok) return;
  if (reply.op == OpCode::multi)
    put_parts(reply, out);
  else
    put_body(body_of(reply.op), reply, out);
}

bool read(std::string_view bytes, Reply& reply) {
  Reader in(bytes);
  in.take(reply.xid);
  in.take(reply.zxid);
  in.take(reply.code);
  if (reply.code != Code::ok) return in.all();
  if (reply.op == OpCode::multi)
    take_parts(in, reply);
  else
    take_body(in, body_of(reply.op), reply);
  return in.all();
}

void write(const Event& event, sim::Payload& out) {
  put(out, kNotification);
  put(out, Zxid{-1});
  put(out, Code::ok);
  put(out, static_cast<std::int32_t>(event.type));
  put(out, kConnected);
  put(out, event.path);
}

bool read(std::string_view bytes, Event& event) {
  Reader in(bytes);
  const std::int32_t xid = in.number();
  Zxid zxid = 0;
  in.take(zxid);
  in.number();
  event.type = static_cast<EventType>(in.number());
  in.number();
  in.take(event.path);
  return in.all() && xid == kNotification;
}

std::int32_t xid_of(std::string_view bytes) { return Reader(bytes.substr(0, 4)).number(); }

}  // namespace picklock::zookeeper
