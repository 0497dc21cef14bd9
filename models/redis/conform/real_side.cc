#include "models/redis/conform/real_side.h"

#include <fmt/format.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

namespace picklock::models::redis::conform {
namespace {

// A busy machine may be slow: after the first wait a fence tells whether anything is still to come,
// and only a server that answers nothing at all runs into the second.
constexpr timeval kSoon{.tv_sec = 0, .tv_usec = 20'000};
constexpr int kPatience = 500;  // times that

std::string value_of(std::string_view info, std::string_view name) {
  const std::size_t at = info.find(std::string(name) + ":");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = info.substr(at + name.size() + 1);
  return std::string(rest.substr(0, rest.find('\r')));
}

}  // namespace

// ---------------------------------------------------------------- a socket

Socket::Socket(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  const std::string where = fmt::format("{}:{}", address.host, address.port);
  if (const int problem = getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found);
      problem != 0)
    throw NoServer(fmt::format("{}: {}", where, gai_strerror(problem)));
  int problem = 0;
  for (const addrinfo* one = found; one != nullptr && file_ < 0; one = one->ai_next) {
    file_ = socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
    if (file_ >= 0 && connect(file_, one->ai_addr, one->ai_addrlen) == 0) break;
    problem = errno;
    if (file_ >= 0) close(file_);
    file_ = -1;
  }
  freeaddrinfo(found);
  if (file_ < 0) throw NoServer(fmt::format("{}: {}", where, std::strerror(problem)));
  const int on = 1;
  setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &kSoon, sizeof kSoon);
}

Socket::Socket(Socket&& other) noexcept { *this = std::move(other); }

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(ended_, other.ended_);
  received_.swap(other.received_);
  request_.swap(other.request_);
  return *this;
}

Socket::~Socket() {
  if (file_ >= 0) close(file_);
}

void Socket::send(const std::vector<std::string>& words) {
  request_ = fmt::format("*{}\r\n", words.size());
  for (const std::string& word : words) {
    request_ += fmt::format("${}\r\n", word.size());
    request_ += word;
    request_ += "\r\n";
  }
  std::string_view left = request_;
  while (!left.empty()) {
    const ssize_t sent = ::send(file_, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;  // the next read finds the end
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// What was sent later on another connection might arrive first.
void Socket::await_delivery() const {
  constexpr useconds_t kPause = 100;
  int unacknowledged = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (ioctl(file_, SIOCOUTQ, &unacknowledged) != 0 || unacknowledged == 0) return;
    usleep(kPause);
  }
}

bool Socket::here() { return receive(MSG_DONTWAIT); }
bool Socket::soon() { return receive(0); }

bool Socket::receive(int flags) {
  if (ended_) return false;
  std::array<char, 16'384> bytes;
  ssize_t read = 0;
  while ((read = recv(file_, bytes.data(), bytes.size(), flags)) < 0 && errno == EINTR) {
  }
  if (read < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (read <= 0) {
    ended_ = true;
    return false;
  }
  received_.append(bytes.data(), static_cast<std::size_t>(read));
  return true;
}

// ---------------------------------------------------------------- a server

RealSide::RealSide() : own_(std::make_unique<RealServer>()), address_(own_->address()) {
  control_ = Socket(address_);
  version_ = value_of(ask(control_, {"INFO", "server"}), "redis_version");
  ask(control_, {"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
}

RealSide::RealSide(const Address& address, bool flush) : address_(address), control_(address) {
  const std::string where = fmt::format("{}:{}", address.host, address.port);
  const std::string pong = ask(control_, {"PING"});
  if (pong != "+PONG\r\n") {
    throw NoServer(fmt::format("{} does not answer as a Redis server does: {}", where,
                               pong.empty() ? "nothing" : shown(pong)));
  }
  const std::string info = ask(control_, {"INFO"});
  version_ = value_of(info, "redis_version");
  if (!flush && info.find("\r\ndb") != std::string::npos) {
    throw NoServer(
        fmt::format("{} holds data; --flush lets every database of it be emptied", where));
  }
}

std::string RealSide::ask(Socket& socket, const std::vector<std::string>& words) {
  socket.received().clear();
  socket.send(words);
  Frame frame;
  for (int patience = kPatience; patience > 0 && !socket.ended();) {
    std::string_view bytes = socket.received();
    if (take_frame(bytes, frame) != Framing::partial) break;
    if (!socket.soon()) --patience;
  }
  return std::exchange(socket.received(), {});
}

// The first answer means that what was sent before has been read, the second that its answers have
// been written.
void RealSide::fence() {
  ask(control_, {"PING"});
  ask(control_, {"PING"});
}

void RealSide::fence_behind(std::uint32_t connection) {
  sockets_[connection].await_delivery();
  fence();
}

void RealSide::connect(std::uint32_t connection) {
  sockets_[connection] = Socket(address_);
  std::string answer = ask(sockets_[connection], {"CLIENT", "ID"});
  std::size_t at = 1;
  if (!answer.starts_with(':')) {
    // It needs a password by now. The newest is listed last.
    answer = ask(control_, {"CLIENT", "LIST"});
    at = answer.rfind("id=", answer.rfind(" addr=")) + 3;
  }
  ids_[connection] = 0;
  if (at < answer.size())
    std::from_chars(answer.data() + at, answer.data() + answer.size(), ids_[connection]);
}

void RealSide::begin(const Sequence& sequence) {
  if (own_ != nullptr && (!obituary().empty() || control_.ended())) {
    own_->restart();
    address_ = own_->address();
    control_ = Socket(address_);
    ask(control_, {"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
    paused_ = configured_ = false;
  }
  if (paused_ && own_ != nullptr) {
    constexpr std::int64_t kLongerThanAnyPause = 1'000'000'000;
    own_->set_clock(now_ms_ + kLongerThanAnyPause);
    ask(control_, {"CLIENT", "UNPAUSE"});
  }
  if (own_ != nullptr) own_->set_clock(now_ms_ = kEpochMs);
  if (configured_) {
    // It remembers that memory was short until a command finds that it is not.
    ask(control_, {"CONFIG", "SET", "maxmemory", "1gb"});
    ask(control_, {"CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", "noeviction",
                   "requirepass", "", "busy-reply-threshold", "5000"});
  }
  ask(control_, {"FLUSHALL"});
  ask(control_, {"SCRIPT", "FLUSH"});
  paused_ = configured_ = false;
  sockets_.clear();
  sockets_.resize(sequence.connections);
  ids_.assign(sequence.connections, 0);
  for (std::uint32_t i = 0; i < sequence.connections; ++i) connect(i);
}

void RealSide::reconnect(std::uint32_t connection) { connect(connection); }

void RealSide::send(std::uint32_t connection, const std::vector<std::string>& words) {
  const std::string command = words.empty() ? "" : lower(words[0]);
  if (words.size() > 1 && command == "client" && lower(words[1]) == "pause") paused_ = true;
  if (command == "config") configured_ = true;
  sockets_[connection].send(words);
}

void RealSide::pass(std::int64_t ms) {
  now_ms_ += ms;
  if (own_ != nullptr) own_->set_clock(now_ms_);
}

void RealSide::await_pause_end() {
  if (paused_) ask(control_, {"DEL", "nobody's key"});
}

bool RealSide::more(std::uint32_t connection) {
  Socket& socket = sockets_[connection];
  if (socket.soon()) return true;
  if (socket.ended()) return false;
  fence();
  return socket.here();
}

std::string RealSide::receive(std::uint32_t connection, std::size_t size) {
  std::string& received = sockets_[connection].received();
  while (received.size() < size && more(connection)) {
  }
  const std::string bytes = received.substr(0, size);
  received.erase(0, size);
  return bytes;
}

std::optional<Frame> RealSide::receive_frame(std::uint32_t connection) {
  std::string& received = sockets_[connection].received();
  Frame frame;
  for (;;) {
    std::string_view bytes = received;
    const Framing framing = take_frame(bytes, frame);
    if (framing == Framing::whole) {
      received.erase(0, received.size() - bytes.size());
      return frame;
    }
    if (framing == Framing::malformed || !more(connection)) return std::nullopt;
  }
}

std::string RealSide::rest(std::uint32_t connection) {
  Socket& socket = sockets_[connection];
  while (socket.here()) {
  }
  return std::exchange(socket.received(), {});
}

bool RealSide::ended(std::uint32_t connection) {
  Socket& socket = sockets_[connection];
  while (!socket.ended() && more(connection)) {
  }
  return socket.ended() && socket.received().empty();
}

std::string RealSide::obituary() { return own_ == nullptr ? std::string() : own_->obituary(); }

}  // namespace picklock::models::redis::conform
