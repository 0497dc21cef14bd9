// The world as an unmodified program meets it: clocks, chance and the network. Its members are
// called while no thread of the program runs. They may call the guest's kill, freeze and thaw, and
// its members that announce something: their effect begins when the member returns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/clock.h"

namespace picklock::guests {

using SocketId = std::uint32_t;  // counts from 1 in each guest

class Surroundings {
 public:
  // Nanoseconds that its clock shows.
  virtual std::int64_t clock(sim::ClockKind kind) = 0;
  // Guest::time_came() is to be called once the clock shows `local` or more. Each clock has one
  // alarm, and the last call counts; INT64_MAX: none.
  virtual void alarm(sim::ClockKind kind, std::int64_t local) = 0;
  virtual void random(std::span<unsigned char> bytes) = 0;
  // The address and the port are in host byte order. False: refused at once. Else Guest::opened,
  // Guest::refused or Guest::hung_up comes later.
  virtual bool dial(SocketId socket, std::uint32_t address, std::uint16_t port) = 0;
  virtual void send(SocketId socket, std::string_view bytes) = 0;
  // The program has closed its last descriptor of a socket that it had dialed, or has ended.
  virtual void closed(SocketId socket) = 0;
  // The program sends nothing more on it.
  virtual void shut_for_sending(SocketId socket) = 0;
  // A line that the program has written to descriptor 3, without its end.
  virtual void says(std::string_view line) = 0;
  // The text of /etc/hosts, to which the name of the guest's own host is added.
  virtual std::string hosts() = 0;

 protected:
  ~Surroundings() = default;
};

}  // namespace picklock::guests
