// The real side: applies the steps of a situation to real processes, and observes real sockets.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <memory>

#include "conform/zookeeper/outcomes/side.h"
#include "conform/zookeeper/real_line.h"
#include "conform/zookeeper/real_server.h"

namespace picklock::conform::zookeeper::outcomes {

class RealSide final : public Side {
 public:
  // Starts three new servers; all of them serve when this returns. Throws NoServer.
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
  RealServer& server(ServerId number) { return *servers_[number - 1]; }
  RealSocket& at(std::uint32_t connection);

  std::array<std::unique_ptr<RealServer>, kServers> servers_;
  std::deque<RealSocket> sockets_;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace picklock::conform::zookeeper::outcomes
