// The bytes between a client and a ZooKeeper server on a socket: the records of
// models/zookeeper/wire.h, each behind its length.
#pragma once

#include <cstddef>

#include "models/servers/wire.h"

namespace picklock::zookeeper {

// As jute.maxbuffer comes: a server hangs up on a longer record.
inline constexpr std::size_t kLongestRecord = 0xfffff;

class SocketWire final : public servers::Wire {
 public:
  // Bytes without a possible length become a message of no bytes: no server takes it for a record,
  // whatever came behind the length.
  servers::Cut cut(std::string_view& bytes, sim::Payload& message) override;
  bool put(std::string_view message, std::string& out) override;
  // Its session, which outlives the connection.
  std::optional<std::string> name_given(std::string_view message) override;

 private:
  bool began_ = false;  // the client has sent its first record or word
  bool word_ = false;   // it was a four-letter word
  bool answered_ = false;
  std::optional<std::string> session_;
};

}  // namespace picklock::zookeeper
