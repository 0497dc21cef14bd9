#include "guests/socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "guests/failure.h"

namespace picklock::guests {
namespace {

short ready(int descriptor, short events) {
  pollfd one{descriptor, events, 0};
  if (poll(&one, 1, 0) < 0) fail("cannot look at a socket");
  return one.revents;
}

}  // namespace

Socket::Socket(SocketId id) : id_(id) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("cannot make a socket");
  near_ = Descriptor(ends[0]);
  far_ = Descriptor(ends[1]);
}

bool Socket::waits() const { return (fcntl(near_.get(), F_GETFL) & O_NONBLOCK) == 0; }

void Socket::dial(std::uint32_t to_address, std::uint16_t to_port) {
  address = to_address;
  port = to_port;
  state_ = State::dialing;
}

void Socket::fill() {
  constexpr std::array<char, 1024> kNothing{};
  filled_ = true;
  const int small = 1;  // the kernel makes it its least
  if (setsockopt(near_.get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small) != 0)
    fail("cannot limit a socket");
  while ((ready(near_.get(), POLLOUT) & POLLOUT) != 0) {
    if (send(near_.get(), kNothing.data(), kNothing.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
      if (errno == EAGAIN) return;
      fail("cannot fill a socket");
    }
  }
}

void Socket::open() {
  if (state_ != State::dialing) return;
  state_ = State::open;
  if (!filled_) return;
  std::array<char, 8192> block;
  while (recv(far_.get(), block.data(), block.size(), MSG_DONTWAIT) > 0) {
  }
}

// Closing one end of a pair before all is read resets the other: poll and epoll see an error there.
void Socket::cut(int error) {
  if (finished_) return;
  finished_ = true;
  shutdown(far_.get(), SHUT_WR);  // nothing follows what was received
  const int most = 1 << 16;
  // Only if the pair is full, and then it holds bytes already.
  setsockopt(near_.get(), SOL_SOCKET, SO_SNDBUF, &most, sizeof most);
  const char something = 0;
  send(near_.get(), &something, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  far_.close();
  broken_ = true;
  error_ = error;
}

void Socket::refuse(int error) {
  if (state_ != State::dialing) return;
  state_ = State::failed;
  cut(error);
}

void Socket::receive(std::string_view bytes) {
  if (end_ != End::none || state_ != State::open) return;
  unread_ += bytes;
  top_up();
}

void Socket::hang_up(bool reset) {
  if (end_ != End::none) return;
  if (state_ == State::dialing) return refuse(reset ? ECONNRESET : ECONNREFUSED);
  end_ = reset ? End::reset : End::orderly;
  top_up();
}

void Socket::top_up() {
  while (!unread_.empty() && far_) {
    const ssize_t sent =
        send(far_.get(), unread_.data(), unread_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == ENOBUFS)) return;
    if (sent < 0) {  // the program has shut it for reading
      unread_.clear();
      break;
    }
    unread_.erase(0, static_cast<std::size_t>(sent));
  }
  finish();
}

void Socket::finish() {
  if (end_ == End::reset) return cut(ECONNRESET);
  if (end_ == End::orderly && !std::exchange(finished_, true)) shutdown(far_.get(), SHUT_WR);
}

bool Socket::has_bytes() const { return present() != 0; }

std::size_t Socket::present() const {
  int size = 0;
  if (ioctl(near_.get(), FIONREAD, &size) != 0) fail("cannot look into a socket");
  return static_cast<std::size_t>(size);
}

bool Socket::has(std::size_t size) {
  top_up();
  return finished_ || error_ != 0 || !unread_.empty() || present() >= size;
}

int Socket::take_error() {
  const int error = std::exchange(error_, 0);
  int native = 0;
  socklen_t size = sizeof native;
  // The kernel's own is forgotten by this, too.
  if (error != 0) getsockopt(near_.get(), SOL_SOCKET, SO_ERROR, &native, &size);
  return error;
}

// The peer answers a write after its end with a reset, which is known at the next.
void Socket::written() {
  if (end_ == End::none) return;
  if (far_) shutdown(far_.get(), SHUT_RDWR);
  broken_ = true;
}

bool Socket::leaks() const {
  return state_ == State::open && far_ && end_ != End::reset && !broken_ &&
         (ready(far_.get(), POLLIN) & POLLIN) != 0;
}

}  // namespace picklock::guests
