// A virtual socket: one end of a socket pair of Unix is the program's, the other the supervisor's.
// The kernel thus knows what is readable and writable, for poll, select and epoll alike.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "guests/descriptor.h"
#include "guests/surroundings.h"
#include "guests/thread.h"

namespace picklock::guests {

class Socket {
 public:
  enum class State : std::uint8_t { fresh, dialing, open, failed };

  explicit Socket(SocketId id);

  SocketId id() const { return id_; }
  State state() const { return state_; }
  int near() const { return near_.get(); }  // the program's end
  bool waits() const;                       // a call on it waits, unless it says otherwise

  void dial(std::uint32_t address, std::uint16_t port);
  // Until it is opened the kernel does not take it for writable.
  void fill();
  void open();
  void refuse(int error);
  void receive(std::string_view bytes);
  void hang_up(bool reset);
  // Moves what was received to the program's end, as far as there is room.
  void top_up();
  bool has_bytes() const;  // among those that the kernel holds
  // Whether so many bytes can be read at once, or as many as will ever come.
  bool has(std::size_t size);
  // The error that the next call is to report, which is then forgotten; 0: none.
  int take_error();
  // After a write to a peer that is gone the next ones fail.
  bool broken() const { return broken_; }
  void written();
  void shut_for_sending() { broken_ = true; }
  // The supervisor's end has got bytes, although every write is trapped.
  bool leaks() const;

  std::uint32_t address = 0;
  std::uint16_t port = 0;
  bool confirmed = false;  // a call of connect has returned 0
  unsigned holders = 0;    // descriptors
  std::int64_t receive_timeout = kNoEnd;
  std::int64_t send_timeout = kNoEnd;
  std::map<std::pair<int, int>, std::string> options;

 private:
  enum class End : std::uint8_t { none, orderly, reset };

  std::size_t present() const;
  void finish();
  void cut(int error);

  SocketId id_;
  Descriptor near_;
  Descriptor far_;
  State state_ = State::fresh;
  std::string unread_;  // what does not fit into the pair
  End end_ = End::none;
  bool finished_ = false;
  bool filled_ = false;
  bool broken_ = false;
  int error_ = 0;
};

}  // namespace picklock::guests
