// Sockets of a guest. Sent bytes are read from its memory at the call, so that the order of sends
// on several sockets is exact. It reads received bytes itself.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "guests/failure.h"
#include "guests/supervisor.h"

namespace picklock::guests {
namespace {

constexpr int kKindsOfSocket = 0xf;  // the other bits are flags
constexpr std::uint16_t kFirstOwnPort = 40000;
constexpr std::size_t kMostMessages = 1024;  // of one sendmmsg, as in the kernel

std::optional<std::int64_t> timeout_at(const Memory& memory, std::uint64_t at) {
  const auto span = memory.get<timeval>(at);
  if (!span) return std::nullopt;
  const std::int64_t length = span->tv_sec * kSecond + span->tv_usec * 1000;
  return length == 0 ? kNoEnd : length;
}

}  // namespace

std::shared_ptr<Socket> Supervisor::find(SocketId id) const {
  const auto found = sockets_.find(id);
  return found == sockets_.end() ? nullptr : found->second.lock();
}

std::shared_ptr<Socket> Supervisor::socket_of(const Thread& thread) const {
  const auto found = thread.process->sockets.find(thread.descriptor());
  return found == thread.process->sockets.end() ? nullptr : found->second;
}

void Supervisor::make_socket(Thread& thread) {
  const auto family = static_cast<int>(thread.argument(0));
  const auto kind = static_cast<int>(thread.argument(1));
  if (family == AF_UNIX) return go_native(thread);
  // Neither IPv6, nor datagrams to a name server, nor the machine's own interfaces.
  if (family != AF_INET || (kind & kKindsOfSocket) != SOCK_STREAM)
    return answer(thread, -EAFNOSUPPORT);
  if (std::exchange(is_early_, false)) {
    connects_first(thread);
    if (!alive_ || thread.state != Thread::State::running) return;
  }
  Process& process = *thread.process;
  const int number = free_number(process, kFirstSocket);
  if (number > kLastSocket) return answer(thread, -EMFILE);
  auto socket = std::make_shared<Socket>(++last_socket_);
  if ((kind & SOCK_NONBLOCK) != 0 && ::fcntl(socket->near(), F_SETFL, O_RDWR | O_NONBLOCK) != 0)
    fail("cannot make a socket");
  if (hand_over(thread, socket->near(), number, (kind & SOCK_CLOEXEC) != 0) < 0) return;
  socket->holders = 1;
  sockets_[socket->id()] = socket;
  process.sockets[number] = std::move(socket);
}

// ---------------------------------------------------------------- connecting

void Supervisor::connect(Thread& thread) {
  const std::shared_ptr<Socket> socket = socket_of(thread);
  if (socket == nullptr) return connect_elsewhere(thread);
  const auto to = thread.memory().get<sockaddr_in>(thread.argument(1));
  if (!to) return answer(thread, -EFAULT);
  if (to->sin_family == AF_UNSPEC) return answer(thread, 0);
  if (thread.argument(2) < sizeof *to) return answer(thread, -EINVAL);
  if (to->sin_family != AF_INET) return answer(thread, -EAFNOSUPPORT);
  const bool waits = socket->waits();
  if (socket->state() == Socket::State::fresh) {
    const std::uint32_t address = ntohl(to->sin_addr.s_addr);
    const std::uint16_t port = ntohs(to->sin_port);
    drain_beliefs();
    if (!alive_) return;
    socket->dial(address, port);
    if (!waits) socket->fill();
    if (!surroundings_.dial(socket->id(), address, port)) socket->refuse(ECONNREFUSED);
    if (socket->state() != Socket::State::dialing) return answer_connect(thread, *socket);
    if (!waits) return answer(thread, -EINPROGRESS);
  } else if (socket->state() != Socket::State::dialing || !waits) {
    return answer_connect(thread, *socket);
  }
  if (!alive_) return;
  Deadline deadline;
  if (socket->send_timeout != kNoEnd) deadline = in(socket->send_timeout);
  wait(thread, Wait::dialing, deadline, {-EINPROGRESS, false});
}

void Supervisor::answer_connect(Thread& thread, Socket& socket) {
  switch (socket.state()) {
    case Socket::State::dialing:
      return answer(thread, -EALREADY);
    case Socket::State::open:
      return answer(thread, std::exchange(socket.confirmed, true) ? -EISCONN : 0);
    default:
      if (const int error = socket.take_error(); error != 0) return answer(thread, -error);
      return answer(thread, -ECONNABORTED);
  }
}

// A socket of Unix; services of this machine are out of reach.
void Supervisor::connect_elsewhere(Thread& thread) {
  sockaddr_un to{};
  const std::string name =
      thread.memory().bytes(thread.argument(1), std::min(thread.argument(2), sizeof to));
  std::memcpy(&to, name.data(), name.size());
  const std::string_view path(to.sun_path, strnlen(to.sun_path, sizeof to.sun_path));
  if (to.sun_family == AF_UNIX && (path.starts_with("/run/") || path.starts_with("/var/run/")))
    return answer(thread, -ENOENT);
  go_native(thread);
}

void Supervisor::bind(Thread& thread) {
  // A client may choose its own address; no other can connect to it.
  socket_of(thread) == nullptr ? go_native(thread) : answer(thread, 0);
}

// ---------------------------------------------------------------- receiving

void Supervisor::read(Thread& thread) {
  const std::shared_ptr<Socket> socket = socket_of(thread);
  if (socket == nullptr) return use_channel(thread, POLLIN);
  if (socket->state() == Socket::State::fresh) return answer(thread, -ENOTCONN);
  int flags = 0;
  thread.wanted = 1;
  if (thread.call.data.nr == SYS_recvfrom) {
    flags = static_cast<int>(thread.argument(3));
    if ((flags & MSG_WAITALL) != 0) thread.wanted = thread.argument(2);
  } else if (thread.call.data.nr == SYS_recvmsg) {
    flags = static_cast<int>(thread.argument(2));
    if ((flags & MSG_WAITALL) != 0) return refuse("it called recvmsg with MSG_WAITALL");
  }
  if ((flags & MSG_ERRQUEUE) != 0) return answer(thread, -EAGAIN);
  if (socket->has(thread.wanted)) return read_now(thread);
  if ((flags & MSG_DONTWAIT) != 0 || !socket->waits()) {
    if (polls_too_often(thread)) return let_time_pass(thread);
    return answer(thread, -EAGAIN);
  }
  Deadline deadline;
  if (socket->receive_timeout != kNoEnd) deadline = in(socket->receive_timeout);
  wait(thread, Wait::reading, deadline, {-EAGAIN, false});
}

void Supervisor::read_now(Thread& thread) {
  const std::shared_ptr<Socket> socket = socket_of(thread);
  stop_waiting(thread);
  if (socket != nullptr && !socket->has_bytes()) {
    if (const int error = socket->take_error(); error != 0) return answer(thread, -error);
  }
  go_native(thread);
}

// ---------------------------------------------------------------- sending

void Supervisor::write(Thread& thread) {
  if (socket_of(thread) == nullptr) return use_channel(thread, POLLOUT);
  const std::string bytes = thread.memory().bytes(thread.argument(1), thread.argument(2));
  send(thread, bytes, thread.argument(2), 0);
}

void Supervisor::writev(Thread& thread) {
  if (socket_of(thread) == nullptr) return use_channel(thread, POLLOUT);
  const std::size_t count = thread.argument(2);
  send(thread, thread.memory().gathered(thread.argument(1), count), count, 0);
}

void Supervisor::sendto(Thread& thread) {
  if (socket_of(thread) == nullptr) return use_channel(thread, POLLOUT);
  const std::string bytes = thread.memory().bytes(thread.argument(1), thread.argument(2));
  send(thread, bytes, thread.argument(2), static_cast<int>(thread.argument(3)));
}

void Supervisor::sendmsg(Thread& thread) {
  if (socket_of(thread) == nullptr) return use_channel(thread, POLLOUT);
  const auto message = thread.memory().get<msghdr>(thread.argument(1));
  if (!message) return answer(thread, -EFAULT);
  const std::string bytes = thread.memory().gathered(
      reinterpret_cast<std::uint64_t>(message->msg_iov), message->msg_iovlen);
  send(thread, bytes, message->msg_iovlen, static_cast<int>(thread.argument(2)));
}

// Several messages are one stretch of bytes.
void Supervisor::sendmmsg(Thread& thread) {
  if (socket_of(thread) == nullptr) return use_channel(thread, POLLOUT);
  std::string all;
  const std::size_t count = std::min<std::size_t>(thread.argument(2), kMostMessages);
  std::size_t at = thread.argument(1);
  for (std::size_t i = 0; i < count; ++i, at += sizeof(mmsghdr)) {
    auto message = thread.memory().get<mmsghdr>(at);
    if (!message) return answer(thread, -EFAULT);
    const std::string bytes = thread.memory().gathered(
        reinterpret_cast<std::uint64_t>(message->msg_hdr.msg_iov), message->msg_hdr.msg_iovlen);
    message->msg_len = static_cast<unsigned>(bytes.size());
    if (!thread.memory().put(at, *message)) return answer(thread, -EFAULT);
    all += bytes;
  }
  send(thread, all, count, static_cast<int>(thread.argument(3)));
}

// `asked`: how much the program meant to send; 0: nothing.
void Supervisor::send(Thread& thread, const std::string& bytes, std::uint64_t asked, int flags) {
  const std::shared_ptr<Socket> socket = socket_of(thread);
  if (const int error = socket->take_error(); error != 0) return answer(thread, -error);
  if (socket->state() == Socket::State::dialing) {
    if ((flags & MSG_DONTWAIT) != 0 || !socket->waits()) return answer(thread, -EAGAIN);
    return wait(thread, Wait::writing, {}, {});
  }
  // The kernel's end of the pair is shut: the program gets EPIPE, and a signal if it does not mind.
  if (socket->state() != Socket::State::open || socket->broken())
    return write_in_vain(thread, (flags & MSG_NOSIGNAL) == 0);
  if (bytes.empty() && asked != 0) return answer(thread, -EFAULT);
  drain_beliefs();
  if (!alive_) return;
  if (frozen_) return make_ready(thread, Thread::Next::handle);
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (!bytes.empty()) surroundings_.send(socket->id(), bytes);
  socket->written();
  answer(thread, thread.call.data.nr == SYS_sendmmsg ? static_cast<std::int64_t>(asked) : size);
}

void Supervisor::shutdown(Thread& thread) {
  const std::shared_ptr<Socket> socket = socket_of(thread);
  if (socket == nullptr) return go_native(thread);
  if (socket->state() != Socket::State::open) return answer(thread, -ENOTCONN);
  const bool sends = thread.argument(1) != SHUT_RD && !socket->broken();
  if (sends) {
    drain_beliefs();
    socket->shut_for_sending();
    if (alive_) surroundings_.shut_for_sending(socket->id());
  }
  go_native(thread);
}

// ---------------------------------------------------------------- options and names

void Supervisor::setsockopt(Thread& thread) {
  const std::shared_ptr<Socket> socket = socket_of(thread);
  if (socket == nullptr) return go_native(thread);
  const auto level = static_cast<int>(thread.argument(1));
  const auto option = static_cast<int>(thread.argument(2));
  const Memory memory = thread.memory();
  if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO)) {
    const auto length = timeout_at(memory, thread.argument(3));
    if (!length) return answer(thread, -EFAULT);
    (option == SO_RCVTIMEO ? socket->receive_timeout : socket->send_timeout) = *length;
  }
  // These would change how bytes are sent, and they are refused by kernels, too.
  if (level == SOL_SOCKET && option == SO_ZEROCOPY) return answer(thread, -EOPNOTSUPP);
  if (level == IPPROTO_TCP && (option == TCP_ULP || option == TCP_FASTOPEN_CONNECT))
    return answer(thread, -ENOPROTOOPT);
  socket->options[{level, option}] =
      memory.bytes(thread.argument(3), std::min<std::uint64_t>(thread.argument(4), 256));
  answer(thread, 0);
}

void Supervisor::getsockopt(Thread& thread) {
  const std::shared_ptr<Socket> socket = socket_of(thread);
  if (socket == nullptr) return go_native(thread);
  const auto level = static_cast<int>(thread.argument(1));
  const auto option = static_cast<int>(thread.argument(2));
  const Memory memory = thread.memory();
  const auto room = memory.get<std::uint32_t>(thread.argument(4));
  if (!room) return answer(thread, -EFAULT);
  int number = 0;
  if (level == SOL_SOCKET && option == SO_ERROR) number = socket->take_error();
  if (level == SOL_SOCKET && option == SO_TYPE) number = SOCK_STREAM;
  if (level == SOL_SOCKET && option == SO_DOMAIN) number = AF_INET;
  if (level == SOL_SOCKET && option == SO_PROTOCOL) number = IPPROTO_TCP;
  if (level == SOL_SOCKET && (option == SO_SNDBUF || option == SO_RCVBUF)) number = 1 << 18;
  std::string value(reinterpret_cast<const char*>(&number), sizeof number);
  const auto set = socket->options.find({level, option});
  if (set != socket->options.end() && !set->second.empty()) value = set->second;
  value.resize(std::min<std::size_t>(value.size(), *room));
  const bool there = memory.write(thread.argument(3), value.data(), value.size()) &&
                     memory.put(thread.argument(4), static_cast<std::uint32_t>(value.size()));
  answer(thread, there ? 0 : -EFAULT);
}

void Supervisor::getsockname(Thread& thread) {
  const std::shared_ptr<Socket> socket = socket_of(thread);
  if (socket == nullptr) return go_native(thread);
  if (socket->state() == Socket::State::fresh) return put_name(thread, INADDR_ANY, 0);
  put_name(thread, INADDR_LOOPBACK,
           static_cast<std::uint16_t>(kFirstOwnPort + socket->id() % (65536 - kFirstOwnPort)));
}

void Supervisor::getpeername(Thread& thread) {
  const std::shared_ptr<Socket> socket = socket_of(thread);
  if (socket == nullptr) return go_native(thread);
  if (socket->state() != Socket::State::open) return answer(thread, -ENOTCONN);
  put_name(thread, socket->address, socket->port);
}

void Supervisor::put_name(Thread& thread, std::uint32_t address, std::uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(address);
  const Memory memory = thread.memory();
  const auto room = memory.get<std::uint32_t>(thread.argument(2));
  if (!room) return answer(thread, -EFAULT);
  const bool there =
      memory.write(thread.argument(1), &name, std::min<std::size_t>(*room, sizeof name)) &&
      memory.put(thread.argument(2), static_cast<std::uint32_t>(sizeof name));
  answer(thread, there ? 0 : -EFAULT);
}

}  // namespace picklock::guests
