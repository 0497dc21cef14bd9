// How often lengths of time came up, by size: 32 classes to a doubling, so that a quantile is never
// off by more than a thirtieth. Histograms of different runs add up.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "sim/time.h"

namespace picklock::compare {

class Histogram {
 public:
  using Counts = std::map<std::uint32_t, std::uint64_t>;  // by class

  Histogram() = default;
  Histogram(Counts counts, sim::Duration longest) : counts_(std::move(counts)), longest_(longest) {
    for (const auto& [index, count] : counts_) size_ += count;
  }

  void count(sim::Duration length) {
    ++counts_[class_of(static_cast<std::uint64_t>(length.count()))];
    ++size_;
    longest_ = std::max(longest_, length);
  }
  void add(const Histogram& other) {
    for (const auto& [index, count] : other.counts_) counts_[index] += count;
    size_ += other.size_;
    longest_ = std::max(longest_, other.longest_);
  }

  std::uint64_t size() const { return size_; }
  const Counts& counts() const { return counts_; }
  sim::Duration longest() const { return longest_; }  // to the nanosecond

  // The length that `percent` of all do not exceed; nullopt: there is none at all.
  std::optional<sim::Duration> quantile(unsigned percent) const {
    if (size_ == 0) return std::nullopt;
    const std::uint64_t rank = (size_ * percent + 99) / 100;
    std::uint64_t passed = 0;
    for (const auto& [index, count] : counts_) {
      passed += count;
      const sim::Duration largest(static_cast<std::int64_t>(largest_of(index)));
      if (passed >= rank) return std::min(largest, longest_);
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t kExact = 32;  // lengths below are classes of their own

  static std::uint32_t class_of(std::uint64_t length) {
    if (length < kExact) return static_cast<std::uint32_t>(length);
    const auto shift = static_cast<std::uint32_t>(std::bit_width(length)) - 6;
    return kExact * (shift + 1) + static_cast<std::uint32_t>(length >> shift) - kExact;
  }
  static std::uint64_t largest_of(std::uint32_t index) {
    if (index < kExact) return index;
    const std::uint32_t shift = index / kExact - 1;
    return ((std::uint64_t{index} % kExact + kExact + 1) << shift) - 1;
  }

  Counts counts_;
  std::uint64_t size_ = 0;
  sim::Duration longest_{};
};

}  // namespace picklock::compare
