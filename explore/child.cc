#include "explore/child.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <system_error>

#include "keys/bad_input.h"

namespace picklock::explore {
namespace {

// Enough for what an exception says.
constexpr std::size_t kLastWords = 512;
constexpr int kFailed = 1;

bool send(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(to, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

[[noreturn]] void be_child(int to, pid_t parent, char* last_words,
                           const std::function<void(const Child::Send&)>& work) {
  std::signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kFailed);  // it went before it could be watched
  try {
    work([to](std::string_view bytes) { return send(to, bytes); });
  } catch (const std::exception& error) {
    std::strncpy(last_words, error.what(), kLastWords - 1);
    _exit(kFailed);
  } catch (...) {
    std::strncpy(last_words, "something was thrown that is no exception", kLastWords - 1);
    _exit(kFailed);
  }
  _exit(0);
}

}  // namespace

Child::Child(const std::function<void(const Send&)>& work) {
  void* words =
      mmap(nullptr, kLastWords, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (words == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  last_words_ = static_cast<char*>(words);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  // Between the fork and the first line of the child an interrupt must not end it.
  sigset_t interrupts;
  sigset_t before;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  sigaddset(&interrupts, SIGTERM);
  sigprocmask(SIG_BLOCK, &interrupts, &before);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) {
    close(ends[0]);
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    be_child(ends[1], parent, last_words_, work);
  }
  const int error = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(ends[1]);
  read_from_ = ends[0];
  if (process_ < 0) {
    close(read_from_);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  fcntl(read_from_, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  close(read_from_);
  if (process_ >= 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  munmap(last_words_, kLastWords);
}

bool Child::read() {
  std::array<char, 65536> bytes;
  for (;;) {
    const ssize_t got = ::read(read_from_, bytes.data(), bytes.size());
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    received_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

std::string Child::died_of() {
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(process_, &status, 0)) < 0 && errno == EINTR) {
  }
  process_ = -1;
  // Where the signal of its end is ignored, nobody can know: that is not how it should be.
  if (ended < 0) return "an end that nobody saw";
  if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    return name != nullptr ? std::string("SIG") + name
                           : "signal " + std::to_string(WTERMSIG(status));
  }
  if (WEXITSTATUS(status) == 0) return {};
  return *last_words_ != '\0' ? keys::printable(last_words_, 200)
                              : "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace picklock::explore
