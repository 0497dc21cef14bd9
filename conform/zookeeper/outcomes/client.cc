#include "conform/zookeeper/outcomes/client.h"

#include <algorithm>
#include <stdexcept>

namespace picklock::conform::zookeeper::outcomes {
namespace {

constexpr Duration kAgain(10);
// A server may leave a request unanswered until it receives another (Z48). A client that waits for
// an answer pings meanwhile; a client without a session cannot, and connects again.
constexpr Duration kPingEvery = kTick;
constexpr Duration kDialEvery = 10 * kTick;

template <typename Record>
std::string bytes_of(const Record& record) {
  sim::Payload payload;
  write(record, payload);
  return std::string(payload.view());
}

}  // namespace

std::string Client::connect(ServerId server) {
  if (session_ == 0) password_.assign(kPasswordSize, '\0');
  const std::string request =
      bytes_of(ConnectRequest{.last_zxid = seen_,
                              .timeout = static_cast<std::int32_t>(kTimeout.count()),
                              .session = session_,
                              .password = password_});
  const Duration until = side_.now() + kPatience;
  Came came = Came::nothing;
  while (came == Came::nothing && side_.now() < until) {
    side_.dial(connection_, server);
    side_.send(connection_, request);
    came = side_.receive(connection_, received_, kDialEvery);
  }
  if (came != Came::message) return std::string(came == Came::end ? kHungUp : kNoAnswer);
  ConnectResponse response;
  if (!read(received_, response)) throw std::runtime_error("this is no answer to a connect");
  if (response.session == 0) return std::string(kExpired);
  if (session_ != 0 && session_ != response.session)
    throw std::runtime_error("another session was opened than was asked for");
  session_ = response.session;
  password_ = response.password;
  return std::string(kOk);
}

std::string Client::connect_at_last(std::span<const ServerId> servers) {
  const Duration until = side_.now() + kPatience;
  for (std::size_t i = 0;; ++i) {
    std::string word = connect(servers[i % servers.size()]);
    if (word != kHungUp || side_.now() >= until) return word;
    side_.pass(kAgain);
  }
}

std::string Client::create(std::string_view path, std::string_view data, CreateMode mode) {
  return ask(
      {.op = OpCode::create, .path = path, .data = data, .flags = static_cast<std::int32_t>(mode)});
}

std::string Client::set(std::string_view path, std::string_view data) {
  begin_set(path, data);
  return outcome(kPatience);
}

std::string Client::get(std::string_view path) {
  send({.op = OpCode::get_data, .path = path});
  Reply reply;
  std::string word = take(kPatience, reply);
  return word == kOk ? std::string(reply.data.value_or("")) : word;
}

std::string Client::sync(std::string_view path) { return ask({.op = OpCode::sync, .path = path}); }

std::string Client::owner(std::string_view path) {
  send({.op = OpCode::exists, .path = path});
  Reply reply;
  std::string word = take(kPatience, reply);
  if (word != kOk) return word;
  if (reply.stat.ephemeral_owner == 0) return "nobody's";
  return reply.stat.ephemeral_owner == session_ ? "its own" : "another's";
}

void Client::begin_set(std::string_view path, std::string_view data) {
  send({.op = OpCode::set_data, .path = path, .data = data});
}

std::string Client::outcome(Duration patience) {
  Reply reply;
  return take(patience, reply);
}

std::string Client::set_at_last(std::span<const ServerId> servers, std::string_view path,
                                std::string_view data) {
  const Duration until = side_.now() + kPatience;
  for (;;) {
    std::string word = connect_at_last(servers);
    if (word == kOk) word = set(path, data);
    if (word != kHungUp || side_.now() >= until) return word;
  }
}

void Client::ping() {
  side_.send(connection_, bytes_of(Request{.xid = kPing, .op = OpCode::ping}));
}

void Client::send(const Request& request) {
  Request numbered = request;
  numbered.xid = ++xid_;
  asked_ = request.op;
  side_.send(connection_, bytes_of(numbered));
}

std::string Client::ask(const Request& request) {
  send(request);
  return outcome(kPatience);
}

std::string Client::take(Duration patience, Reply& reply) {
  const Duration until = side_.now() + patience;
  for (;;) {
    const Duration left = std::max(until - side_.now(), Duration::zero());
    const Came came = side_.receive(connection_, received_, std::min(left, kPingEvery));
    if (came == Came::end) return std::string(kHungUp);
    if (came == Came::message && xid_of(received_) != kPing) break;
    if (side_.now() >= until) return std::string(kNoAnswer);
    if (came == Came::nothing) ping();
  }
  reply.op = asked_;
  if (xid_of(received_) != xid_ || !read(received_, reply))
    throw std::runtime_error("this is no answer to what was asked");
  seen_ = std::max(seen_, reply.zxid);
  return std::string(reply.code == Code::ok ? kOk : name(reply.code));
}

}  // namespace picklock::conform::zookeeper::outcomes
