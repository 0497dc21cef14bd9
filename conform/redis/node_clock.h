// The wall clock of a real redis-server: a preloaded library reads the time from a page of memory
// that the server maps too.
#pragma once

#include <cstdint>
#include <string>

#include "conform/server_process.h"

namespace picklock::conform::redis {

class NodeClock {
 public:
  enum class Kind { stands, runs };

  // Throws NoServer if the memory cannot be had.
  explicit NodeClock(Kind kind);
  NodeClock(const NodeClock&) = delete;
  NodeClock& operator=(const NodeClock&) = delete;
  ~NodeClock();

  // A stopped clock: milliseconds since the epoch. A running one: its lead over the true time.
  void set(std::int64_t ms) { *ms_ = ms; }
  std::int64_t get() const { return *ms_; }
  bool stands() const { return kind_ == Kind::stands; }

  // The environment with which to start a server that uses this clock. Throws NoServer.
  Surroundings surroundings() const;

 private:
  Kind kind_;
  int file_ = -1;  // in memory
  volatile std::int64_t* ms_ = nullptr;
};

}  // namespace picklock::conform::redis
