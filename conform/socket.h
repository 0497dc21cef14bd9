// A TCP connection to a real server, whose waits are short and can be interrupted.
#pragma once

#include <string>
#include <string_view>

#include "conform/address.h"

namespace picklock::conform {

class Socket {
 public:
  // How long soon() waits.
  static constexpr int kSoonMs = 20;

  Socket() = default;
  // Throws NoServer. `stop`, which must outlive the socket, is asked at every wait.
  explicit Socket(const Address& address, const Stop* stop = nullptr);
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  // An error shows at the next read: it finds the end of the connection.
  void send(std::string_view bytes);
  // Reads more bytes, those that are here or that come soon. False: there are none.
  bool here();
  bool soon();
  // Returns when the other end has acknowledged what was sent: what is sent later on another
  // connection might arrive first otherwise.
  void await_delivery() const;
  bool open() const { return file_ >= 0; }
  bool ended() const { return ended_; }  // the server has closed it
  std::string& received() { return received_; }

 private:
  bool receive(int flags);
  void look_for_stop() const;
  int connected() const;

  const Stop* stop_ = nullptr;
  int file_ = -1;
  bool ended_ = false;
  std::string received_;  // and not yet taken
};

}  // namespace picklock::conform
