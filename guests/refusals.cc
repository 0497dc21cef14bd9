// Why the run of a guest cannot be repeated. It is then killed, and the reason names the call.
#include <fmt/format.h>
#include <sys/syscall.h>

#include <memory>
#include <string>

#include "guests/supervisor.h"

namespace picklock::guests {

void Supervisor::refuse(const std::string& what) {
  if (why_not_.empty()) why_not_ = what;
  kill();
}

void Supervisor::refuse_call(Thread& thread) {
  const Call* const call = call_of(thread.call.data.nr);
  refuse(fmt::format("it called {}", call != nullptr ? call->name : "what is not known"));
}

void Supervisor::refuse_on_socket(Thread& thread) {
  socket_of(thread) == nullptr ? go_native(thread) : refuse_call(thread);
}

// A call that waits inside the kernel, where its timeout would count real time.
void Supervisor::refuse_timeout(Thread& thread) {
  const unsigned which = thread.call.data.nr == SYS_semtimedop ? 3 : 4;
  thread.argument(which) == 0 ? go_native(thread) : refuse_call(thread);
}

void Supervisor::look_for_leaks() {
  for (const auto& [id, held] : sockets_) {
    const std::shared_ptr<Socket> socket = held.lock();
    if (socket != nullptr && socket->leaks())
      return refuse("it wrote to a socket by a call that is not supported");
  }
}

void Supervisor::look_at_computing(std::int64_t computed) {
  if (computed < most_computing_) return;
  refuse(fmt::format("a thread computed for {:g} s without a system call",
                     static_cast<double>(most_computing_) / static_cast<double>(kSecond)));
}

}  // namespace picklock::guests
