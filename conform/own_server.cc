#include "conform/own_server.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace picklock::conform {
namespace {

constexpr int kAttempts = 5;  // to get a port that nobody takes in between
constexpr useconds_t kPause = 5000;
constexpr int kPatience = 6000;  // times that, and what answers() takes

bool cannot_execute(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == ServerProcess::kCannotExecute;
}

}  // namespace

OwnServer::OwnServer(Program program, Stop stop)
    : program_(std::move(program)),
      stop_(std::move(stop)),
      folder_(program_.folder),
      log_(memfd_create("picklock-log", MFD_CLOEXEC)) {
  if (log_ < 0) throw NoServer(fmt::format("no memory for a log: {}", std::strerror(errno)));
}

OwnServer::~OwnServer() {
  process_.kill();
  close(log_);
}

void OwnServer::start() {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    choose_address();
    begin();
    if (await_answer()) return;
  }
  throw NoServer(fmt::format("{} does not start: {}", program_.name, last_line()));
}

void OwnServer::choose_address() {
  address_ = {"127.0.0.1", free_port()};
  if (address_.port == 0) throw NoServer("no free loopback port");
}

void OwnServer::begin() {
  if (ftruncate(log_, 0) != 0)
    throw NoServer(fmt::format("no memory for a log: {}", std::strerror(errno)));
  process_.start(command(), fmt::format("/proc/self/fd/{}", log_), surroundings());
}

bool OwnServer::await_answer() {
  for (int i = 0; i < kPatience; ++i) {
    if (const std::optional<int> status = process_.ended()) {
      if (cannot_execute(*status))
        throw NoServer(fmt::format("{} is not installed: install it, or give --address HOST:PORT",
                                   program_.package));
      return false;
    }
    if (answers()) return true;
    if (stop_ && stop_()) {
      process_.kill();
      throw Interrupted();
    }
    usleep(kPause);
  }
  process_.kill();
  throw NoServer(fmt::format("{} does not answer", program_.name));
}

void OwnServer::look_for_end() {
  if (process_.ended())
    throw NoServer(fmt::format("{} does not start: {}", program_.name, last_line()));
}

std::string OwnServer::log() const {
  struct stat about {};
  if (fstat(log_, &about) != 0) return {};
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  const ssize_t read = pread(log_, text.data(), text.size(), 0);
  text.resize(read > 0 ? static_cast<std::size_t>(read) : 0);
  return text;
}

std::string OwnServer::last_line() const {
  std::string text = log();
  text.erase(text.find_last_not_of('\n') + 1);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace picklock::conform
