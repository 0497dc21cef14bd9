// Permits that threads of one process give each other: how one that waits for a message is woken.
#pragma once

#include <cstdint>

#include "models/lock_options.h"

namespace picklock::models {

// A tenure, as the record of a run numbers it; 0: none.
enum class Tenancy : std::uint32_t {};

// What a thread waits for: what other threads of its process do, or news that the lock may be free.
// Waits for news are on record, and they alone can be interrupted.
enum class Awaits : std::uint8_t { threads, news };

class Semaphore {
 public:
  enum class Woken : std::uint8_t { by_permit, by_time, by_interrupt };

  virtual ~Semaphore() = default;

  // Takes a permit, or waits for one; a negative patience never ends. Those that wait get theirs in
  // the order in which they came.
  virtual Woken acquire(Duration patience) = 0;
  // May be called between the steps of threads, where nothing may block.
  virtual void release() = 0;

  static constexpr Duration kForever{-1};
};

}  // namespace picklock::models
