// A write with its place in the order of its ensemble.
#pragma once

#include <cstdint>

#include "history/history.h"
#include "models/zookeeper/op_code.h"
#include "models/zookeeper/tree.h"
#include "picklock/zookeeper.h"

namespace picklock::zookeeper {

using ServerId = std::uint32_t;  // 1, 2 and so on within an ensemble; 0: none

struct Proposal {
  Zxid zxid = 0;
  std::int64_t ms = 0;  // since 1970, on the clock of the server that led
  Write write{};
  ServerId server = 0;           // whose client sent it; 0: the leader itself
  std::uint32_t request = 0;     // the number that this server gave it
  history::TenureId tenure = 0;  // who sent it: only the simulator knows

  Stamp stamp() const { return {zxid, ms, tenure}; }
};

// A zxid consists of the leader's epoch and the proposal's number within it.
constexpr std::int64_t epoch_of(Zxid zxid) { return zxid >> 32; }
constexpr Zxid first_of(std::int64_t epoch) { return epoch << 32; }

}  // namespace picklock::zookeeper
