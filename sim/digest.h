// The fingerprint of a run: equal runs have equal digests on every machine, compiler and
// optimization level. Only stable facts go in (instants, names, bytes), never addresses or slots of
// tables.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sim/wide.h"

namespace picklock::sim {

// Finalizer of SplitMix64: every input bit reaches every output bit.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

inline std::uint64_t little_endian(const char* bytes, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// A fingerprint of some bytes, sixteen at a time, by one multiplication whose halves are folded
// together (Wang Yi, wyhash). It is separate from the run's own chain, so neither waits for the
// other.
inline std::uint64_t fingerprint(std::string_view bytes) {
  constexpr std::uint64_t kA = 0xa0761d6478bd642full;
  constexpr std::uint64_t kB = 0xe7037ed1a0b428dbull;
  constexpr std::uint64_t kC = 0x8ebc6af09c88c6e3ull;
  const auto fold = [](std::uint64_t a, std::uint64_t b) {
    const UnsignedWide product = static_cast<UnsignedWide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t sum = (left + 1) * kC;
  for (; left > 16; at += 16, left -= 16) {
    sum = fold(little_endian(at, 8) ^ kA, little_endian(at + 8, 8) ^ sum);
  }
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (left >= 8) {
    low = little_endian(at, 8);
    high = little_endian(at + left - 8, 8);
  } else if (left >= 4) {
    low = little_endian(at, 4);
    high = little_endian(at + left - 4, 4);
  } else if (left > 0) {
    // All of its one to three bytes, without a call that copies so many.
    const auto byte = [at](std::size_t i) {
      return std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
    };
    low = byte(0) | byte(left / 2) | byte(left - 1);
  }
  return fold(low ^ kA, high ^ sum ^ kB);
}

class Digest {
 public:
  void add([[maybe_unused]] std::uint64_t word) {
#ifndef PICKLOCK_NO_DIGEST  // only bench/ builds without, to tell what it costs
    state_ = (state_ ^ word) * 0x9fb21c651e98df25ull;
    state_ ^= state_ >> 29;
#endif
  }

  void reset(std::uint64_t start) { state_ = mixed(start + 0x9e3779b97f4a7c15ull); }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

// A stable number for a name, to seed streams and to stand for the name in digests.
inline std::uint64_t hash_of(std::string_view name) { return mixed(fingerprint(name)); }

}  // namespace picklock::sim
