#include "conform/redis/node_clock.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "conform/address.h"

namespace picklock::conform::redis {
namespace {

[[noreturn]] void fail() {
  throw NoServer(fmt::format("no memory for a clock: {}", std::strerror(errno)));
}

// Its location is relative to the program, so that an installation can be moved as a whole.
std::string clock_library() {
  constexpr const char* kLibrary = "lib/picklock/conform/libpicklock_steered_clock.so";
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string path = program.parent_path().parent_path() / kLibrary;
  if (access(path.c_str(), R_OK) != 0)
    throw NoServer(fmt::format("{}: {}", path, std::strerror(errno)));
  return path;
}

}  // namespace

NodeClock::NodeClock(Kind kind) : kind_(kind), file_(memfd_create("picklock-clock", MFD_CLOEXEC)) {
  if (file_ < 0 || ftruncate(file_, sizeof *ms_) != 0) fail();
  void* page = mmap(nullptr, sizeof *ms_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (page == MAP_FAILED) fail();
  ms_ = static_cast<volatile std::int64_t*>(page);
}

NodeClock::~NodeClock() {
  munmap(const_cast<std::int64_t*>(ms_), sizeof *ms_);
  close(file_);
}

Surroundings NodeClock::surroundings() const {
  Surroundings of_server{
      .variables = {"LD_PRELOAD=" + clock_library(), "PICKLOCK_CLOCK_FD=" + std::to_string(file_)},
      .files = {file_}};
  if (!stands()) of_server.variables.emplace_back("PICKLOCK_CLOCK_RUNS=1");
  return of_server;
}

}  // namespace picklock::conform::redis
