// poll and select, which are answered here to the last byte: the kernel would count real time in
// the rest of a timeout that it writes back.
#include <poll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <vector>

#include "guests/filter.h"
#include "guests/supervisor.h"

namespace picklock::guests {
namespace {

constexpr unsigned kBitsOfWord = 64;

constexpr short kReadable = POLLIN | POLLHUP | POLLERR;
constexpr short kWritable = POLLOUT | POLLERR;
constexpr short kKindsOfSet[3] = {POLLIN, POLLOUT, POLLPRI};
constexpr short kAnswersOfSet[3] = {kReadable, kWritable, POLLPRI};

}  // namespace

void Supervisor::poll(Thread& thread) {
  poll_until(thread, in_milliseconds(static_cast<int>(thread.argument(2))));
}

void Supervisor::ppoll(Thread& thread) {
  if (thread.argument(2) == 0) return poll_until(thread, {});
  const auto span = span_at(thread, thread.argument(2));
  if (!span) return answer(thread, -EFAULT);
  poll_until(thread, in(*span));
}

void Supervisor::poll_until(Thread& thread, Deadline deadline) {
  if (thread.argument(1) > kDescriptors) return answer(thread, -EINVAL);
  std::vector<pollfd> asked(thread.argument(1));
  if (!asked.empty() &&
      !thread.memory().read(thread.argument(0), asked.data(), asked.size() * sizeof(pollfd)))
    return answer(thread, -EFAULT);
  stop_waiting(thread);
  for (const pollfd& one : asked) {
    if (one.fd >= 0) watch(thread, one.fd, one.events);
  }
  wait_unless_over(thread, Wait::poll, deadline);
}

void Supervisor::answer_poll(Thread& thread) {
  ::poll(thread.polled.data(), thread.polled.size(), 0);
  std::vector<pollfd> asked(thread.argument(1));
  const std::size_t size = asked.size() * sizeof(pollfd);
  std::int64_t count = 0;
  std::size_t which = 0;
  bool there = size == 0 || thread.memory().read(thread.argument(0), asked.data(), size);
  for (pollfd& one : asked) {
    one.revents = 0;
    if (one.fd < 0 || which == thread.watched.size()) continue;
    const Watched& watched = thread.watched[which];
    const bool exists = watched.socket != nullptr || watched.copy;
    one.revents = exists ? thread.polled[which].revents : static_cast<short>(POLLNVAL);
    ++which;
    if (one.revents != 0) ++count;
  }
  there = there && (size == 0 || thread.memory().write(thread.argument(0), asked.data(), size));
  if (thread.call.data.nr == SYS_ppoll) write_time_left(thread, thread.argument(2));
  stop_waiting(thread);
  answer(thread, there ? count : -EFAULT);
}

// The kernel tells how much of a timeout is left, except to poll.
void Supervisor::write_time_left(Thread& thread, std::uint64_t address) {
  if (address == 0) return;
  const std::int64_t left =
      std::max<std::int64_t>(thread.deadline.at - now(thread.deadline.clock), 0);
  // It does not mind either if this cannot be written.
  if (thread.call.data.nr == SYS_select) {
    thread.memory().put(address, timeval{left / kSecond, left % kSecond / 1000});
  } else {
    thread.memory().put(address, timespec{left / kSecond, left % kSecond});
  }
}

void Supervisor::select(Thread& thread) {
  if (thread.argument(4) == 0) return select_until(thread, {});
  const auto span = thread.memory().get<timeval>(thread.argument(4));
  if (!span) return answer(thread, -EFAULT);
  if (span->tv_sec < 0 || span->tv_usec < 0) return answer(thread, -EINVAL);
  select_until(thread, in(span->tv_sec * kSecond + span->tv_usec * 1000));
}

void Supervisor::pselect(Thread& thread) {
  if (thread.argument(4) == 0) return select_until(thread, {});
  const auto span = span_at(thread, thread.argument(4));
  if (!span) return answer(thread, -EFAULT);
  select_until(thread, in(*span));
}

void Supervisor::select_until(Thread& thread, Deadline deadline) {
  const auto count = static_cast<int>(thread.argument(0));
  if (count < 0) return answer(thread, -EINVAL);
  const int most = std::min(count, kDescriptors);
  const std::size_t words = (static_cast<std::size_t>(most) + kBitsOfWord - 1) / kBitsOfWord;
  std::vector<short> events(words * kBitsOfWord);
  for (unsigned set = 0; set < 3; ++set) {
    std::vector<std::uint64_t> bits(words);
    const std::uint64_t at = thread.argument(1 + set);
    if (at == 0 || words == 0) continue;
    if (!thread.memory().read(at, bits.data(), words * sizeof(std::uint64_t)))
      return answer(thread, -EFAULT);
    for (std::size_t i = 0; i < static_cast<std::size_t>(most); ++i) {
      if ((bits[i / kBitsOfWord] >> i % kBitsOfWord & 1) != 0)
        events[i] = static_cast<short>(events[i] | kKindsOfSet[set]);
    }
  }
  stop_waiting(thread);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i] == 0) continue;
    watch(thread, static_cast<int>(i), events[i]);
    if (thread.watched.back().socket == nullptr && !thread.watched.back().copy) {
      stop_waiting(thread);
      return answer(thread, -EBADF);
    }
  }
  wait_unless_over(thread, Wait::select, deadline);
}

// poll counts an end of the connection for any descriptor, select for one that is to be read alone.
bool Supervisor::has_selected(const Thread& thread) {
  return std::ranges::any_of(thread.polled, [](const pollfd& one) {
    for (unsigned set = 0; set < 3; ++set) {
      if ((one.events & kKindsOfSet[set]) != 0 && (one.revents & kAnswersOfSet[set]) != 0)
        return true;
    }
    return false;
  });
}

void Supervisor::answer_select(Thread& thread) {
  ::poll(thread.polled.data(), thread.polled.size(), 0);
  const auto most = std::min(static_cast<int>(thread.argument(0)), kDescriptors);
  const std::size_t words = (static_cast<std::size_t>(most) + kBitsOfWord - 1) / kBitsOfWord;
  std::int64_t count = 0;
  bool there = true;
  for (unsigned set = 0; set < 3; ++set) {
    const std::uint64_t at = thread.argument(1 + set);
    if (at == 0 || words == 0) continue;
    std::vector<std::uint64_t> bits(words);
    for (std::size_t i = 0; i < thread.polled.size(); ++i) {
      const pollfd& one = thread.polled[i];
      if ((one.events & kKindsOfSet[set]) == 0 || (one.revents & kAnswersOfSet[set]) == 0) continue;
      const auto number = static_cast<std::size_t>(thread.watched[i].number);
      bits[number / kBitsOfWord] |= std::uint64_t{1} << number % kBitsOfWord;
      ++count;
    }
    there = thread.memory().write(at, bits.data(), words * sizeof(std::uint64_t)) && there;
  }
  write_time_left(thread, thread.argument(4));
  stop_waiting(thread);
  answer(thread, there ? count : -EFAULT);
}

}  // namespace picklock::guests
