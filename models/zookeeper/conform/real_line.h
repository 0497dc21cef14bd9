// The real server's side of a comparison: raw sockets.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/zookeeper/conform/player.h"
#include "models/zookeeper/conform/real_server.h"

namespace picklock::models::zookeeper::conform {

// Whether the user wants an end.
using Stop = std::function<bool()>;

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
