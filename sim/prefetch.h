// Asks the processor to bring a line of the cache before it is needed.
#pragma once

namespace picklock::sim {

inline void prefetch(const void* line) {
  __builtin_prefetch(line);
  // g++ takes a function that only prefetches for one without effect, and drops its calls.
  asm volatile("");
}

}  // namespace picklock::sim
