#include "conform/real/real_link.h"

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace picklock::conform::real {

RealLink::Asked::Asked(const sim::Message& request)
    : number(request.number),
      waiter(request.waiter),
      thread(request.thread),
      tenure(request.tag),
      role(request.role),
      stray(request.stray) {}

StreamLink::StreamLink(sim::Simulation& simulation, sim::Connection& connection,
                       const sockaddr_in& where)
    : RealLink(simulation, connection),
      file_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  const int on = 1;
  setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(file_, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 &&
      errno != EINPROGRESS) {
    close(std::exchange(file_, -1));
  }
}

StreamLink::~StreamLink() {
  if (file_ >= 0) close(file_);
}

bool StreamLink::forward(const sim::Message& request) {
  ask(request, out_);
  write();
  return file_ >= 0;
}

pollfd StreamLink::watched() const {
  const int wanted = out_.empty() ? POLLIN : POLLIN | POLLOUT;
  return {.fd = file_, .events = static_cast<short>(wanted), .revents = 0};
}

bool StreamLink::go_on() {
  write();
  return read();
}

void StreamLink::write() {
  while (!out_.empty() && file_ >= 0) {
    const ssize_t sent = ::send(file_, out_.data(), out_.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;  // not yet; or the next read finds the end
    out_.erase(0, static_cast<std::size_t>(sent));
  }
}

bool StreamLink::read() {
  std::array<char, 4096> some{};
  bool ended = false;
  for (;;) {
    const ssize_t count = recv(file_, some.data(), some.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    ended = count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
    if (count <= 0) break;
    in_.append(some.data(), static_cast<std::size_t>(count));
  }
  std::string_view rest = in_;
  Framing framing = Framing::whole;
  while (framing == Framing::whole) framing = hear(rest);
  in_.erase(0, in_.size() - rest.size());
  return !ended && framing != Framing::malformed;
}

void RealLink::answer(const Asked& asked, std::string_view bytes) {
  sim::Message& message = simulation_.network.make(connection_, 1);
  message.payload.append(bytes);
  message.role = asked.role;
  message.answers = asked.number;
  message.thread = asked.thread;
  message.waiter = asked.waiter;
  message.tag = asked.tenure;
  if (asked.stray) message.mark_stray();
  simulation_.network.send(message);
}

void RealLink::tell(std::string_view bytes) {
  sim::Message& message = simulation_.network.make(connection_, 1);
  message.payload.append(bytes);
  simulation_.network.send_unasked(message);
}

}  // namespace picklock::conform::real
