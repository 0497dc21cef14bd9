// Fetches the memory that the next events will touch. It changes nothing that a run computes.
#pragma once

#include <cstdint>

namespace picklock::sim {

class Connection;
class EventQueue;
class Network;
class Thread;
class Threads;

// Valid for one event.
class FetchAhead {
 public:
  FetchAhead(const EventQueue& queue, const Threads& threads, const Network& network)
      : queue_(queue), threads_(threads), network_(network) {}

  void step() const;

 private:
  void fetch_thread(std::uint32_t slot) const;
  static void fetch_fiber(const Thread& thread);
  // Those that return a number return the slot + 1 of the thread that waits for the answer.
  void fetch_message(std::uint32_t slot) const;
  std::uint32_t fetch_connection(std::uint32_t slot) const;
  static void fetch_connection(const Connection* connection);
  std::uint32_t fetch_receiver(std::uint32_t slot) const;
  static void fetch_client(const Connection* connection);

  const EventQueue& queue_;
  const Threads& threads_;
  const Network& network_;
};

}  // namespace picklock::sim
