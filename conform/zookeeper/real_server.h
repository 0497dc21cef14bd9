// A ZooKeeper server of our own on a free loopback port, with ticks of 200 ms, alone or as one of
// an ensemble. It ends with this object, and with this process however that ends.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conform/server_process.h"

namespace picklock::conform::zookeeper {

// There is no server to compare with; the text says why, and what to do.
class NoServer : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Address {
  std::string host;
  std::uint16_t port = 0;
};

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

class RealServer {
 public:
  // Alone; it answers when this returns. `settings`: lines of its configuration beside our own.
  // Throws NoServer, as all below.
  explicit RealServer(std::string settings = {});
  // One of several: it runs when this returns, and serves when they are enough.
  explicit RealServer(Membership membership, std::string settings = {});
  RealServer(const RealServer&) = delete;
  RealServer& operator=(const RealServer&) = delete;
  ~RealServer();

  const Address& address() const { return address_; }

  // `leader`, `follower`, `standalone`, as it says itself; nothing: it serves nobody.
  std::string mode() const;
  // Throws if it has ended by itself.
  void look_for_end();

  // Each has taken effect when it returns.
  void kill() { process_.kill(); }  // -9
  void start();  // of one that was killed: again, at the same address, with its data
  void stop() { process_.stop(); }
  void go_on() { process_.go_on(); }

 private:
  void configure() const;

  Membership membership_;
  std::string settings_;
  std::string folder_;
  Address address_;
  ServerProcess process_;
};

// A socket, blocking, which is the caller's to close; -1: nobody listens there.
int connected(const Address& address);

// What the server says to one of its commands of four letters. Nothing: it does not answer yet.
std::string four_letters(const Address& address, std::string_view word);

}  // namespace picklock::conform::zookeeper
