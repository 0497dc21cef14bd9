// A ZooKeeper server of our own on a free loopback port, with ticks of 200 ms. It ends with this
// object, and with this process however that ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace picklock::models::zookeeper::conform {

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
  // `settings`: lines of its configuration beside our own. Throws NoServer.
  explicit RealServer(std::string_view settings = {});
  RealServer(const RealServer&) = delete;
  RealServer& operator=(const RealServer&) = delete;
  ~RealServer();

  const Address& address() const { return address_; }

 private:
  void start(std::string_view settings);
  void end();

  std::string folder_;
  Address address_;
  pid_t pid_ = -1;
};

// A socket, blocking, which is the caller's to close; -1: nobody listens there.
int connected(const Address& address);

// What the server says to one of its commands of four letters. Nothing: it does not answer yet.
std::string four_letters(const Address& address, std::string_view word);

}  // namespace picklock::models::zookeeper::conform
