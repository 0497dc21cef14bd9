// What a socket in front of a model needs: the processes that accept connections from outside the
// simulation, and how their clients' bytes are cut into requests.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/network.h"

namespace picklock::servers {

// A process that accepts connections from outside.
struct Door {
  sim::Process* process = nullptr;
  sim::Endpoint* endpoint = nullptr;
  const sim::Protocol* protocol = nullptr;
};

enum class Cut : std::uint8_t {
  request,    // one is whole
  nothing,    // bytes that ask for nothing, such as an empty line
  partial,    // more bytes are needed
  malformed,  // the server refuses all of it, and ends the connection
};

class Wire {
 public:
  // Takes the first request off the front of `bytes`; `message` is what the simulated network
  // carries for it. Malformed bytes are left there, and `message` says why they are refused.
  virtual Cut cut(std::string_view& bytes, sim::Payload& message) const = 0;

 protected:
  ~Wire() = default;
};

}  // namespace picklock::servers
