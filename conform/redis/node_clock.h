// The wall clock of a real redis-server: a number that a preloaded library takes for the time, in a
// page of memory that the server maps too.
#pragma once

#include <cstdint>
#include <string>

#include "conform/server_process.h"

namespace picklock::conform::redis {

class NodeClock {
 public:
  enum class Kind { stands, runs };

  // Throws NoServer if there is no memory for it.
  explicit NodeClock(Kind kind);
  NodeClock(const NodeClock&) = delete;
  NodeClock& operator=(const NodeClock&) = delete;
  ~NodeClock();

  // Of one that stands: milliseconds since the epoch. Of one that runs: ahead of the true time.
  void set(std::int64_t ms) { *ms_ = ms; }
  std::int64_t get() const { return *ms_; }
  bool stands() const { return kind_ == Kind::stands; }

  // What a server that is to live by it is started with. Throws NoServer.
  Surroundings surroundings() const;

 private:
  Kind kind_;
  int file_ = -1;  // in memory
  volatile std::int64_t* ms_ = nullptr;
};

}  // namespace picklock::conform::redis
