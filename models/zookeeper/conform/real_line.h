// The real server's side of a comparison: raw sockets, and a server of our own on a free loopback
// port, with ticks of 200 ms. It ends with this object, and with this process however that ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/zookeeper/conform/player.h"

namespace picklock::models::zookeeper::conform {

// There is no server to compare with; the text says why, and what to do.
class NoServer : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Whether the user wants an end.
using Stop = std::function<bool()>;

struct Address {
  std::string host;
  std::uint16_t port = 0;
};

class RealServer {
 public:
  // Throws NoServer.
  RealServer();
  RealServer(const RealServer&) = delete;
  RealServer& operator=(const RealServer&) = delete;
  ~RealServer();

  const Address& address() const { return address_; }

 private:
  void start();
  void end();

  std::string folder_;
  Address address_;
  pid_t pid_ = -1;
};

class RealLine final : public Line {
 public:
  explicit RealLine(Address address) : address_(std::move(address)) {}
  RealLine(const RealLine&) = delete;
  RealLine& operator=(const RealLine&) = delete;
  ~RealLine() override;

  // What `srvr` says of the version: "3.8.0".
  std::string version() const;

  void dial(std::uint32_t connection) override;
  void hang_up(std::uint32_t connection) override;
  void send(std::uint32_t connection, std::string_view bytes) override;
  std::optional<std::string> receive(std::uint32_t connection) override;
  void sleep(std::int32_t milliseconds) override;
  Znode look(std::string_view, SessionId) override { return Znode::none; }

 private:
  struct Socket {
    int file = -1;
    std::string received;  // and not yet taken
  };
  Socket& at(std::uint32_t connection);

  Address address_;
  std::vector<Socket> sockets_;
};

}  // namespace picklock::models::zookeeper::conform
