// Pending events, earliest first. Events due at one instant come in the order in which they were
// pushed, or in a seeded random order when a search asks for it. Time never goes back: an event
// earlier than the last one popped must not be pushed.
//
// The next few events are in a sorted window, so that the memory they will touch can be fetched
// ahead. The rest wait in a monotone radix heap, in the bucket of the highest bit in which their
// time differs from the last one taken. This keeps the exact order at a few moves per event, from
// ten pending events to a million. (Ahuja, Mehlhorn, Orlin, Tarjan: Faster algorithms for the
// shortest path problem, 1990.)
//
// An event before the last one taken moves the buckets back. If a million messages wait for
// something far in the future, and the present is a few events, each event would move all of them.
// Once such moves have become many, all that is behind the window is kept in a binary heap until it
// is empty.
#pragma once

#include <algorithm>
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

// An event's target, its ticket and its kind share one word.
inline constexpr unsigned kKindBits = 3;
inline constexpr unsigned kTicketBits = 32 - kKindBits;
inline constexpr std::uint32_t kTicketMask = (1u << kTicketBits) - 1;
static_assert(static_cast<unsigned>(EventKind::patience) < 1u << kKindBits);

// Two whole words. If it were stored as smaller ones, a pop soon after the push would wait for the
// processor to combine them.
class Event {
 public:
  Event() = default;
  Event(std::int64_t due, EventKind kind, std::uint32_t target, std::uint32_t ticket)
      : at(due),
        word_(std::uint64_t{target} << 32 | std::uint64_t{ticket} << kKindBits |
              static_cast<std::uint64_t>(kind)) {}

  EventKind kind() const { return static_cast<EventKind>(word_ & ((1u << kKindBits) - 1)); }
  std::uint32_t target() const { return static_cast<std::uint32_t>(word_ >> 32); }
  // A cancelled event is one whose ticket is no longer its target's.
  std::uint32_t ticket() const { return static_cast<std::uint32_t>(word_) >> kKindBits; }

  std::int64_t at = 0;

 private:
  std::uint64_t word_ = 0;
};

class EventQueue {
 public:
  // How many of the next events are in the window, if there are that many. With 28, a run of
  // three clients of a ZooKeeper took 3 % more instructions.
  static constexpr std::size_t kWindow = 60;

  bool empty() const { return count_ == 0 && ties_.empty(); }

  void push(Instant at, EventKind kind, std::uint32_t target, std::uint32_t ticket) {
    push(Event(nanoseconds(at), kind, target, ticket));
  }

  void push(Event event) {
    // The heap is empty unless the window is full.
    if (count_ == kWindow) {
      if (event.at >= latest().at) {
        push_behind(event);
        return;
      }
      move_latest_behind();
    }
    // Fewer events move if those before it do. A message usually arrives before all the time-outs
    // that are pending.
    if (count_ > 0 && event.at < slot(head_ + count_ / 2).at) {
      ++count_;
      std::size_t place = --head_;
      for (; slot(place + 1).at <= event.at; ++place) slot(place) = slot(place + 1);
      slot(place) = event;
      return;
    }
    std::size_t place = head_ + count_++;
    for (; place != head_ && slot(place - 1).at > event.at; --place) slot(place) = slot(place - 1);
    slot(place) = event;
  }

  // When the next one is due. Requires: not empty.
  Instant next() const { return Instant(Duration(ties_.empty() ? peek(0).at : ties_.front().at)); }

  // Requires: not empty.
  Event pop() {
    const Event event = slot(head_++);
    --count_;
    if (behind_ > 0) slot(head_ + count_++) = pop_behind();
    return event;
  }

  // Pops any one of the events due at the earliest instant.
  [[gnu::noinline]] Event pop_any(Random& order) {
    while (count_ > 0 && (ties_.empty() || slot(head_).at == ties_.front().at))
      ties_.push_back(pop());
    std::swap(ties_[order.below(ties_.size())], ties_.back());
    const Event event = ties_.back();
    ties_.pop_back();
    return event;
  }

  // Event number `ahead` of the window, 0 being the next; for fetching ahead. Requires: ahead <
  // in_window().
  const Event& peek(std::size_t ahead) const { return window_[(head_ + ahead) & kMask]; }
  std::size_t in_window() const { return count_; }

  // Gives events another time, as `change` says. Those due at one time keep their order. It moves
  // every pending event, so it is for what is rare.
  template <typename Change>
  void retime(Change change) {
    std::vector<Event> all = std::exchange(ties_, {});
    while (count_ > 0) all.push_back(pop());
    clear();
    for (Event& event : all) change(event);
    std::stable_sort(all.begin(), all.end(),
                     [](const Event& one, const Event& other) { return one.at < other.at; });
    for (const Event& event : all) push(event);
  }

  void clear() {
    head_ = count_ = behind_ = due_ = moved_ = 0;
    ties_.clear();
    now_.clear();
    heap_.clear();
    is_heap_ = false;
    for (; levels_ != 0; levels_ &= levels_ - 1) {
      const auto level = static_cast<std::size_t>(std::countr_zero(levels_));
      for (unsigned some = digits_[level]; some != 0; some &= some - 1) {
        buckets_[level * kDigits + static_cast<std::size_t>(std::countr_zero(some))].clear();
      }
      digits_[level] = 0;
    }
    last_ = 0;
  }

 private:
  static constexpr std::size_t kMask = 63;
  static constexpr std::size_t kBits = 4;
  static constexpr std::size_t kDigits = std::size_t{1} << kBits;
  static constexpr std::size_t kLevels = 64 / kBits;
  static_assert(kWindow < kMask);

  Event& slot(std::size_t at) { return window_[at & kMask]; }
  Event& latest() { return slot(head_ + count_ - 1); }

  std::vector<Event>& bucket_of(std::int64_t at) {
    const auto differs = static_cast<std::uint64_t>(at ^ last_);
    if (differs == 0) return now_;
    const auto level = static_cast<std::size_t>(63 - std::countl_zero(differs)) / kBits;
    const std::size_t digit = digit_of(at, level);
    levels_ |= 1u << level;
    digits_[level] |= static_cast<std::uint16_t>(1u << digit);
    return buckets_[level * kDigits + digit];
  }

  static std::size_t digit_of(std::int64_t at, std::size_t level) {
    return static_cast<std::uint64_t>(at) >> (level * kBits) & (kDigits - 1);
  }

  [[gnu::noinline]] void push_behind(Event event) {
    assert(event.at >= last_);
    if (behind_ == 0) lower(latest().at);
    ++behind_;
    if (is_heap_) {
      add_to_heap(event, order_++);
    } else {
      bucket_of(event.at).push_back(event);
    }
  }

  // The event goes to the front of its bucket, because it was pushed before those due at the same
  // time.
  [[gnu::noinline]] void move_latest_behind() {
    const Event event = latest();
    --count_;
    lower(latest().at);
    ++behind_;
    if (is_heap_) {
      add_to_heap(event, --first_order_);
      return;
    }
    std::vector<Event>& bucket = bucket_of(event.at);
    bucket.insert(bucket.begin(), event);
  }

  // Afterwards the heap may hold events from `to` on. An event that differs from last_ only below
  // the highest digit in which `to` differs from last_ now differs from `to` in that digit. All
  // such events move to one bucket; the rest stay.
  void lower(std::int64_t to) {
    const auto differs = static_cast<std::uint64_t>(to ^ last_);
    now_.erase(now_.begin(), now_.begin() + static_cast<std::ptrdiff_t>(due_));
    due_ = 0;
    if (behind_ == 0 || differs == 0 || is_heap_) {
      last_ = to;
      return;
    }
    const auto top = static_cast<std::size_t>(63 - std::countl_zero(differs)) / kBits;
    const std::size_t digit = digit_of(last_, top);
    auto& target = buckets_[top * kDigits + digit];
    target.insert(target.end(), now_.begin(), now_.end());
    now_.clear();
    for (unsigned below = levels_ & ((1u << top) - 1); below != 0; below &= below - 1) {
      const auto level = static_cast<std::size_t>(std::countr_zero(below));
      for (unsigned some = digits_[level]; some != 0; some &= some - 1) {
        auto& bucket = buckets_[level * kDigits + static_cast<std::size_t>(std::countr_zero(some))];
        target.insert(target.end(), bucket.begin(), bucket.end());
        bucket.clear();
      }
      digits_[level] = 0;
    }
    levels_ &= ~((1u << top) - 1);
    last_ = to;
    if (target.empty()) return;
    levels_ |= 1u << top;
    digits_[top] |= static_cast<std::uint16_t>(1u << digit);
    if (target.size() > kMany && (moved_ += target.size()) > kMostMoved) make_heap();
  }

  // An event with its place among those of the same time.
  struct Placed {
    Event event;
    std::int64_t order = 0;

    // The earliest is on top of a heap.
    bool operator<(const Placed& that) const {
      return event.at != that.event.at ? event.at > that.event.at : order > that.order;
    }
  };

  void add_to_heap(Event event, std::int64_t order) {
    heap_.push_back({event, order});
    std::push_heap(heap_.begin(), heap_.end());
  }

  // Events of one time are all in one bucket, in their order.
  [[gnu::noinline]] void make_heap() {
    order_ = first_order_ = 0;
    for (; levels_ != 0; levels_ &= levels_ - 1) {
      const auto level = static_cast<std::size_t>(std::countr_zero(levels_));
      for (unsigned some = digits_[level]; some != 0; some &= some - 1) {
        auto& bucket = buckets_[level * kDigits + static_cast<std::size_t>(std::countr_zero(some))];
        for (const Event& event : bucket) heap_.push_back({event, order_++});
        bucket.clear();
      }
      digits_[level] = 0;
    }
    std::make_heap(heap_.begin(), heap_.end());
    is_heap_ = true;
    moved_ = 0;
  }

  Event pop_behind() {
    if (due_ == now_.size()) refill();
    --behind_;
    return now_[due_++];
  }

  [[gnu::noinline]] void refill() {
    now_.clear();
    due_ = 0;
    if (is_heap_) {
      std::pop_heap(heap_.begin(), heap_.end());
      now_.push_back(heap_.back().event);
      heap_.pop_back();
      last_ = now_[0].at;
      is_heap_ = !heap_.empty();
      return;
    }
    const auto level = static_cast<std::size_t>(std::countr_zero(levels_));
    auto& some = digits_[level];
    auto& opened = buckets_[level * kDigits + static_cast<std::size_t>(std::countr_zero(some))];
    some &= static_cast<std::uint16_t>(some - 1);
    if (some == 0) levels_ &= ~(1u << level);
    if (opened.size() == 1) {
      last_ = opened[0].at;
      now_.push_back(opened[0]);
      opened.clear();
      return;
    }
    std::int64_t earliest = opened[0].at;
    for (const Event& event : opened) earliest = event.at < earliest ? event.at : earliest;
    last_ = earliest;
    for (const Event& event : opened) bucket_of(event.at).push_back(event);
    opened.clear();
  }

  std::array<Event, kMask + 1> window_;  // a ring
  std::size_t head_ = 0;                 // its lowest bits count; before 0 comes the largest number
  std::size_t count_ = 0;
  std::vector<Event> ties_;  // due at one instant, while their order is drawn
  std::size_t behind_ = 0;
  std::array<std::vector<Event>, kLevels * kDigits> buckets_;
  std::array<std::uint16_t, kLevels> digits_{};  // bit d of level l: bucket d is not empty
  unsigned levels_ = 0;                          // bit l: some bucket of level l is not empty
  std::vector<Event> now_;                       // due at `last_`
  std::size_t due_ = 0;                          // next of now_
  std::int64_t last_ = 0;                        // nothing in the heap is earlier

  // Buckets of so many events that are moved back count; so many such events are too many.
  static constexpr std::size_t kMany = 64;
  static constexpr std::size_t kMostMoved = 2'000'000;
  std::size_t moved_ = 0;
  bool is_heap_ = false;  // all that is behind the window, but for `now_`, is in heap_
  std::vector<Placed> heap_;
  std::int64_t order_ = 0;        // of the next event that is pushed
  std::int64_t first_order_ = 0;  // of the latest event that the window gave back
};

}  // namespace picklock::sim
