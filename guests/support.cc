#include "guests/support.h"

#include <unistd.h>

#include <cstdint>
#include <exception>
#include <optional>

#include "guests/guest.h"
#include "guests/memory.h"

namespace picklock::guests {
namespace {

class Nothing final : public Surroundings {
 public:
  std::int64_t clock(sim::ClockKind) override { return 1; }
  void alarm(sim::ClockKind, std::int64_t) override {}
  void random(std::span<unsigned char> bytes) override {
    for (unsigned char& byte : bytes) byte = 0;
  }
  bool dial(SocketId, std::uint32_t, std::uint16_t) override { return false; }
  void send(SocketId, std::string_view) override {}
  void closed(SocketId) override {}
  void shut_for_sending(SocketId) override {}
  void says(std::string_view) override {}
  std::string hosts() override { return "127.0.0.1 localhost\n"; }
};

// Containers may refuse these two calls. A guest would then only hear that its addresses are wrong.
bool can_share_memory() {
  const Memory own(getpid());
  std::uint64_t word = 1;
  const auto at = reinterpret_cast<std::uint64_t>(&word);
  const std::optional<std::uint64_t> seen = own.get<std::uint64_t>(at);
  return seen && own.put(at, *seen);
}

// A program that needs all of it: its first line is read from a file that is handed to it.
std::string tried() {
  if (!can_share_memory()) return "process_vm_readv or process_vm_writev is refused";
  Nothing nothing;
  Guest guest(nothing);
  try {
    guest.start({.argv = {"/bin/sh", "-c", "read line < /etc/hosts"},
                 .environment = {},
                 .folder = "/",
                 .output = {},
                 .seed = 0});
  } catch (const std::exception& error) {
    return error.what();
  }
  if (!guest.not_reproducible().empty()) return guest.not_reproducible();
  return guest.exit_status() == 0 ? "" : "a shell does not run under its listener";
}

}  // namespace

const std::string& unsupported() {
  static const std::string answer = [] {
    const std::string lack = tried();
    return lack.empty()
               ? lack
               : "programs need user namespaces, listeners of seccomp, pidfd_getfd, ptrace "
                 "and the memory of other processes here: " +
                     lack;
  }();
  return answer;
}

}  // namespace picklock::guests
