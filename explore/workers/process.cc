#include "explore/workers/process.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <system_error>

#include "sim/sanitizer.h"

namespace picklock::explore::workers {
namespace {

struct FrameHeader {
  Frame::Kind kind{};
  std::uint64_t size = 0;
};

void limit_memory(std::uint64_t bytes) {
  if (sim::kSanitized) return;
  const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
  setrlimit(RLIMIT_DATA, &limit);
}

[[noreturn]] void be_child(Channel& channel, pid_t parent, std::uint64_t memory,
                           const std::function<void(Channel&)>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent ended before it was watched
  limit_memory(memory);
  body(channel);
  _exit(0);
}

}  // namespace

Channel::~Channel() { close(descriptor_); }

bool Channel::send(Frame::Kind kind, std::string_view bytes) {
  const FrameHeader header{.kind = kind, .size = bytes.size()};
  std::string all(reinterpret_cast<const char*>(&header), sizeof header);
  all += bytes;
  for (std::string_view left = all; !left.empty();) {
    const ssize_t sent = ::send(descriptor_, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Channel::receive() {
  std::array<char, 65536> bytes;
  for (;;) {
    const ssize_t got = recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (got == 0) return false;
    received_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

std::optional<Frame> Channel::next() {
  FrameHeader header;
  if (received_.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, received_.data(), sizeof header);
  if (received_.size() - sizeof header < header.size) return std::nullopt;
  Frame frame{.kind = header.kind, .bytes = received_.substr(sizeof header, header.size)};
  received_.erase(0, sizeof header + header.size);
  return frame;
}

std::optional<Frame> Channel::wait() {
  for (;;) {
    if (std::optional<Frame> frame = next()) return frame;
    std::array<char, 65536> bytes;
    const ssize_t got = recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    received_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

Process::Process(const std::function<void(Channel&)>& body, std::uint64_t memory) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  channel_.emplace(ends[0]);
  // An interrupt must not end the child between the fork and its first line.
  sigset_t interrupts;
  sigset_t before;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  sigaddset(&interrupts, SIGTERM);
  sigprocmask(SIG_BLOCK, &interrupts, &before);
  const pid_t parent = getpid();
  id_ = fork();
  if (id_ == 0) {
    channel_.reset();
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    Channel channel(ends[1]);
    be_child(channel, parent, memory, body);
  }
  const int error = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(ends[1]);
  if (id_ < 0) throw std::system_error(error, std::generic_category(), "fork");
}

Process::~Process() {
  if (id_ < 0) return;
  kill();
  waitpid(id_, nullptr, 0);
}

void Process::kill() { ::kill(id_, SIGKILL); }

std::string Process::died_of() {
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(id_, &status, 0)) < 0 && errno == EINTR) {
  }
  id_ = -1;
  // A parent that ignores SIGCHLD learns no exit status.
  if (ended < 0) return "an end that nobody saw";
  if (!WIFSIGNALED(status)) return "exit status " + std::to_string(WEXITSTATUS(status));
  const char* name = sigabbrev_np(WTERMSIG(status));
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(WTERMSIG(status));
}

}  // namespace picklock::explore::workers
