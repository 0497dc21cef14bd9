#include "guests/futexes.h"

#include <algorithm>

namespace picklock::guests {

void Futexes::remove(const Thread& thread) { std::erase(waiting_, &thread); }

std::vector<Thread*> Futexes::take(FutexKey word, std::size_t most, std::uint32_t bits) {
  std::vector<Thread*> taken;
  std::erase_if(waiting_, [&](Thread* thread) {
    if (taken.size() >= most || thread->futex != word || (thread->futex_bits & bits) == 0)
      return false;
    taken.push_back(thread);
    return true;
  });
  return taken;
}

std::size_t Futexes::move(FutexKey from, FutexKey to, std::size_t most) {
  std::size_t moved = 0;
  for (Thread* const thread : waiting_) {
    if (moved == most) break;
    if (thread->futex != from) continue;
    thread->futex = to;
    ++moved;
  }
  return moved;
}

}  // namespace picklock::guests
