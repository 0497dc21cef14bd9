// A ZooKeeper server of our own, with ticks of 200 ms, alone or as one of an ensemble.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conform/own_server.h"

namespace picklock::conform::zookeeper {

// Which of an ensemble's servers it is, and what all of them have in common.
struct Membership {
  struct Ports {
    std::uint16_t quorum = 0;
    std::uint16_t election = 0;
  };

  std::uint32_t number = 0;  // from 1; 0: it is alone
  std::vector<Ports> servers{};
  std::uint32_t init_limit = 10;
  std::uint32_t sync_limit = 5;
};

class RealServer final : public OwnServer {
 public:
  // Alone; it answers when this returns. `settings`: further lines of its configuration. Throws
  // NoServer or Interrupted.
  explicit RealServer(std::string settings = {}, Stop stop = {});
  // One of several: it runs when this returns, and serves when they are enough.
  explicit RealServer(Membership membership);

  // `leader`, `follower`, `standalone`, as it says itself; nothing: it serves nobody.
  std::string mode() const;
  // After kill(): at the same address, with its data.
  void run_again() { begin(); }

 private:
  RealServer(Membership membership, std::string settings, Stop stop);

  std::vector<std::string> command() override;
  bool answers() override { return !mode().empty(); }

  Membership membership_;
  std::string settings_;
};

// What the server says to one of its commands of four letters. Nothing: it does not answer yet.
std::string four_letters(const Address& address, std::string_view word);

}  // namespace picklock::conform::zookeeper
