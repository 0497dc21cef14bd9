// A redis-server of our own on a free loopback port, without persistence, whose wall clock is a
// number that we set. It ends with this object, and with this process however that ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace picklock::models::redis::conform {

// There is no server to compare with; the text says why, and what to do.
class NoServer : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Address {
  std::string host;
  std::uint16_t port = 0;
};

class RealServer {
 public:
  RealServer();
  RealServer(const RealServer&) = delete;
  RealServer& operator=(const RealServer&) = delete;
  ~RealServer();

  const Address& address() const { return address_; }
  void set_clock(std::int64_t ms) { *clock_ms_ = ms; }

  // It has ended of itself, which no server should: how. Empty: it runs.
  std::string obituary();
  void restart();

 private:
  void start();
  void end();
  std::string log() const;
  std::string last_words() const;

  Address address_;
  pid_t pid_ = -1;
  std::string obituary_;
  int log_ = -1;         // a file in memory
  int clock_file_ = -1;  // likewise, mapped by both processes
  volatile std::int64_t* clock_ms_ = nullptr;
};

}  // namespace picklock::models::redis::conform
