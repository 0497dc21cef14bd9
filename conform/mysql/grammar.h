// Draws the interleavings: who says what when, so that rows are met in every state by every
// statement, waits come about, and circles of them. The same seed draws the same one anywhere.
#pragma once

#include <cstdint>

#include "conform/mysql/sequence.h"

namespace picklock::conform::mysql {

inline constexpr std::size_t kStepsPerInterleaving = 16;

Interleaving draw_interleaving(std::uint64_t seed);

// The seed of the n-th of a run; the first has the run's own, so that each can be drawn alone.
std::uint64_t interleaving_seed(std::uint64_t run_seed, std::uint64_t index);

}  // namespace picklock::conform::mysql
