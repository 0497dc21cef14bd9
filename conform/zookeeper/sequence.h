// The steps of a case: the requests of a few clients of one server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conform/case.h"
#include "models/zookeeper/op_code.h"
#include "picklock/zookeeper.h"

namespace picklock::conform::zookeeper {

using namespace picklock::zookeeper;  // the model of ZooKeeper: this folder is about it alone

// The root of all znodes of a sequence; both sides create it before the first step.
inline constexpr std::string_view kRoot = "/t";

struct Ask {
  OpCode op{};
  std::string path{};
  std::optional<std::string> data{};
  std::int32_t version = kAnyVersion;
  std::int32_t flags = 0;
  bool has_acl = true;
  bool watch = false;
  Zxid seen = 0;  // of setWatches: how many writes ago
  std::vector<std::string> data_watches{};
  std::vector<std::string> exists_watches{};
  std::vector<std::string> child_watches{};
  std::vector<Ask> parts{};
};

struct Step {
  enum class Kind : std::uint8_t {
    ask,      // a request and its answer
    connect,  // requests a new session
    resume,   // resumes the last session of this connection
    intrude,  // the same with a wrong password
    usurp,    // takes the session of another connection
    drop,     // closes the connection silently
    pass,     // lets time pass
  };
  Kind kind = Kind::ask;
  std::uint32_t connection = 0;
  Ask ask{};
  std::uint32_t from = 0;    // the connection whose session is taken
  std::int32_t timeout = 0;  // of a requested session; or the milliseconds that pass
};

using Sequence = Case<Step>;

// `2> create /t/a "x" ephemeral`, or `   (700 ms pass)`.
std::string shown(const Step& step);

}  // namespace picklock::conform::zookeeper
