#include "conform/redis/real_server.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "conform/redis/frame.h"
#include "conform/redis/sequence.h"
#include "conform/socket.h"

namespace picklock::conform::redis {
namespace {

const std::vector<std::string> kAlone = {"--save", "", "--appendonly", "no",
                                         "--enable-debug-command", "yes",
                                         // It waits by the wall clock, which is stopped.
                                         "--jemalloc-bg-thread", "no",
                                         // It checks often whether a pause is over (R107).
                                         "--hz", "500"};

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("status {}", WEXITSTATUS(status));
}

constexpr std::string_view kKilled = "signal 9";  // the text of how_it_ended()
constexpr std::string_view kReady = "Ready to accept connections";

// The line without process and time: `7:M 21 Nov 2026 16:00:00.000 # Out of memory`.
std::string_view remark(std::string_view line) {
  for (const std::string_view mark : {" # ", " * ", " - "}) {
    if (const std::size_t at = line.find(mark); at != std::string_view::npos)
      return line.substr(at + mark.size());
  }
  return line;
}

}  // namespace

RealServer::RealServer(Settings settings, Stop stop)
    : OwnServer({.name = settings.name, .package = "redis-server", .folder = "redis"},
                std::move(stop)),
      settings_(std::move(settings)),
      clock_(settings_.clock_stands ? NodeClock::Kind::stands : NodeClock::Kind::runs) {
  clock_.set(settings_.clock_stands ? kEpochMs : 0);
  start();
}

RealServer::RealServer(Stop stop)
    : RealServer(Settings{.arguments = kAlone, .clock_stands = true}, std::move(stop)) {
  // It writes nothing, and a folder would stay behind if this process were killed.
  remove_folder();
}

std::vector<std::string> RealServer::command() {
  std::filesystem::create_directory(folder());
  if (!settings_.arguments.empty()) {
    std::vector<std::string> command = {
        "redis-server", "-",  // no configuration file: an empty standard input
        "--bind",       address().host,
        "--port",       std::to_string(address().port),
        "--dir",        folder()};
    command.insert(command.end(), settings_.arguments.begin(), settings_.arguments.end());
    return command;
  }
  std::ofstream(folder() / "redis.conf")
      << settings_.configuration
      << fmt::format("\nport {}\nbind {}\ndir {}\n", address().port, address().host,
                     folder().string());
  std::vector<std::string> command = {"redis-server", folder() / "redis.conf"};
  if (settings_.sentinel) command.emplace_back("--sentinel");
  return command;
}

// Any answer will do. An open port is not enough: it may be another server's.
bool RealServer::answers() {
  try {
    Socket socket(address());
    socket.send(request_of({"INFO", "server"}));
    const std::string its_own = fmt::format("process_id:{}\r\n", pid().value());
    for (int i = 0; i < 50 && !socket.ended(); ++i) {
      socket.soon();
      if (socket.received().find(its_own) != std::string::npos) return true;
      if (socket.received().find("\r\n\r\n") != std::string::npos) return false;
    }
  } catch (const NoServer&) {
    // It does not listen yet.
  }
  return false;
}

void RealServer::replace() {
  kill();
  obituary_.clear();
  start();
  remove_folder();
}

void RealServer::restart() {
  kill();
  begin();
  if (!await_answer())
    throw NoServer(fmt::format("{} does not start again: {}", name(), last_line()));
}

void RealServer::tear() const {
  constexpr std::uintmax_t kBytes = 5;  // fewer than any command has
  for (const auto& file : std::filesystem::directory_iterator(folder() / "appendonlydir")) {
    if (file.path().string().ends_with(".incr.aof"))
      std::filesystem::resize_file(file.path(), file.file_size() - kBytes);
  }
}

std::string RealServer::obituary() {
  if (const std::optional<int> status = ended()) obituary_ = how_it_ended(*status);
  return obituary_;
}

// A crash writes a long report, its cause first. A server that is killed writes none.
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
