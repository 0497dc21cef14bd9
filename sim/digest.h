// The fingerprint of a run: equal runs have equal digests on every machine, compiler and optimisation level.
// Only stable facts go in (instants, names, bytes), never addresses or slots of tables.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace picklock::sim {

// Finaliser of SplitMix64: every input bit reaches every output bit.
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

class Digest {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9fb21c651e98df25ull;
    state_ ^= state_ >> 29;
  }

  void add(std::string_view bytes) {
    add(bytes.size());
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; at += 8, left -= 8) add(little_endian(at, 8));
    if (left > 0) add(little_endian(at, left));
  }

  void reset(std::uint64_t start) { state_ = mixed(start + 0x9e3779b97f4a7c15ull); }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

// A stable number for a name, to seed streams and to stand for the name in digests.
inline std::uint64_t hash_of(std::string_view name) {
  Digest digest;
  digest.add(name);
  return mixed(digest.value());
}

}  // namespace picklock::sim
