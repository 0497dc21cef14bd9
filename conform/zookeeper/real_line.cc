#include "conform/zookeeper/real_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <stdexcept>

#include "conform/zookeeper/real_server.h"

namespace picklock::conform::zookeeper {
namespace {

constexpr int kPatience = 10'000;  // milliseconds, for an answer

}  // namespace

// ---------------------------------------------------------------- a socket

bool RealSocket::dial(const Address& address) {
  hang_up();
  try {
    socket_ = Socket(address);
  } catch (const NoServer&) {
    // The server is gone.
  }
  return open();
}

void RealSocket::send(std::string_view bytes) {
  if (!open()) return;
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::string framed;
  for (int shift = 24; shift >= 0; shift -= 8) framed += static_cast<char>(size >> shift);
  framed += bytes;
  socket_.send(framed);
}

bool RealSocket::take(std::string& bytes) {
  std::string& received = socket_.received();
  if (received.size() < 4) return false;
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(received[i]);
  if (received.size() < 4 + size) return false;
  bytes = received.substr(4, size);
  received.erase(0, 4 + size);
  return true;
}

bool RealSocket::receive(std::string& bytes, int patience) {
  while (!take(bytes)) {
    if (!open()) return false;
    if (socket_.soon()) continue;
    if (socket_.ended()) {
      hang_up();
      return false;
    }
    patience -= Socket::kSoonMs;
    if (patience <= 0) return false;
  }
  return true;
}

// ---------------------------------------------------------------- a line

std::string RealLine::version() const {
  const std::string answer = four_letters(address_, "srvr");
  constexpr std::string_view kVersion = "Zookeeper version: ";
  const std::size_t at = answer.find(kVersion);
  if (at == std::string::npos)
    throw NoServer(fmt::format("no ZooKeeper answers at {}", conform::shown(address_)));
  const std::string rest = answer.substr(at + kVersion.size());
  return rest.substr(0, rest.find_first_of("-, \n"));
}

RealSocket& RealLine::at(std::uint32_t connection) {
  while (sockets_.size() <= connection) sockets_.emplace_back();
  return sockets_[connection];
}

void RealLine::dial(std::uint32_t connection) {
  if (!at(connection).dial(address_))
    throw NoServer(fmt::format("nobody listens at {}", conform::shown(address_)));
}

void RealLine::hang_up(std::uint32_t connection) { at(connection).hang_up(); }

void RealLine::send(std::uint32_t connection, std::string_view bytes) {
  at(connection).send(bytes);
}

std::optional<std::string> RealLine::receive(std::uint32_t connection) {
  RealSocket& socket = at(connection);
  std::string bytes;
  if (socket.receive(bytes, kPatience)) return bytes;
  if (socket.open()) throw std::runtime_error("the server does not answer");
  return std::nullopt;
}

void RealLine::sleep(std::int32_t milliseconds) {
  usleep(static_cast<useconds_t>(milliseconds) * 1000);
}

}  // namespace picklock::conform::zookeeper
