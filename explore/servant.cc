#include "explore/servant.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

namespace picklock::explore {
namespace {

// nullopt: there is nobody left to ask.
std::optional<std::string> line_from(int descriptor, std::string& received) {
  for (;;) {
    if (const std::size_t end = received.find('\n'); end != std::string::npos) {
      std::string line = received.substr(0, end);
      received.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> bytes;
    const ssize_t got = ::read(descriptor, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    received.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

Servant::Servant(Answer answer) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  const int hear_at = ends[0];
  ask_at_ = ends[1];
  child_ = std::make_unique<Child>([&](const Child::Send& send) {
    close(ask_at_);
    std::string received;
    while (const auto request = line_from(hear_at, received)) {
      if (!send(answer(*request) + '\n')) return;
    }
  });
  close(hear_at);
}

Servant::~Servant() {
  child_.reset();
  close(ask_at_);
}

// One that has just died takes no request, which is no news: its end is read next.
void Servant::ask(const std::string& request) {
  sigset_t pipe;
  sigset_t before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigprocmask(SIG_BLOCK, &pipe, &before);
  const std::string bytes = request + '\n';
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t some = write(ask_at_, bytes.data() + written, bytes.size() - written);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) break;
    written += static_cast<std::size_t>(some);
  }
  constexpr timespec kAtOnce{};
  if (written < bytes.size()) sigtimedwait(&pipe, nullptr, &kAtOnce);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

std::optional<std::string> Servant::answer() {
  std::string& received = child_->received();
  const std::size_t end = received.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = received.substr(0, end);
  received.erase(0, end + 1);
  return line;
}

}  // namespace picklock::explore
