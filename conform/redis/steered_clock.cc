// Preloaded into redis-server: its wall clock is a number in a mapped file, which stands still
// until the comparison writes another, so that expiry can be compared to the millisecond (R28). The
// monotonic clock, which drives the server's event loop, keeps running. If servers must disagree
// about the time and it must still pass, the number is the clock's lead over the true time (R35).
// Needs nothing of the C++ library.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

// Milliseconds since the epoch, or the lead over the true time if the clock runs.
const volatile std::int64_t* steered = nullptr;
bool runs = false;

// The first variable names a file descriptor that the server inherits.
__attribute__((constructor)) void map_clock() {
  const char* given = std::getenv("PICKLOCK_CLOCK_FD");
  if (given == nullptr) return;
  const int file = std::atoi(given);
  void* page = mmap(nullptr, sizeof *steered, PROT_READ, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) _exit(97);
  close(file);
  steered = static_cast<const volatile std::int64_t*>(page);
  runs = std::getenv("PICKLOCK_CLOCK_RUNS") != nullptr;
}

}  // namespace

extern "C" {

// Other clocks go straight to the kernel: looking up the library's own function would allocate, and
// the server's allocator reads the time.
int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (steered == nullptr || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
    return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  std::int64_t now = *steered;
  long nanoseconds = 0;  // beyond the millisecond
  if (runs) {
    timespec truth{};
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &truth);
    now += truth.tv_sec * 1000 + truth.tv_nsec / 1'000'000;
    nanoseconds = truth.tv_nsec % 1'000'000;
  }
  time->tv_sec = now / 1000;
  time->tv_nsec = now % 1000 * 1'000'000 + nanoseconds;
  return 0;
}

int gettimeofday(timeval* __restrict time, void* __restrict) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
