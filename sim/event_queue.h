// Events to come, earliest first; events due at one instant in the order in which they were pushed,
// or drawn by a seeded policy when a search asks for it. Time never goes back: an event earlier
// than the last one popped must not be pushed.
//
// A few events are a sorted array. More are a monotone radix heap: an event waits in the bucket of
// the highest bit in which its time differs from the last popped time. Exact order, a few moves per
// event up to millions pending. (Ahuja, Mehlhorn, Orlin, Tarjan: Faster algorithms for the shortest
// path problem, 1990.)
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/random.h"
#include "sim/time.h"

namespace picklock::sim {

enum class EventKind : std::uint8_t {
  wake,      // target: thread
  deliver,   // target: message
  timer,     // target: timer
  send,      // target: message, kept back while its sender was paused
  patience,  // target: thread, which waits for something with a limit
};

struct Event {
  std::int64_t at = 0;
  std::uint32_t target = 0;
  std::uint32_t ticket_and_kind =
      0;  // a cancelled event is one whose ticket is no longer the target's

  EventKind kind() const { return static_cast<EventKind>(ticket_and_kind & 7); }
  std::uint32_t ticket() const { return ticket_and_kind >> 3; }
};

inline constexpr std::uint32_t kTicketMask = (1u << 29) - 1;

class EventQueue {
 public:
  bool empty() const { return few_ == 0 && due_ == buckets_[0].size() && mask_ == 0; }

  void push(Instant at, EventKind kind, std::uint32_t target, std::uint32_t ticket) {
    push(Event{nanoseconds(at), target, (ticket << 3) | static_cast<std::uint32_t>(kind)});
  }

  void push(const Event& event) {
    if (many_) {
      push_many(event);
      return;
    }
    if (few_ == kFew) {
      spill();
      push_many(event);
      return;
    }
    // Latest first; behind its equals in time, so that they leave in the order in which they came.
    std::size_t at = few_++;
    for (; at > 0 && sorted_[at - 1].at <= event.at; --at) sorted_[at] = sorted_[at - 1];
    sorted_[at] = event;
  }

  // Requires: not empty.
  Event pop() {
    if (!many_) return sorted_[--few_];
    if (due_ == buckets_[0].size()) refill();
    const Event event = buckets_[0][due_++];
    many_ = due_ != buckets_[0].size() || mask_ != 0;
    return event;
  }

  // Pops any one of the events due at the earliest instant.
  Event pop_any(Random& order) {
    if (!many_) spill();
    if (due_ == buckets_[0].size()) refill();
    auto& now = buckets_[0];
    std::swap(now[due_], now[due_ + order.below(now.size() - due_)]);
    return pop();
  }

  // True where the next pop opens another bucket: a moment to prefetch what is in it.
  bool turns() const { return many_ && due_ == buckets_[0].size() && mask_ != 0; }
  const std::vector<Event>& next_bucket() const {
    return buckets_[static_cast<std::size_t>(std::countr_zero(mask_)) + 1];
  }

  void clear() {
    few_ = 0;
    many_ = false;
    buckets_[0].clear();
    for (; mask_ != 0; mask_ &= mask_ - 1) {
      buckets_[static_cast<std::size_t>(std::countr_zero(mask_)) + 1].clear();
    }
    due_ = 0;
    last_ = 0;
  }

 private:
  static constexpr std::size_t kFew = 16;

  int bucket_of(std::int64_t at) const {
    return 64 - std::countl_zero(static_cast<std::uint64_t>(at ^ last_));
  }

  void push_many(const Event& event) {
    assert(event.at >= last_);
    const int bucket = bucket_of(event.at);
    buckets_[static_cast<std::size_t>(bucket)].push_back(event);
    if (bucket > 0) mask_ |= 1ull << (bucket - 1);
  }

  void spill() {
    many_ = true;
    buckets_[0].clear();
    due_ = 0;
    while (few_ > 0) push_many(sorted_[--few_]);
  }

  void refill() {
    auto& now = buckets_[0];
    now.clear();
    due_ = 0;
    auto& opened = buckets_[static_cast<std::size_t>(std::countr_zero(mask_)) + 1];
    mask_ &= mask_ - 1;
    if (opened.size() == 1) {
      last_ = opened[0].at;
      now.push_back(opened[0]);
      opened.clear();
      return;
    }
    std::int64_t earliest = opened[0].at;
    for (const Event& event : opened) earliest = event.at < earliest ? event.at : earliest;
    last_ = earliest;
    for (const Event& event : opened) push_many(event);
    opened.clear();
  }

  std::array<Event, kFew> sorted_;
  std::size_t few_ = 0;
  bool many_ = false;
  std::array<std::vector<Event>, 65> buckets_;
  std::uint64_t mask_ = 0;  // bit i: bucket i + 1 is not empty
  std::size_t due_ = 0;     // next of bucket 0, which holds what is due at `last_`
  std::int64_t last_ = 0;
};

}  // namespace picklock::sim
