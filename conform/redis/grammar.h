// Draws the sequences: which connection says what when, so that keys are met in every state, by
// every command. The same seed draws the same sequence anywhere.
#pragma once

#include <cstdint>

#include "conform/redis/sequence.h"

namespace picklock::conform::redis {

inline constexpr std::size_t kCommandsPerSequence = 50;

// `steered_clock`: whether the server's clock can be set. Without it nothing that depends on the
// time is drawn, nor what would change a server for those who use it.
Sequence draw_sequence(std::uint64_t seed, bool steered_clock);

// The seed of the n-th sequence of a run; the first has the run's own, so that each can be drawn
// alone.
std::uint64_t sequence_seed(std::uint64_t run_seed, std::uint64_t index);

}  // namespace picklock::conform::redis
