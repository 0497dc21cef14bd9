#include "models/redis/connections.h"

#include <algorithm>

#include "models/redis/blocked_clients.h"
#include "models/redis/config.h"
#include "models/redis/direct_commands.h"
#include "models/redis/directory.h"
#include "models/redis/executor.h"
#include "models/redis/keyspace.h"
#include "models/redis/monitors.h"
#include "models/redis/pubsub.h"
#include "models/redis/replication.h"
#include "models/redis/slow_readers.h"
#include "models/redis/stats.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

std::string address(sim::ProcessId process, std::uint64_t port) {
  return host_of(process) + ":" + std::to_string(port);
}

}  // namespace

std::string Connections::peer_address(const Session& session) {
  constexpr std::uint64_t kFirstPort = 32768;
  constexpr std::uint64_t kPorts = 28232;
  const std::uint64_t port = kFirstPort + session.id % kPorts;
  if (session.connection == nullptr) return "127.0.0.1:" + std::to_string(port);
  return address(session.connection->client().id(), port);
}

std::string Connections::own_address(const Session& session) {
  if (session.connection == nullptr) return "127.0.0.1:" + std::to_string(kServerPort);
  return address(session.connection->server().id(), kServerPort);
}

void Connections::reset() {
  last_id_ = 0;
  halted();
}

void Connections::halted() {
  for (Session* session : connected_) {
    session->connected = false;
    session->replica.reset();
  }
  connected_.clear();
}

Session& Connections::open() {
  auto free = std::find_if(sessions_.begin(), sessions_.end(),
                           [](const Session& session) { return !session.connected; });
  Session& session = free == sessions_.end() ? sessions_.emplace_back() : *free;
  session = Session();
  session.id = ++last_id_;
  session.connected = true;
  session.authenticated = config_.password().empty();
  session.connected_at = session.last_command_at = service_.simulation().now();
  connected_.push_back(&session);
  ++stats_.connections;
  return session;
}

Session& Connections::open_on(sim::Connection& connection) {
  Session& session = open();
  session.connection = &connection;
  connection.session = &session;
  return session;
}

void Connections::disconnect(Session& session) {
  if (!session.connected) return;
  session.connected = false;
  PubSub::forget(session);
  monitors_.forget(session);
  if (session.replica != nullptr) replication_.replicas().detached(session);
  if (session.blocked) blocked_.forget(session);
  if (session.connection != nullptr) session.connection->session = nullptr;
  connected_.erase(std::find(connected_.begin(), connected_.end(), &session));
  direct_.forget(session);
}

void Connections::client_gone(sim::Connection& connection) {
  if (connection.session == nullptr) return;
  Session& session = *static_cast<Session*>(connection.session);
  if (session.waiting > 0 ||
      (session.replica != nullptr && replication_.replicas().ends_later(session))) {
    session.ended = true;
  } else {
    disconnect(session);
  }
}

void Connections::hang_up(Session& session) {
  sim::Connection* connection = session.connection;
  disconnect(session);
  if (connection != nullptr) service_.simulation().network.shut(*connection);
}

void Connections::close(Session& session) {
  if (&session == executor_.answering()) {
    session.closing = true;
  } else {
    hang_up(session);
  }
}

template <typename Write>
void Connections::send_unasked(Session& session, Write write) {
  if (session.closing) {
    // The server still writes to a client that has stopped reading; the write error then closes the
    // connection.
    if (&session != executor_.answering()) slow_readers_.close_later(session);
    return;
  }
  if (&session == executor_.answering()) {
    write(executor_.answer());
  } else if (session.connection == nullptr) {
    sim::Payload bytes;
    write(bytes);
    session.unasked += bytes.view();
  } else {
    sim::Network& network = service_.simulation().network;
    sim::Message& message = network.make(*session.connection, 1);
    write(message.payload);
    message.tag = keys_.recorder().actor().tenure;
    network.send_unasked(message);
    slow_readers_.look_at(session);
  }
}

void Connections::push(Session& session, std::initializer_list<std::string_view> words) {
  send_unasked(session, [&](sim::Payload& out) {
    write_push(out, words.size(), session.protocol);
    for (std::string_view word : words) write_bulk(out, word);
  });
}

void Connections::push_line(Session& session, std::string_view line) {
  send_unasked(session, [&](sim::Payload& out) { out.append(line); });
}

}  // namespace picklock::redis
