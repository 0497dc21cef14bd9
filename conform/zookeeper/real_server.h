// A ZooKeeper server of our own, with ticks of 200 ms, alone or as one of an ensemble.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conform/own_server.h"

namespace picklock::conform::zookeeper {

// The number of a server in its ensemble, and the settings that all of them share.
struct Membership {
  struct Ports {
    std::uint16_t quorum = 0;
    std::uint16_t election = 0;
  };

  std::uint32_t number = 0;  // from 1; 0: alone
  std::vector<Ports> servers{};
  std::uint32_t init_limit = 10;
  std::uint32_t sync_limit = 5;
};

class RealServer final : public OwnServer {
 public:
  // Runs alone, and answers when this returns. `settings`: further lines of its configuration.
  // Throws NoServer or Interrupted.
  explicit RealServer(std::string settings = {}, Stop stop = {});
  // One of several: it runs when this returns, and serves when enough of them do.
  explicit RealServer(Membership membership);

  // `leader`, `follower`, `standalone`, as it says itself; empty: it serves no clients.
  std::string mode() const;
  // After kill(): starts it again at the same address, with its data.
  void run_again() { begin(); }

 private:
  RealServer(Membership membership, std::string settings, Stop stop);

  std::vector<std::string> command() override;
  bool answers() override { return !mode().empty(); }

  Membership membership_;
  std::string settings_;
};

// The server's answer to a four-letter command. Empty: it does not answer yet.
std::string four_letters(const Address& address, std::string_view word);

}  // namespace picklock::conform::zookeeper
