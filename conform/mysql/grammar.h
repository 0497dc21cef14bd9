// Draws the interleavings: which session says what and when, so that every statement meets rows in
// every state, and waits and deadlocks arise. The same seed draws the same interleaving anywhere.
#pragma once

#include <cstdint>

#include "conform/mysql/sequence.h"

namespace picklock::conform::mysql {

inline constexpr std::size_t kStepsPerInterleaving = 16;

Interleaving draw_interleaving(std::uint64_t seed);

// The seed of the n-th interleaving; the first has the seed of the run, so that each can be drawn
// alone.
std::uint64_t interleaving_seed(std::uint64_t run_seed, std::uint64_t index);

}  // namespace picklock::conform::mysql
