// A program under test: epoll, timers that are descriptors, and one system call at a wish.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

long long milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

int dial(std::uint16_t port, bool waits) {
  const int made = socket(AF_INET, SOCK_STREAM | (waits ? 0 : SOCK_NONBLOCK), 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int result = connect(made, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  std::printf("connect %d: %s\n", port, result == 0 ? "done" : std::strerror(errno));
  return made;
}

void wait_with_epoll() {
  const int poller = epoll_create1(0);
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  itimerspec every{};
  every.it_interval.tv_sec = 1;
  every.it_value.tv_nsec = 500'000'000;
  timerfd_settime(timer, 0, &every, nullptr);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = timer;
  epoll_ctl(poller, EPOLL_CTL_ADD, timer, &event);
  const int slow = dial(27, false);
  event.events = EPOLLOUT | EPOLLIN | EPOLLET;
  event.data.fd = slow;
  epoll_ctl(poller, EPOLL_CTL_ADD, slow, &event);
  const long long from = milliseconds();
  for (int round = 0; round < 6; ++round) {
    const int ready = epoll_wait(poller, &event, 1, 700);
    if (ready == 0) {
      std::printf("%lld ms: nothing\n", milliseconds() - from);
    } else if (event.data.fd == timer) {
      std::uint64_t count = 0;
      const ssize_t size = read(timer, &count, sizeof count);
      std::printf("%lld ms: timer, %d times, %zd\n", milliseconds() - from, static_cast<int>(count),
                  size);
    } else if ((event.events & EPOLLIN) != 0) {
      char bytes[64];
      const ssize_t size = read(slow, bytes, sizeof bytes);
      std::printf("%lld ms: got %zd\n", milliseconds() - from, size);
    } else {
      int error = -1;
      socklen_t size = sizeof error;
      getsockopt(slow, SOL_SOCKET, SO_ERROR, &error, &size);
      const ssize_t sent = write(slow, "hello", 5);
      std::printf("%lld ms: open, error %d, sent %zd\n", milliseconds() - from, error, sent);
    }
  }
}

void send_two_ways() {
  const int one = dial(9, true);
  const int other = dial(9, true);
  for (int i = 0; i < 3; ++i) {
    const std::string text = "message " + std::to_string(i);
    if (write(i % 2 == 0 ? one : other, text.data(), text.size()) < 0) std::abort();
  }
  const std::string large(300'000, 'x');
  std::printf("sent %zd\n", send(dup(one), large.data(), large.size(), 0));
}

void be_reset() {
  const int one = dial(23, true);
  char bytes[8];
  std::printf("wrote %zd\n", write(one, "x", 1));
  std::printf("read %zd", read(one, bytes, sizeof bytes));
  std::printf(": %s\n", std::strerror(errno));
  std::printf("read %zd\n", read(one, bytes, sizeof bytes));
  std::printf("write %zd", send(one, "x", 1, MSG_NOSIGNAL));
  std::printf(": %s\n", std::strerror(errno));
}

}  // namespace

int main(int count, char** arguments) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string wish = count > 1 ? arguments[1] : "";
  if (wish == "epoll") wait_with_epoll();
  if (wish == "sends") send_two_ways();
  if (wish == "reset") be_reset();
  if (wish == "io_uring_setup") syscall(SYS_io_uring_setup, 4, nullptr);
  if (wish == "timer_create") syscall(SYS_timer_create, CLOCK_REALTIME, nullptr, nullptr);
  if (wish == "listen") listen(socket(AF_INET, SOCK_STREAM, 0), 5);
  if (wish == "sendfile") syscall(SYS_sendfile, dial(9, true), 0, nullptr, 5);
  if (wish == "spin") {
    for (volatile bool on = true; on;) {
    }
  }
  if (wish == "abort") std::abort();
  return 0;
}
