// What a socket in front of a model needs: the processes that accept connections from outside the
// simulation, and how the bytes of one connection become messages and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "picklock/client.h"
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
  held,       // none is taken before the server has answered the one before
  malformed,  // the server refuses all of it, and ends the connection
};

// The state of one connection.
class Wire {
 public:
  virtual ~Wire() = default;

  // Clients must know this password, where the server does not ask for it by itself
  // (Cluster::asks_for_password). They may prove it by an answer to the challenge, which is of 20
  // bytes, none of them zero, and which nobody can foresee. Call this before anything else.
  virtual void require(std::string_view /*password*/, std::string_view /*challenge*/) {}
  // Where the server speaks first: what it is asked as soon as the connection is open, and answers
  // with its greeting. False: the client speaks first.
  virtual bool open(sim::Payload&) { return false; }
  // Takes the first request off the front of `bytes`; `message` is what the simulated network
  // carries for it. Malformed bytes are left there, and `message` says why they are refused.
  virtual Cut cut(std::string_view& bytes, sim::Payload& message) = 0;
  // Appends what the client reads for a message of the server. False: the connection ends with it.
  virtual bool put(std::string_view message, std::string& out) {
    out += message;
    return true;
  }
  // The purpose of the message, if its command says so.
  virtual Role role_of(std::string_view) const { return Role::command; }
  // The name that the client gives itself with this message, if it does.
  virtual std::optional<std::string> name_given(std::string_view) { return std::nullopt; }
};

}  // namespace picklock::servers
