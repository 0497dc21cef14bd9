// The invocations and answers of operations in order of time, as a doubly linked list from which
// the two entries of an operation can be lifted, and put back in reverse order (Wing and Gong,
// Testing and verifying concurrent objects, 1993). At one instant invocations come before answers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "properties/linearizable/operations.h"

namespace picklock::properties::linearizable {

inline constexpr std::uint32_t kNoOperation = UINT32_MAX;

class Entries {
 public:
  explicit Entries(std::span<const Interval> operations);

  // Entries are numbered from 1; 0 is the end of the list.
  std::uint32_t first() const { return all_[0].next; }
  std::uint32_t next(std::uint32_t entry) const { return all_[entry].next; }
  bool is_invocation(std::uint32_t entry) const { return entry != 0 && !all_[entry].answers; }
  std::uint32_t operation(std::uint32_t entry) const { return all_[entry].operation; }

  // The operation that is answered first of those in the list; kNoOperation: all are pending.
  std::uint32_t due() const {
    std::uint32_t entry = first();
    while (is_invocation(entry)) entry = next(entry);
    return entry == 0 ? kNoOperation : operation(entry);
  }

  void lift(std::uint32_t operation) {
    unlink(ends_[operation].invocation);
    if (ends_[operation].answer != 0) unlink(ends_[operation].answer);
  }
  void put_back(std::uint32_t operation) {
    if (ends_[operation].answer != 0) relink(ends_[operation].answer);
    relink(ends_[operation].invocation);
  }

  // Operations in one lane do not overlap; a pending one has a lane of its own. So the operation
  // that is due and one bit for every lane tell which operations have been lifted.
  std::uint32_t lane(std::uint32_t operation) const { return ends_[operation].lane; }
  std::uint32_t lanes() const { return lanes_; }

  // The operation's place in the order of answers; pending ones come last, as they were invoked.
  std::uint32_t deadline(std::uint32_t operation) const {
    const Ends& ends = ends_[operation];
    return ends.answer != 0 ? ends.answer
                            : static_cast<std::uint32_t>(all_.size()) + ends.invocation;
  }

 private:
  struct Entry {
    std::uint32_t before = 0;
    std::uint32_t next = 0;
    std::uint32_t operation = kNoOperation;
    bool answers = false;
  };
  struct Ends {
    std::uint32_t invocation = 0;
    std::uint32_t answer = 0;  // 0: pending
    std::uint32_t lane = 0;
  };

  void unlink(std::uint32_t entry) {
    all_[all_[entry].before].next = all_[entry].next;
    all_[all_[entry].next].before = all_[entry].before;
  }
  void relink(std::uint32_t entry) {
    all_[all_[entry].before].next = entry;
    all_[all_[entry].next].before = entry;
  }
  void assign_lanes();

  std::vector<Entry> all_;
  std::vector<Ends> ends_;
  std::uint32_t lanes_ = 0;
};

}  // namespace picklock::properties::linearizable
