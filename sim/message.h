// A message in flight, in a recycled slot. The fields beside its bytes (tag, role, waiting thread)
// are the simulator's own knowledge and are not part of what the receiver is told.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "sim/occurrence.h"
#include "sim/role.h"

namespace picklock::sim {

class Connection;

// Bytes with room for a typical command in place: no allocation per message.
class Payload {
 public:
  Payload() = default;
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;

  void clear() { size_ = 0; }
  std::string_view view() const { return {data(), size_}; }
  std::size_t size() const { return size_; }

  void append(std::string_view bytes) {
    std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }

  template <typename T>
  void append_raw(T value) {
    std::memcpy(extend(sizeof value), &value, sizeof value);
  }

  // Room for `count` more bytes, to be written by the caller.
  char* extend(std::size_t count) {
    if (size_ + count > capacity_) grow(size_ + count);
    char* at = data() + size_;
    size_ += count;
    return at;
  }

  char* data() { return heap_ ? heap_.get() : inline_; }
  const char* data() const { return heap_ ? heap_.get() : inline_; }

 private:
  static constexpr std::size_t kInline = 88;

  [[gnu::noinline]] void grow(std::size_t needed) {
    const std::size_t capacity = needed > 2 * capacity_ ? needed : 2 * capacity_;
    auto bigger = std::make_unique<char[]>(capacity);
    std::memcpy(bigger.get(), data(), size_);
    heap_ = std::move(bigger);
    capacity_ = capacity;
  }

  std::size_t size_ = 0;
  std::size_t capacity_ = kInline;
  std::unique_ptr<char[]> heap_;
  char inline_[kInline];
};

enum class MessageKind : std::uint8_t {
  data,
  open,    // a new connection asks the peer's kernel
  opened,  // it is established
  reset,   // the peer's end is gone; arrives after everything sent before
  closed,  // the client's end is closed; arrives after everything sent before
};

// How far a message has come.
enum class Stage : std::uint8_t {
  under_way,
  released,  // was held on its way, and has been let go
  arrived,   // has reached the receiver's kernel
  handled,   // the receiver has spent its time on it
};

struct alignas(64) Message {
  MessageKind kind = MessageKind::data;
  std::uint8_t direction = 0;  // 0: from the client that opened the connection; 1: back to it
  Role role{};
  // Data under way that is delivered as it is: none of the marks below, up to `announced`, is set.
  // An altered one is plain too: its alteration is over once it has been sent.
  bool plain = true;
  Stage stage = Stage::under_way;
  bool lose = false;       // a fault: will be lost on the way, and the connection reset
  bool holds = false;      // a fault: its direction is held from here on
  bool stray = false;      // a duplicate, not ordered with the others: no client gets its answer
  bool altered = false;    // a fault: `extra` or `again_after` count
  bool unasked = false;    // answers nothing, and counts as unread
  bool announced = false;  // faults waiting for the moment before it is applied have had their turn
  bool taken = false;      // the receiver keeps the slot and releases it itself
  std::uint32_t slot = 0;
  std::uint32_t waiter = 0;  // slot + 1 of the thread that waits for the answer, for fetching ahead
  std::uint32_t number = 0;  // counts the messages of the run
  std::uint32_t answers = 0;  // the number of the request that this answers; 0: it answers none
  std::uint32_t next = 0;     // in a list of held or of free messages, slot + 1
  ThreadId thread = 0;
  Tag tag = 0;
  std::uint64_t mark = 0;  // stands for its bytes and its way in the digest
  Connection* connection = nullptr;
  Payload payload;
  Instant hold_until{};
  Duration extra{};          // arrives so much later
  Duration again_after{-1};  // arrives a second time so much later; negative: it does not

  // Comes to a stage of its way. It never goes back.
  void reach(Stage later) {
    assert(later >= stage);
    stage = later;
    plain = false;
  }
  void mark_lost() {
    lose = true;
    plain = false;
  }
  void mark_held_until(Instant until) {
    holds = true;
    hold_until = until;
    plain = false;
  }
  void mark_stray() {
    stray = true;
    plain = false;
  }
  void mark_unasked() {
    unasked = true;
    plain = false;
  }
  void clear_marks() {
    plain = true;
    stage = Stage::under_way;
    lose = holds = stray = altered = unasked = false;
  }
};

}  // namespace picklock::sim
