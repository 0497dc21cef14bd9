// The lock-cycle workload shared by every prototype and peer: figures are in microseconds of
// virtual time.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <time.h>
struct Params {
  uint64_t n = 10, until = 60'000'000, max_cycles = ~0ull, think_lo = 1000, think_hi = 100000,
           hold_lo = 1000, hold_hi = 10000;
  uint64_t lat_lo = 200, lat_hi = 2000, retry_lo = 10000, retry_hi = 50000, ttl = 30'000'000;
  uint64_t locks() const { return std::max<uint64_t>(1, n / 4); }
  static Params shortrun() {
    Params p;
    p.n = 3;
    p.think_lo = 500'000;
    p.think_hi = 1'500'000;
    p.hold_lo = 50'000;
    p.hold_hi = 500'000;
    p.ttl = 10'000'000;
    return p;
  }
  // Growth runs: same number of events whatever N, so cost per event is comparable.
  static Params growth(uint64_t n, uint64_t cycles) {
    Params p;
    p.n = n;
    p.until = ~0ull >> 2;
    p.max_cycles = cycles;
    return p;
  }
};
__extension__ typedef unsigned __int128 Wide;
struct Xo {  // xoshiro256++
  uint64_t s[4];
  explicit Xo(uint64_t seed) {
    for (auto& x : s) {
      seed += 0x9e3779b97f4a7c15ull;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
      x = z ^ (z >> 31);
    }
  }
  static uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  uint64_t operator()() {
    uint64_t r = rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return r;
  }
  uint64_t range(uint64_t lo, uint64_t hi) {
    return lo + static_cast<uint64_t>((static_cast<Wide>((*this)()) * (hi - lo + 1)) >> 64);
  }
};
struct Result {
  uint64_t events = 0, cycles = 0, fails = 0, sum = 0;
  uint64_t mix(uint64_t a) { return sum = (sum ^ a) * 0x9fb21c651e98df25ull, sum ^= sum >> 29; }
};
inline double cpu_s() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}
inline double rss_mb() {
  FILE* f = fopen("/proc/self/statm", "r");
  long a = 0, b = 0;
  if (fscanf(f, "%ld %ld", &a, &b) != 2) b = 0;
  fclose(f);
  return static_cast<double>(b) * 4096.0 / 1e6;
}
inline void report(const char* who, Params const& p, Result const& r, double s, double mb,
                   uint64_t runs = 1) {
  const auto events = static_cast<double>(r.events), cycles = static_cast<double>(r.cycles);
  const auto count = static_cast<double>(runs), clients = static_cast<double>(p.n);
  std::printf(
      "%-28s n=%-8llu runs=%-6llu cpu=%.3fs events/s=%.3fM ns/event=%.1f cycles/s=%.0f "
      "events/cycle=%.2f runs/s=%.1f us/run=%.2f client_bytes=%.0f sum=%016llx\n",
      who, static_cast<unsigned long long>(p.n), static_cast<unsigned long long>(runs), s,
      events / s / 1e6, s * 1e9 / events, cycles / s, events / std::max(1.0, cycles), count / s,
      s * 1e6 / count, mb * 1e6 / clients, static_cast<unsigned long long>(r.sum));
  std::fflush(stdout);
}
