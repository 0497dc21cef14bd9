#include "conform/redis/real_server.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "conform/redis/sequence.h"

namespace picklock::conform::redis {
namespace {

constexpr const char* kClockLibrary = "lib/picklock/conform/libpicklock_steered_clock.so";
constexpr int kAttempts = 5;  // to get a port that nobody takes in between

[[noreturn]] void fail(const char* what) {
  throw NoServer(fmt::format("{}: {}", what, std::strerror(errno)));
}

// Where it lies follows from where the program lies: an installation can be moved as a whole.
std::string clock_library() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string path = program.parent_path().parent_path() / kClockLibrary;
  if (access(path.c_str(), R_OK) != 0)
    throw NoServer(fmt::format("{}: {}", path, std::strerror(errno)));
  return path;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("status {}", WEXITSTATUS(status));
}

// Gone with this object; it has nothing in it.
class Folder {
 public:
  Folder() {
    if (mkdtemp(path_.data()) == nullptr) fail("no folder for a server");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { rmdir(path_.c_str()); }

  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/picklock-redis-XXXXXX";
};

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

RealServer::RealServer(Stop stop)
    : stop_(std::move(stop)),
      clock_(NodeClock::Kind::stands),
      log_(memfd_create("picklock-redis-log", MFD_CLOEXEC)) {
  if (log_ < 0) fail("no memory for a log");
  set_clock(kEpochMs);
  start();
}

RealServer::~RealServer() { close(log_); }

void RealServer::restart() {
  process_.kill();
  obituary_.clear();
  start();
}

void RealServer::start() {
  const Surroundings surroundings = clock_.surroundings(clock_library());
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    address_ = {"127.0.0.1", free_port()};
    if (address_.port == 0) throw NoServer("no free loopback port");
    // A folder of its own, gone as soon as it runs there: it has nothing to write.
    const Folder folder;
    if (ftruncate(log_, 0) != 0) fail("no memory for a log");
    process_.start(
        {"redis-server",
         "-",  // its configuration is on standard input: none
         "--bind", "127.0.0.1", "--port", std::to_string(address_.port), "--dir", folder.path(),
         "--save", "", "--appendonly", "no", "--enable-debug-command", "yes",
         // It waits by the wall clock, which stands still.
         "--jemalloc-bg-thread", "no",
         // Looks often whether a pause is over (R107).
         "--hz", "500"},
        fmt::format("/proc/self/fd/{}", log_), surroundings);
    constexpr int kPatience = 2000;  // times 5 ms
    std::optional<int> status;
    for (int i = 0; i < kPatience; ++i) {
      status = process_.ended();
      if (status) break;
      if (log().find(kReady) != std::string::npos) return;
      if (stop_ && stop_()) {
        process_.kill();
        throw Interrupted();
      }
      usleep(5000);
    }
    process_.kill();
    if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == ServerProcess::kCannotExecute)
      throw NoServer("redis-server is not installed: install it, or give --address HOST:PORT");
  }
  throw NoServer(fmt::format("redis-server does not start: {}", last_words()));
}

std::string RealServer::obituary() {
  const std::optional<int> status = process_.ended();
  if (status) obituary_ = how_it_ended(*status);
  return obituary_;
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

}  // namespace picklock::conform::redis
