// Draws the sequences: which connection requests what and when, so that every operation meets
// znodes in every state. The same seed draws the same sequence anywhere.
#pragma once

#include <cstdint>

#include "conform/zookeeper/sequence.h"

namespace picklock::conform::zookeeper {

inline constexpr std::size_t kStepsPerSequence = 40;

Sequence draw_sequence(std::uint64_t seed);

// The seed of the n-th sequence; the first has the seed of the run, so that each can be drawn
// alone.
std::uint64_t sequence_seed(std::uint64_t run_seed, std::uint64_t index);

}  // namespace picklock::conform::zookeeper
