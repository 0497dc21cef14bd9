// Draws the sequences: which connection says what and when, so that every command meets keys in
// every state. The same seed draws the same sequence anywhere.
#pragma once

#include <cstdint>

#include "conform/redis/sequence.h"

namespace picklock::conform::redis {

inline constexpr std::size_t kCommandsPerSequence = 50;

// `steered_clock`: whether the server's clock can be set. Otherwise no command is drawn that
// depends on the time, or that would change a server for its other users.
Sequence draw_sequence(std::uint64_t seed, bool steered_clock);

// The seed of the n-th sequence; the first has the seed of the run, so that each can be drawn
// alone.
std::uint64_t sequence_seed(std::uint64_t run_seed, std::uint64_t index);

}  // namespace picklock::conform::redis
