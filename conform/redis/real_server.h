// A redis-server or a Sentinel of our own, whose wall clock we set: alone, without persistence, or
// in a group.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conform/own_server.h"
#include "conform/redis/node_clock.h"

namespace picklock::conform::redis {

// The server ran before, and is gone or no longer answers.
class ServerEnded : public NoServer {
 public:
  explicit ServerEnded(const std::string& how, std::string last_words = {})
      : NoServer(how), last_words_(std::move(last_words)) {}
  // The cause, from the server's log. Empty: the log has none.
  const std::string& last_words() const { return last_words_; }

 private:
  std::string last_words_;
};

struct Settings {
  std::string name = "redis-server";
  std::string configuration = {};           // lines of its file, without the port
  std::vector<std::string> arguments = {};  // or, without a file, these with "--"
  bool sentinel = false;
  bool clock_stands = false;  // at kEpochMs; otherwise it shows the true time
};

class RealServer final : public OwnServer {
 public:
  // The server answers when this returns. Throws NoServer, like all below, or Interrupted.
  explicit RealServer(Settings settings, Stop stop = {});
  // Alone, with a stopped clock and without persistence.
  explicit RealServer(Stop stop = {});

  const std::string& name() const { return settings_.name; }
  bool sentinel() const { return settings_.sentinel; }
  NodeClock& clock() { return clock_; }

  // How it ended by itself, which no server should. Empty: it runs.
  std::string obituary();
  // The reason for its end, from its log. Empty: the log does not say.
  std::string last_words() const;
  // Replaces it by a server with an empty keyspace, at a new address.
  void replace();
  // Restarts it with its folder, at the same address: it answers, perhaps that it is loading.
  void restart();
  // Cuts off the end of the append-only file of a server that was killed.
  void tear() const;

 private:
  std::vector<std::string> command() override;
  Surroundings surroundings() const override { return clock_.surroundings(); }
  bool answers() override;

  Settings settings_;
  NodeClock clock_;
  std::string obituary_;
};

}  // namespace picklock::conform::redis
