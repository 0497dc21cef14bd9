// Named substreams of chance. A stream's draws depend on the run's seed and its own name alone, so
// that removing a fault or a client does not reshuffle the rest of the run.
//
// One draw per full expression: compilers order the operands of a call differently.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/digest.h"
#include "sim/time.h"
#include "sim/wide.h"

namespace picklock::sim {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): 8 bytes of
// state and no seeding cost, which matters with a stream per direction of every link.
class Random {
 public:
  Random() = default;
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mixed(seed ^ mixed(stream))) {}

  std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15ull); }

  // Uniform in [0, bound), bound > 0. Multiply-shift: the bias is below 2^-64 x bound.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<UnsignedWide>(next()) * bound) >> 64);
  }

  // Uniform in [low, high]; no draw is spent where there is nothing to choose.
  Duration between(Duration low, Duration high) {
    if (high <= low) return low;
    return low + Duration(static_cast<std::int64_t>(
                     below(static_cast<std::uint64_t>((high - low).count()) + 1)));
  }

  // Heavy tail: low x 2^k with k geometric (one half each), uniform within the octave, at most
  // high.
  Duration heavy_tailed(Duration low, Duration high) {
    const std::uint64_t coin = next() | (1ull << 40);
    const int octave = std::countr_zero(coin);
    const Duration base =
        low.count() < (high.count() >> octave) ? low * (std::int64_t{1} << octave) : high;
    const Duration drawn = between(base, base + base);
    return drawn < high ? drawn : high;
  }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace picklock::sim
