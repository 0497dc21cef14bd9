// Where a real server listens, and how a comparison says that it has none to compare with.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

namespace picklock::conform {

struct Address {
  std::string host;
  std::uint16_t port = 0;
};

inline std::string shown(const Address& address) {
  return address.host + ":" + std::to_string(address.port);
}

// No server can be compared with. The text says why, and what to do.
class NoServer : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Whether the user wants an end; asked whenever something is waited for. Empty: never.
using Stop = std::function<bool()>;

// The user wants an end.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// Throws Interrupted if the user wants an end.
inline void look_for_stop(const Stop& stop) {
  if (stop && stop()) throw Interrupted();
}

}  // namespace picklock::conform
