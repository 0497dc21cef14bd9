// How far the campaign of a store is, as its files tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "explore/store.h"

namespace picklock::explore {

struct StoreProgress {
  std::uint64_t parts = 0;
  std::uint64_t runs = 0;  // of them, each once
  double rate = 0;         // runs a second of the processes that are at work
  std::size_t ended = 0;   // processes
  std::size_t at_work = 0;
  // The process at work, or quiet, whose last write is the oldest; nullptr: none.
  const StoreReader::Attempt* oldest = nullptr;
  // Processes that have not ended, and written nothing for several times as long as a part of
  // theirs takes: they were killed, or hang.
  std::vector<const StoreReader::Attempt*> quiet;
};

// `now`: seconds since 1970.
StoreProgress progress_of(const StoreReader& reader, double now);

}  // namespace picklock::explore
