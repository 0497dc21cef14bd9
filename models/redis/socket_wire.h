// What a client writes to a Redis server's socket: arrays of bulk strings, or inline commands as a
// person types them, and the errors of the real server for what is neither (R108).
#pragma once

#include "models/servers/wire.h"

namespace picklock::redis {

// For one request, all its arguments together. A real server takes 512 MiB for each.
inline constexpr std::size_t kMostRequestBytes = std::size_t{16} << 20;

class SocketWire final : public servers::Wire {
 public:
  servers::Cut cut(std::string_view& bytes, sim::Payload& message) override;
  // That of CLIENT SETNAME, or of HELLO.
  std::optional<std::string> name_given(std::string_view message) override;

 private:
  // The part of an array that has been read before the rest of it has come.
  struct Read {
    std::size_t bytes = 0;
    std::size_t head = 0;      // of these, the line with the number of words
    std::int64_t missing = 0;  // words
    bool strict = true;        // each line and each word ends as it should
  };

  servers::Cut cut_array(std::string_view& bytes, sim::Payload& message);

  Read read_;
};

// The answer to bytes that are no request.
void refuse_bytes(std::string_view bytes, sim::Payload& answer);

}  // namespace picklock::redis
