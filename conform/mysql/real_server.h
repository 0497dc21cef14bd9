// A MariaDB server of our own on a free loopback port, on an empty data directory, which keeps
// nothing. It ends with this object, and with this process however that ends.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "conform/server_process.h"

namespace picklock::conform::mysql {

// There is no server to compare with; the text says why, and what to do.
class NoServer : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Address {
  std::string host;
  std::uint16_t port = 0;
};

class RealServer {
 public:
  // It answers when this returns. Throws NoServer.
  RealServer();
  RealServer(const RealServer&) = delete;
  RealServer& operator=(const RealServer&) = delete;
  ~RealServer();

  const Address& address() const { return address_; }

 private:
  std::string folder_;
  Address address_;
  ServerProcess process_;
};

}  // namespace picklock::conform::mysql
