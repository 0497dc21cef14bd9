// What a socket in front of a model needs: the processes that accept connections from outside the
// simulation, and how the bytes on a socket become messages of the simulated network.
#pragma once

#include <cstdint>
#include <string>
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
  // carries for it. Of malformed bytes it leaves those that the server is to refuse, and `message`
  // says why.
  virtual Cut cut(std::string_view& bytes, sim::Payload& message) const = 0;
  // Appends what a socket carries for a message of the server.
  virtual void put(std::string_view message, std::string& out) const { out += message; }

 protected:
  ~Wire() = default;
};

}  // namespace picklock::servers
