// The connections of a server, on the simulated network or not: who is connected, in the order of
// arrival, how a connection ends, and what is pushed to it without a request.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/parts.h"
#include "models/redis/session.h"
#include "sim/service.h"

namespace picklock::redis {

class Connections {
 public:
  explicit Connections(const Parts& parts)
      : service_(parts.service),
        config_(parts.config),
        stats_(parts.stats),
        keys_(parts.keys),
        executor_(parts.executor),
        slow_readers_(parts.slow_readers),
        replication_(parts.replication),
        monitors_(parts.monitors),
        blocked_(parts.blocked),
        direct_(parts.direct) {}

  void reset();  // for a new run
  void halted();

  // A new one, at first not on the simulated network.
  Session& open();
  // Its session, which is opened when it is first asked for.
  Session& of(sim::Connection& connection) {
    return connection.session != nullptr ? *static_cast<Session*>(connection.session)
                                         : open_on(connection);
  }
  // nullptr: the connection has been closed.
  static Session* behind(const sim::Message& request) {
    return static_cast<Session*>(request.connection->session);
  }
  std::span<Session* const> all() const { return connected_; }  // in the order of arrival

  // The client has closed its end. The server first serves the requests that wait for its own
  // thread; it drops those that it holds back.
  void client_gone(sim::Connection& connection);
  // The server forgets it. hang_up() also tells the client.
  void disconnect(Session& session);
  void hang_up(Session& session);
  // The server ends the connection after it has sent everything, the answer to a command under way
  // included.
  void close(Session& session);

  // A frame of bulk strings that nobody asked for.
  void push(Session& session, std::initializer_list<std::string_view> words);
  // A line that nobody asked for, of MONITOR.
  void push_line(Session& session, std::string_view line);

  // As the server shows it.
  static std::string peer_address(const Session& session);
  static std::string own_address(const Session& session);

 private:
  Session& open_on(sim::Connection& connection);
  template <typename Write>
  void send_unasked(Session& session, Write write);

  sim::Service& service_;
  const Config& config_;
  Stats& stats_;
  Keyspace& keys_;
  Executor& executor_;
  SlowReaders& slow_readers_;
  Replication& replication_;
  Monitors& monitors_;
  BlockedClients& blocked_;
  DirectCommands& direct_;
  std::deque<Session> sessions_;  // all that there ever were; reused when closed
  std::vector<Session*> connected_;
  std::uint64_t last_id_ = 0;
};

}  // namespace picklock::redis
