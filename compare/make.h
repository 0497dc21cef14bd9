// Makes the cells of a comparison in several processes, part by part, and shrinks what they show to
// its shortest stories. With a number of runs, what comes out is the same for any number of
// processes. With a time, every cell gets the same number of runs, give or take a turn of eight,
// and at least one turn. The stories and pages are made within that time too, as far as the first
// turns leave any.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "compare/budget.h"
#include "compare/comparison.h"
#include "compare/ledger.h"

namespace picklock::compare {

struct Limits {
  unsigned jobs = 1;
  std::optional<std::uint64_t> runs{};  // of each cell
  std::optional<Seconds> length{};      // in its place
};

struct Progress {
  std::uint64_t runs = 0;     // known, of all cells
  std::uint64_t all = 0;      // wanted; 0: as many as there is time for
  std::size_t stories = 0;    // found
  std::size_t to_shrink = 0;  // once all runs are made: stories still to come
  Seconds passed{};
};

struct Onlooker {
  std::function<void(const Progress&)> progress;  // several times a second
  std::function<bool()> interrupted;              // once true: ends with what there is
};

// Becomes true when so much time has passed since this call.
std::function<bool()> once_passed(Seconds length);

// How long it took. Throws explore::NotDeterministic, and std::runtime_error where the processes
// that it needs cannot be made.
Seconds make(Comparison& comparison, Ledger& ledger, const Limits& limits,
             const Onlooker& onlooker);

}  // namespace picklock::compare
