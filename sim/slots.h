// Elements in numbered slots that never move. Found with a shift and a mask, unlike in a deque,
// whose blocks hold only a few elements of this size.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace picklock::sim {

template <typename T>
class Slots {
 public:
  T& operator[](std::size_t slot) { return blocks_[slot >> kShift][slot & kMask]; }
  const T& operator[](std::size_t slot) const { return blocks_[slot >> kShift][slot & kMask]; }

  // The element exists afterwards, as it was left or as new.
  T& at_least(std::size_t slot) {
    while (blocks_.size() <= slot >> kShift)
      blocks_.push_back(std::make_unique<T[]>(std::size_t{1} << kShift));
    return (*this)[slot];
  }

 private:
  static constexpr std::size_t kShift = 6;
  static constexpr std::size_t kMask = (std::size_t{1} << kShift) - 1;

  std::vector<std::unique_ptr<T[]>> blocks_;
};

}  // namespace picklock::sim
