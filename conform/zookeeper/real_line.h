// The real server's side of a comparison: raw sockets.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "conform/address.h"
#include "conform/socket.h"
#include "conform/zookeeper/player.h"

namespace picklock::conform::zookeeper {

// One connection after the other to a real server; each message has its length in front.
class RealSocket {
 public:
  // False: no server listens there.
  bool dial(const Address& address);
  void hang_up() { socket_ = Socket(); }
  void send(std::string_view bytes);
  // False: no message has come within this many milliseconds, or the connection has ended.
  bool receive(std::string& bytes, int patience);
  bool open() const { return socket_.open(); }

 private:
  bool take(std::string& bytes);

  Socket socket_;
};

class RealLine final : public Line {
 public:
  explicit RealLine(Address address) : address_(std::move(address)) {}

  // The version that `srvr` reports: "3.8.0".
  std::string version() const;

  void dial(std::uint32_t connection) override;
  void hang_up(std::uint32_t connection) override;
  void send(std::uint32_t connection, std::string_view bytes) override;
  std::optional<std::string> receive(std::uint32_t connection) override;
  void sleep(std::int32_t milliseconds) override;
  Znode look(std::string_view, SessionId) override { return Znode::none; }

 private:
  RealSocket& at(std::uint32_t connection);

  Address address_;
  std::deque<RealSocket> sockets_;
};

}  // namespace picklock::conform::zookeeper
