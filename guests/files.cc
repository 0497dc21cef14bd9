// Files and descriptors of a guest: a few files have a text of their own, and each descriptor of a
// virtual socket is known.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <span>
#include <string_view>

#include "guests/failure.h"
#include "guests/supervisor.h"

namespace picklock::guests {
namespace {

constexpr std::size_t kMostRandom = std::size_t{1} << 16;

// Names are looked up in /etc/hosts alone, and never asked of a server.
constexpr std::string_view kNameServices =
    "passwd: files\ngroup: files\nshadow: files\nhosts: files\nnetworks: files\n"
    "protocols: files\nservices: files\n";

constexpr std::string_view kProcessors = "/sys/devices/system/cpu/";

// The virtual machine of Java would keep its counters here, in a file named by its process, and all
// guests are process 1.
constexpr std::string_view kCountersOfJava = "/tmp/hsperfdata_";

Descriptor file_of(std::string_view text) {
  Descriptor file(memfd_create("picklock", MFD_CLOEXEC));
  if (!file) fail("cannot make a file");
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0) fail("cannot make a file");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (lseek(file.get(), 0, SEEK_SET) != 0) fail("cannot make a file");
  return file;
}

std::string as_uuid(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    unsigned byte = static_cast<unsigned char>(bytes[i]);
    if (i == 6) byte = (byte & 0x0f) | 0x40;
    if (i == 8) byte = (byte & 0x3f) | 0x80;
    text += fmt::format("{:02x}", byte);
  }
  return text + "\n";
}

}  // namespace

// ---------------------------------------------------------------- files

void Supervisor::open(Thread& thread) { open_path(thread, thread.argument(0), thread.argument(1)); }

void Supervisor::openat(Thread& thread) {
  std::uint64_t flags = thread.argument(2);
  if (thread.call.data.nr == SYS_openat2)
    flags = thread.memory().get<std::uint64_t>(thread.argument(2)).value_or(0);
  open_path(thread, thread.argument(1), flags);
}

std::optional<std::string> Supervisor::text_of(const std::string& path) {
  if (path == "/dev/urandom" || path == "/dev/random") return random_text(kMostRandom);
  if (path == "/etc/hosts") return fmt::format("{}127.0.1.1 {}\n", surroundings_.hosts(), name_);
  if (path == "/etc/hostname") return name_ + "\n";
  if (path == "/etc/resolv.conf") return "";
  if (path == "/etc/nsswitch.conf") return std::string(kNameServices);
  if (path == "/proc/uptime") {
    has_seen_clocks_ = true;
    const std::int64_t hundredths = now() / (kSecond / 100);
    return fmt::format("{}.{:02} 0.00\n", hundredths / 100, hundredths % 100);
  }
  if (path == "/proc/loadavg") return "0.00 0.00 0.00 1/1 1\n";
  if (path == "/proc/sys/kernel/random/uuid") return as_uuid(random_text(16));
  if (path.starts_with(kProcessors)) {
    const std::string_view rest = std::string_view(path).substr(kProcessors.size());
    if (rest == "online" || rest == "possible" || rest == "present") return "0\n";
  }
  return std::nullopt;
}

void Supervisor::open_path(Thread& thread, std::uint64_t at, std::uint64_t flags) {
  const std::string path = thread.memory().text(at);
  if (path.starts_with(kCountersOfJava)) return answer(thread, -EACCES);
  const std::optional<std::string> text = text_of(path);
  if (!text) return go_native(thread);
  hand_over(thread, file_of(*text).get(), -1, (flags & O_CLOEXEC) != 0);
}

void Supervisor::getrandom(Thread& thread) {
  const std::string bytes = random_text(std::min<std::size_t>(thread.argument(1), kMostRandom));
  const bool there = thread.memory().write(thread.argument(0), bytes.data(), bytes.size());
  answer(thread, there ? static_cast<std::int64_t>(bytes.size()) : -EFAULT);
}

// Reads the lines that the program has written to descriptor 3. They precede its next action.
void Supervisor::drain_beliefs() {
  std::array<char, 4096> block;
  while (alive_) {
    const ssize_t size = ::read(beliefs_.get(), block.data(), block.size());
    if (size <= 0) return;
    has_spoken_ = true;
    belief_.append(block.data(), static_cast<std::size_t>(size));
    for (std::size_t end; alive_ && (end = belief_.find('\n')) != std::string::npos;) {
      const std::string line = belief_.substr(0, end);
      belief_.erase(0, end + 1);
      surroundings_.says(line);
    }
  }
}

// ---------------------------------------------------------------- descriptors of sockets

void Supervisor::forget_socket(Process& process, int descriptor) {
  const auto found = process.sockets.find(descriptor);
  if (found == process.sockets.end()) return;
  const std::shared_ptr<Socket> socket = found->second;
  process.sockets.erase(found);
  if (socket == nullptr || --socket->holders != 0) return;
  sockets_.erase(socket->id());
  drain_beliefs();
  if (socket->state() != Socket::State::fresh) surroundings_.closed(socket->id());
}

void Supervisor::close(Thread& thread) {
  forget_socket(*thread.process, thread.descriptor());
  go_native(thread);
}

void Supervisor::close_range(Thread& thread) {
  const auto first = static_cast<std::uint32_t>(thread.argument(0));
  const auto last = static_cast<std::uint32_t>(thread.argument(1));
  if ((thread.argument(2) & CLOSE_RANGE_CLOEXEC) != 0) return go_native(thread);
  auto& sockets = thread.process->sockets;
  while (alive_) {
    const auto found =
        sockets.lower_bound(static_cast<int>(std::min<std::uint32_t>(first, 1U << 20)));
    if (found == sockets.end() || static_cast<std::uint32_t>(found->first) > last) break;
    forget_socket(*thread.process, found->first);
  }
  go_native(thread);
}

int Supervisor::free_number(const Process& process, int first) const {
  int number = first;
  while (process.sockets.contains(number)) ++number;
  return number;
}

void Supervisor::duplicate_socket(Thread& thread, int first, bool close_on_exec) {
  const std::shared_ptr<Socket> socket = socket_of(thread);
  if (socket == nullptr && first < kFirstChannel) return go_native(thread);
  if (socket == nullptr) return refuse("it duplicated a descriptor to a high number");
  const int number = free_number(*thread.process, std::max(first, kFirstSocket));
  if (number > kLastSocket) return answer(thread, -EMFILE);
  if (hand_over(thread, socket->near(), number, close_on_exec) < 0) return;
  thread.process->sockets[number] = socket;
  ++socket->holders;
}

void Supervisor::duplicate(Thread& thread) { duplicate_socket(thread, 0, false); }

void Supervisor::duplicate_to(Thread& thread) {
  const auto target = static_cast<int>(thread.argument(1));
  const std::shared_ptr<Socket> socket = socket_of(thread);
  if (socket != nullptr && target == thread.descriptor()) return go_native(thread);
  if (socket != nullptr && (target < kFirstSocket || target > kLastSocket))
    return refuse(fmt::format("it duplicated a socket to descriptor {}", target));
  forget_socket(*thread.process, target);
  if (socket == nullptr) return go_native(thread);
  const bool close_on_exec =
      thread.call.data.nr == SYS_dup3 && (thread.argument(2) & O_CLOEXEC) != 0;
  if (!alive_ || hand_over(thread, socket->near(), target, close_on_exec) < 0) return;
  thread.process->sockets[target] = socket;
  ++socket->holders;
}

void Supervisor::fcntl(Thread& thread) {
  const auto command = static_cast<int>(thread.argument(1));
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
    return duplicate_socket(thread, static_cast<int>(thread.argument(2)),
                            command == F_DUPFD_CLOEXEC);
  go_native(thread);
}

// A copy to a socket inside the kernel cannot be seen here.
void Supervisor::copy_to_socket(Thread& thread) {
  for (const unsigned which : {0U, 1U, 2U}) {
    const auto found = thread.process->sockets.find(static_cast<int>(thread.argument(which)));
    if (found != thread.process->sockets.end() && found->second != nullptr)
      return refuse_call(thread);
  }
  go_native(thread);
}

}  // namespace picklock::guests
