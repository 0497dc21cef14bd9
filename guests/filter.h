// Which system calls of a guest are trapped. A filter of the kernel cannot look behind a pointer,
// but it sees numbers: sockets and pipes of a guest have descriptors that nothing else has.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <span>
#include <vector>

namespace picklock::guests {

inline constexpr int kFirstChannel = 500;  // a pipe, an eventfd or one end of a socket pair
inline constexpr int kFirstSocket = 800;
inline constexpr int kLastSocket = 1000;
inline constexpr int kDescriptors = 1024;  // as many as a guest may have

enum class Trap : std::uint8_t {
  always,
  on_socket,            // its first argument is a socket or a channel
  on_socket_or_second,  // its first or its second
  on_socket_or_third,
};

struct Trapped {
  int call;
  Trap when;
};

std::vector<sock_filter> make_filter(std::span<const Trapped> calls);

}  // namespace picklock::guests
