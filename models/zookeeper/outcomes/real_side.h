// The real side: what a situation says is done to real processes, and seen at real sockets.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <memory>

#include "models/zookeeper/conform/real_line.h"
#include "models/zookeeper/conform/real_server.h"
#include "models/zookeeper/outcomes/side.h"

namespace picklock::zookeeper::outcomes {

class RealSide final : public Side {
 public:
  // Three new servers; all of them serve when this returns. Throws conform::NoServer.
  explicit RealSide(std::uint32_t sync_limit);

  Duration now() override;
  void pass(Duration time) override;
  void act(Deed deed, ServerId server) override;
  Role role(ServerId server) override;
  void dial(std::uint32_t connection, ServerId server) override;
  void send(std::uint32_t connection, std::string_view bytes) override;
  Came receive(std::uint32_t connection, std::string& bytes, Duration patience) override;

 private:
  bool all_serve();
  conform::RealServer& server(ServerId number) { return *servers_[number - 1]; }
  conform::RealSocket& at(std::uint32_t connection);

  std::array<std::unique_ptr<conform::RealServer>, kServers> servers_;
  std::deque<conform::RealSocket> sockets_;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace picklock::zookeeper::outcomes
