#include "conform/socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace picklock::conform {
namespace {

constexpr timeval kSoon{.tv_sec = 0, .tv_usec = Socket::kSoonMs * 1000};
constexpr int kPatience = 500;  // times that

}  // namespace

Socket::Socket(const Address& address, const Stop* stop) : stop_(stop) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (const int problem = getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found);
      problem != 0)
    throw NoServer(fmt::format("{}: {}", shown(address), gai_strerror(problem)));
  int problem = 0;
  {
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, &freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr && file_ < 0; one = one->ai_next) {
      file_ =
          socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, one->ai_protocol);
      problem = errno;
      if (file_ < 0) continue;
      problem = connect(file_, one->ai_addr, one->ai_addrlen) == 0 ? 0 : errno;
      if (problem == EINPROGRESS) problem = connected();
      if (problem == 0) break;
      close(file_);
      file_ = -1;
    }
  }
  if (file_ < 0) throw NoServer(fmt::format("{}: {}", shown(address), std::strerror(problem)));
  fcntl(file_, F_SETFL, fcntl(file_, F_GETFL) & ~O_NONBLOCK);
  const int on = 1;
  setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &kSoon, sizeof kSoon);
  setsockopt(file_, SOL_SOCKET, SO_SNDTIMEO, &kSoon, sizeof kSoon);
}

// Waits until a connection stands; the error number if it does not come about.
int Socket::connected() const {
  for (int patience = kPatience; patience > 0; --patience) {
    look_for_stop();
    pollfd about{.fd = file_, .events = POLLOUT, .revents = 0};
    if (poll(&about, 1, kSoon.tv_usec / 1000) <= 0) continue;
    int problem = 0;
    socklen_t size = sizeof problem;
    return getsockopt(file_, SOL_SOCKET, SO_ERROR, &problem, &size) == 0 ? problem : errno;
  }
  return ETIMEDOUT;
}

void Socket::look_for_stop() const {
  if (stop_ != nullptr) conform::look_for_stop(*stop_);
}

Socket::Socket(Socket&& other) noexcept { *this = std::move(other); }

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(stop_, other.stop_);
  std::swap(file_, other.file_);
  std::swap(ended_, other.ended_);
  received_.swap(other.received_);
  return *this;
}

Socket::~Socket() {
  if (file_ >= 0) close(file_);
}

void Socket::send(std::string_view bytes) {
  for (int patience = kPatience; !bytes.empty() && patience > 0;) {
    const ssize_t sent = ::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      look_for_stop();
      --patience;
      continue;
    }
    if (sent < 0) return;  // the next read finds the end
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Socket::await_delivery() const {
  constexpr useconds_t kPause = 100;
  int unacknowledged = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (ioctl(file_, SIOCOUTQ, &unacknowledged) != 0 || unacknowledged == 0) return;
    usleep(kPause);
  }
}

bool Socket::here() { return receive(MSG_DONTWAIT); }
bool Socket::soon() {
  look_for_stop();
  return receive(0);
}

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

}  // namespace picklock::conform
