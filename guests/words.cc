// Futexes, answered here: which thread goes on when a word changes is not left to the kernel.
#include <fmt/format.h>
#include <linux/futex.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>

#include "guests/supervisor.h"

namespace picklock::guests {
namespace {

constexpr std::uint64_t kOfFile = std::uint64_t{1} << 63;
constexpr std::uint32_t kAnyBit = ~0U;

// Where a shared mapping has this address; the process's own memory if none has.
FutexKey key_in_maps(const Process& process, std::uint64_t address) {
  FutexKey key{process.number, address};
  const std::string path = fmt::format("/proc/{}/maps", process.pid);
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return key;
  char line[512];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t offset = 0;
    std::uint64_t node = 0;
    unsigned major = 0;
    unsigned minor = 0;
    char flags[8];
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64, &from, &to,
                    flags, &offset, &major, &minor, &node) != 7)
      continue;
    if (address < from || address >= to) continue;
    if (flags[3] == 's')
      key = {kOfFile | std::uint64_t{major} << 52 | std::uint64_t{minor} << 40 | node,
             address - from + offset};
    break;
  }
  std::fclose(file);
  return key;
}

}  // namespace

FutexKey Supervisor::key_of(Thread& thread, std::uint64_t address, bool of_process) {
  const Process& process = *thread.process;
  // No other process has ever been there to share memory with.
  if (of_process || last_process_ == 1) return {process.number, address};
  return key_in_maps(process, address);
}

std::int64_t Supervisor::wake_word(FutexKey word, std::size_t most, std::uint32_t bits) {
  const std::vector<Thread*> woken = futexes_.take(word, most, bits);
  for (Thread* const thread : woken) make_ready(*thread, Thread::Next::answer);
  return static_cast<std::int64_t>(woken.size());
}

void Supervisor::futex(Thread& thread) {
  const auto operation = static_cast<int>(thread.argument(1));
  const bool of_process = (operation & FUTEX_PRIVATE_FLAG) != 0;
  const FutexKey word = key_of(thread, thread.argument(0), of_process);
  const auto most = static_cast<std::size_t>(static_cast<std::uint32_t>(thread.argument(2)));
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      thread.futex_bits = kAnyBit;
      return wait_for_word(thread, word, false);
    case FUTEX_WAIT_BITSET:
      thread.futex_bits = static_cast<std::uint32_t>(thread.argument(5));
      return wait_for_word(thread, word, true);
    case FUTEX_WAKE:
      return answer(thread, wake_word(word, most, kAnyBit));
    case FUTEX_WAKE_BITSET:
      return answer(thread, wake_word(word, most, static_cast<std::uint32_t>(thread.argument(5))));
    case FUTEX_CMP_REQUEUE: {
      const auto value = thread.memory().get<std::uint32_t>(thread.argument(0));
      if (!value) return answer(thread, -EFAULT);
      if (*value != static_cast<std::uint32_t>(thread.argument(5))) return answer(thread, -EAGAIN);
      [[fallthrough]];
    }
    case FUTEX_REQUEUE: {
      const std::int64_t woken = wake_word(word, most, kAnyBit);
      const FutexKey other = key_of(thread, thread.argument(4), of_process);
      const auto rest = static_cast<std::size_t>(static_cast<std::uint32_t>(thread.argument(3)));
      const std::size_t moved = futexes_.move(word, other, rest);
      return answer(thread, woken + static_cast<std::int64_t>(moved));
    }
    case FUTEX_UNLOCK_PI:  // a lock that inherits priorities waits inside the kernel
    case FUTEX_LOCK_PI:
    case FUTEX_TRYLOCK_PI:
      if (thread.argument(3) == 0) return go_native(thread);
      [[fallthrough]];
    default:
      return refuse(fmt::format("it called futex with operation {}", operation & FUTEX_CMD_MASK));
  }
}

void Supervisor::wait_for_word(Thread& thread, FutexKey word, bool absolute) {
  const auto value = thread.memory().get<std::uint32_t>(thread.argument(0));
  if (!value) return answer(thread, -EFAULT);
  if (*value != static_cast<std::uint32_t>(thread.argument(2))) return answer(thread, -EAGAIN);
  Deadline deadline;
  if (thread.argument(3) != 0) {
    const auto span = span_at(thread, thread.argument(3));
    if (!span) return answer(thread, -EINVAL);
    const bool wall = (thread.argument(1) & FUTEX_CLOCK_REALTIME) != 0;
    deadline = in(*span);
    if (absolute) deadline = {wall ? sim::ClockKind::wall : sim::ClockKind::monotonic, *span};
    if (has_come(deadline)) {
      if (polls_too_often(thread)) return let_time_pass(thread);
      return answer(thread, -ETIMEDOUT);
    }
  }
  thread.futex = word;
  wait(thread, Wait::futex, deadline, {-ETIMEDOUT, false});
  futexes_.add(thread);
}

}  // namespace picklock::guests
