#include "models/redis/conform/real_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "models/redis/conform/sequence.h"

namespace picklock::models::redis::conform {
namespace {

constexpr const char* kClockLibrary = "libpicklock_steered_clock.so";
constexpr int kAttempts = 5;  // to get a port that nobody takes in between
constexpr int kCannotExecute = 96;

[[noreturn]] void fail(const char* what) {
  throw NoServer(fmt::format("{}: {}", what, std::strerror(errno)));
}

// The library lies beside the program.
std::string clock_library() {
  std::array<char, 4096> self{};
  const ssize_t size = readlink("/proc/self/exe", self.data(), self.size());
  if (size <= 0) fail("/proc/self/exe");
  std::string path(self.data(), static_cast<std::size_t>(size));
  path = path.substr(0, path.rfind('/') + 1) + kClockLibrary;
  if (access(path.c_str(), R_OK) != 0)
    throw NoServer(fmt::format("{} is not beside the program", kClockLibrary));
  return path;
}

std::uint16_t free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) fail("socket");
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&where), size) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&where), &size) == 0;
  close(probe);
  if (!bound) fail("no free loopback port");
  return ntohs(where.sin_port);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("status {}", WEXITSTATUS(status));
}

constexpr std::string_view kKilled = "signal 9";  // as how_it_ended() says it
constexpr std::string_view kReady = "Ready to accept connections";

// Without process and time: `7:M 21 Nov 2026 16:00:00.000 # Out of memory`.
std::string_view remark(std::string_view line) {
  for (const std::string_view mark : {" # ", " * ", " - "}) {
    if (const std::size_t at = line.find(mark); at != std::string_view::npos)
      return line.substr(at + mark.size());
  }
  return line;
}

}  // namespace

RealServer::RealServer(Stop stop) : stop_(std::move(stop)) {
  clock_file_ = memfd_create("picklock-clock", 0);  // inherited by the server
  log_ = memfd_create("picklock-redis-log", MFD_CLOEXEC);
  if (clock_file_ < 0 || log_ < 0 || ftruncate(clock_file_, sizeof *clock_ms_) != 0)
    fail("no memory for a clock");
  fcntl(log_, F_SETFL, O_APPEND);
  void* page = mmap(nullptr, sizeof *clock_ms_, PROT_READ | PROT_WRITE, MAP_SHARED, clock_file_, 0);
  if (page == MAP_FAILED) fail("no memory for a clock");
  clock_ms_ = static_cast<volatile std::int64_t*>(page);
  set_clock(kEpochMs);
  start();
}

RealServer::~RealServer() {
  end();
  munmap(const_cast<std::int64_t*>(clock_ms_), sizeof *clock_ms_);
  close(clock_file_);
  close(log_);
}

void RealServer::restart() {
  end();
  obituary_.clear();
  start();
}

void RealServer::end() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

void RealServer::start() {
  const std::string preload = "LD_PRELOAD=" + clock_library();
  const std::string clock = "PICKLOCK_CLOCK_FD=" + std::to_string(clock_file_);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    address_ = {"127.0.0.1", free_port()};
    const std::string port = std::to_string(address_.port);
    // A folder of its own, gone as soon as it runs there: it has nothing to write.
    std::string folder = "/tmp/picklock-redis-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) fail("no folder for a server");
    const char* const command[] = {"redis-server",
                                   "-",  // its configuration is on standard input: none
                                   "--bind", "127.0.0.1", "--port", port.c_str(), "--dir",
                                   folder.c_str(), "--save", "", "--appendonly", "no",
                                   "--enable-debug-command", "yes",
                                   // It waits by the wall clock, which stands still.
                                   "--jemalloc-bg-thread", "no",
                                   // Looks often whether a pause is over (R107).
                                   "--hz", "500", nullptr};
    if (ftruncate(log_, 0) != 0) fail("no memory for a log");
    std::vector<char*> environment;
    for (char** one = environ; *one != nullptr; ++one) {
      if (std::strncmp(*one, "LD_PRELOAD=", 11) != 0) environment.push_back(*one);
    }
    environment.push_back(const_cast<char*>(preload.c_str()));
    environment.push_back(const_cast<char*>(clock.c_str()));
    environment.push_back(nullptr);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) fail("no server can be started");
    if (pid_ == 0) {
      setpgid(0, 0);  // a Ctrl-C is for us
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(kCannotExecute);
      const int nothing = open("/dev/null", O_RDONLY);
      dup2(nothing, STDIN_FILENO);
      dup2(log_, STDOUT_FILENO);
      dup2(log_, STDERR_FILENO);
      execvpe(command[0], const_cast<char* const*>(command), environment.data());
      _exit(kCannotExecute);
    }
    constexpr int kPatience = 2000;  // times 5 ms
    int status = 0;
    for (int i = 0; i < kPatience; ++i) {
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        break;
      }
      if (log().find(kReady) != std::string::npos) {
        rmdir(folder.c_str());
        return;
      }
      if (stop_ && stop_()) {
        rmdir(folder.c_str());
        end();
        throw Interrupted();
      }
      usleep(5000);
    }
    rmdir(folder.c_str());
    end();
    if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotExecute)
      throw NoServer("redis-server is not installed: install it, or give --address HOST:PORT");
  }
  throw NoServer(fmt::format("redis-server does not start: {}", last_words()));
}

std::string RealServer::obituary() {
  int status = 0;
  if (pid_ < 0 || waitpid(pid_, &status, WNOHANG) != pid_) return obituary_;
  pid_ = -1;
  return obituary_ = how_it_ended(status);
}

std::string RealServer::log() const {
  struct stat about {};
  if (fstat(log_, &about) != 0) return {};
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  const ssize_t read = pread(log_, text.data(), text.size(), 0);
  text.resize(read > 0 ? static_cast<std::size_t>(read) : 0);
  return text;
}

// A crash is told at length, and its cause first. Who is killed knows nothing of it.
std::string RealServer::last_words() const {
  if (obituary_ == kKilled) return {};
  const std::string text = log();
  std::string_view rest = text;
  if (const std::size_t ready = rest.find(kReady); ready != std::string_view::npos) {
    rest.remove_prefix(ready);
    rest.remove_prefix(std::min(rest.size(), rest.find('\n')));
  }
  std::string_view last;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty() || line.find(" WARNING: ") != std::string_view::npos) continue;
    last = remark(line);
    for (const std::string_view cause : {" crashed by signal", "ASSERTION FAILED", "Out Of Memory"})
      if (line.find(cause) != std::string_view::npos) return std::string(last);
  }
  return std::string(last);
}

}  // namespace picklock::models::redis::conform
