// A redis-server of our own on a free loopback port, without persistence, whose wall clock is a
// number that we set. It ends with this object, and with this process however that ends.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "conform/redis/node_clock.h"
#include "conform/server_process.h"

namespace picklock::conform::redis {

// There is no server to compare with; the text says why, and what to do.
class NoServer : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The server was there, and is gone or answers nothing any more.
class ServerEnded : public NoServer {
 public:
  explicit ServerEnded(const std::string& how, std::string last_words = {})
      : NoServer(how), last_words_(std::move(last_words)) {}
  // Of its log; empty: none.
  const std::string& last_words() const { return last_words_; }

 private:
  std::string last_words_;
};

// The user wants an end.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// Whether the user wants an end; asked whenever something is waited for.
using Stop = std::function<bool()>;

struct Address {
  std::string host;
  std::uint16_t port = 0;
};

class RealServer {
 public:
  // Throws Interrupted if it is to stop before the server runs.
  explicit RealServer(Stop stop = {});
  RealServer(const RealServer&) = delete;
  RealServer& operator=(const RealServer&) = delete;
  ~RealServer();

  const Address& address() const { return address_; }
  void set_clock(std::int64_t ms) { clock_.set(ms); }

  // It has ended of itself, which no server should: how. Empty: it runs.
  std::string obituary();
  // Why, as its log has it; empty: it says nothing of it.
  std::string last_words() const;
  void restart();

 private:
  void start();
  std::string log() const;

  Stop stop_;
  Address address_;
  NodeClock clock_;
  int log_ = -1;  // a file in memory
  std::string obituary_;
  ServerProcess process_;
};

}  // namespace picklock::conform::redis
