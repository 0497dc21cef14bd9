// The threads of a guest that wait for words of memory. The kernel knows nothing of these waits, so
// that the order in which threads go on is the supervisor's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "guests/thread.h"

namespace picklock::guests {

class Futexes {
 public:
  void add(Thread& thread) { waiting_.push_back(&thread); }
  void remove(const Thread& thread);
  // Takes out threads that wait on the word for one of the bits, the oldest first, up to so many.
  std::vector<Thread*> take(FutexKey word, std::size_t most, std::uint32_t bits);
  // Lets up to so many threads wait on another word. Returns how many did.
  std::size_t move(FutexKey from, FutexKey to, std::size_t most);
  void clear() { waiting_.clear(); }

 private:
  std::deque<Thread*> waiting_;
};

}  // namespace picklock::guests
