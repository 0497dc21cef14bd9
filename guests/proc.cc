#include "guests/proc.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <ctime>
#include <string>
#include <string_view>

#include "guests/descriptor.h"

namespace picklock::guests {
namespace {

// Empty: the thread is gone.
std::string file_of(pid_t tid, const char* name) {
  const std::string path = fmt::format("/proc/{}/{}", tid, name);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(4096, '\0');
  const ssize_t size = file ? read(file.get(), text.data(), text.size()) : 0;
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

std::string_view field_of(std::string_view status, std::string_view name) {
  const std::size_t at = status.find(name);
  if (at == std::string_view::npos) return {};
  status.remove_prefix(at + name.size());
  return status.substr(0, status.find('\n'));
}

std::uint64_t mask_of(std::string_view status, std::string_view name) {
  std::string_view digits = field_of(status, name);
  while (!digits.empty() && (digits.front() == '\t' || digits.front() == ' '))
    digits.remove_prefix(1);
  std::uint64_t mask = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), mask, 16);
  return mask;
}

}  // namespace

bool is_asleep(pid_t tid) {
  const std::string stat = file_of(tid, "stat");
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size() && stat[name_end + 2] == 'S';
}

bool is_there(pid_t tid) { return !file_of(tid, "stat").empty(); }

std::int64_t computing_of(pid_t process) {
  clockid_t clock{};
  timespec used{};
  // A process that is gone computes no more.
  if (clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return used.tv_sec * 1'000'000'000 + used.tv_nsec;
}

int exit_status_of(pid_t process) {
  const std::string stat = file_of(process, "stat");
  const std::size_t last = stat.rfind(' ');
  int status = 0;
  if (last != std::string::npos)
    std::from_chars(stat.data() + last + 1, stat.data() + stat.size(), status);
  return status;
}

pid_t inner_pid_of(pid_t process) {
  const std::string status = file_of(process, "status");
  std::string_view numbers = field_of(status, "\nNSpid:");
  numbers.remove_prefix(numbers.rfind('\t') + 1);
  pid_t inner = 0;
  std::from_chars(numbers.data(), numbers.data() + numbers.size(), inner);
  return inner;
}

Signals signals_of(pid_t tid) {
  const std::string status = file_of(tid, "status");
  return {.pending = mask_of(status, "\nSigPnd:"),
          .pending_for_process = mask_of(status, "\nShdPnd:"),
          .blocked = mask_of(status, "\nSigBlk:"),
          .ignored = mask_of(status, "\nSigIgn:"),
          .caught = mask_of(status, "\nSigCgt:")};
}

}  // namespace picklock::guests
