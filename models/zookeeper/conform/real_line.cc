#include "models/zookeeper/conform/real_line.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace picklock::models::zookeeper::conform {
namespace {

constexpr int kPatience = 10'000;  // milliseconds, for an answer

}  // namespace

RealLine::~RealLine() {
  for (const Socket& socket : sockets_) {
    if (socket.file >= 0) close(socket.file);
  }
}

std::string RealLine::version() const {
  const std::string answer = four_letters(address_, "srvr");
  constexpr std::string_view kVersion = "Zookeeper version: ";
  const std::size_t at = answer.find(kVersion);
  if (at == std::string::npos)
    throw NoServer(fmt::format("no ZooKeeper answers at {}:{}", address_.host, address_.port));
  const std::string rest = answer.substr(at + kVersion.size());
  return rest.substr(0, rest.find_first_of("-, \n"));
}

RealLine::Socket& RealLine::at(std::uint32_t connection) {
  if (connection >= sockets_.size()) sockets_.resize(connection + std::size_t{1});
  return sockets_[connection];
}

void RealLine::dial(std::uint32_t connection) {
  hang_up(connection);
  Socket& socket = at(connection);
  socket.file = connected(address_);
  if (socket.file < 0)
    throw NoServer(fmt::format("nobody listens at {}:{}", address_.host, address_.port));
}

void RealLine::hang_up(std::uint32_t connection) {
  Socket& socket = at(connection);
  if (socket.file >= 0) close(socket.file);
  socket = {};
}

void RealLine::send(std::uint32_t connection, std::string_view bytes) {
  const Socket& socket = at(connection);
  if (socket.file < 0) return;
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::string framed;
  for (int shift = 24; shift >= 0; shift -= 8) framed += static_cast<char>(size >> shift);
  framed += bytes;
  for (std::size_t sent = 0; sent < framed.size();) {
    const ssize_t some =
        ::send(socket.file, framed.data() + sent, framed.size() - sent, MSG_NOSIGNAL);
    if (some <= 0) return;  // what is read next tells why
    sent += static_cast<std::size_t>(some);
  }
}

std::optional<std::string> RealLine::receive(std::uint32_t connection) {
  Socket& socket = at(connection);
  for (;;) {
    std::string& received = socket.received;
    if (received.size() >= 4) {
      std::size_t size = 0;
      for (int i = 0; i < 4; ++i)
        size = size << 8 | static_cast<unsigned char>(received[static_cast<std::size_t>(i)]);
      if (received.size() >= 4 + size) {
        std::string bytes = received.substr(4, size);
        received.erase(0, 4 + size);
        return bytes;
      }
    }
    if (socket.file < 0) return std::nullopt;
    pollfd ready{socket.file, POLLIN, 0};
    const int polled = poll(&ready, 1, kPatience);
    if (polled == 0) throw std::runtime_error("the server does not answer");
    std::array<char, 16384> some{};
    const ssize_t size = read(socket.file, some.data(), some.size());
    if (size <= 0) return std::nullopt;
    received.append(some.data(), static_cast<std::size_t>(size));
  }
}

void RealLine::sleep(std::int32_t milliseconds) {
  usleep(static_cast<useconds_t>(milliseconds) * 1000);
}

}  // namespace picklock::models::zookeeper::conform
