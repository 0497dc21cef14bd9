#include "sim/fetch_ahead.h"

#include "sim/network.h"
#include "sim/prefetch.h"
#include "sim/threads.h"

namespace picklock::sim {

// With thousands of threads nearly everything that an event touches is out of the cache. It is
// fetched in three steps while other events run; each step follows pointers that the step before
// has fetched.
void FetchAhead::step() const {
  constexpr std::size_t kSecond = 7;
  constexpr std::size_t kThird = 3;
  const std::size_t waiting = queue_.in_window();
  if (waiting <= kSecond) return;
  const Event& newest = queue_.peek(waiting - 1);
  if (newest.kind() == EventKind::deliver) {
    fetch_message(newest.target());
  } else if (newest.kind() == EventKind::wake) {
    fetch_thread(newest.target());
  }
  const Event& second = queue_.peek(kSecond);
  if (second.kind() == EventKind::deliver) {
    if (const std::uint32_t waiter = fetch_connection(second.target())) fetch_thread(waiter - 1);
  } else if (second.kind() == EventKind::wake) {
    const Thread& thread = threads_.threads_[second.target()];
    prefetch(thread.process_);
    fetch_connection(thread.last_used_);
  }
  const Event& third = queue_.peek(kThird);
  if (third.kind() == EventKind::deliver) {
    if (const std::uint32_t waiter = fetch_receiver(third.target()))
      fetch_fiber(threads_.threads_[waiter - 1]);
  } else if (third.kind() == EventKind::wake) {
    const Thread& thread = threads_.threads_[third.target()];
    fetch_client(thread.last_used_);
    fetch_fiber(thread);
  }
}

void FetchAhead::fetch_thread(std::uint32_t slot) const {
  const char* thread = reinterpret_cast<const char*>(&threads_.threads_[slot]);
  prefetch(thread);
  prefetch(thread + 64);
}

// Fetches the memory that a switch to the thread reads, and the part of its stack that it uses
// until it waits again.
void FetchAhead::fetch_fiber(const Thread& thread) {
  constexpr std::ptrdiff_t kLine = 64;
  if (thread.stack_hint_ == nullptr) return;
  prefetch(thread.fiber_);
  prefetch(thread.switch_hint_);
  const char* stack = static_cast<const char*>(thread.stack_hint_);
  for (std::ptrdiff_t line = 1; line <= 9; ++line) prefetch(stack - line * kLine);
}

void FetchAhead::fetch_message(std::uint32_t slot) const {
  const char* message = reinterpret_cast<const char*>(&network_.messages_[slot]);
  prefetch(message);
  prefetch(message + 64);
}

void FetchAhead::fetch_connection(const Connection* connection) {
  prefetch(connection);
  prefetch(reinterpret_cast<const char*>(connection) + 64);
}

std::uint32_t FetchAhead::fetch_connection(std::uint32_t slot) const {
  const Message& message = network_.messages_[slot];
  fetch_connection(message.connection);
  return message.direction == 1 ? message.waiter : 0;
}

std::uint32_t FetchAhead::fetch_receiver(std::uint32_t slot) const {
  const Message& message = network_.messages_[slot];
  const int to = 1 - message.direction;
  prefetch(message.connection->endpoint_[to]);
  prefetch(message.connection->end_[to]);
  return message.direction == 1 ? message.waiter : 0;
}

void FetchAhead::fetch_client(const Connection* connection) {
  if (connection != nullptr) prefetch(connection->endpoint_[0]);
}

}  // namespace picklock::sim
