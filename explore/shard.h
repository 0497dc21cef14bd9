// One of the equal shares into which the parts of a campaign are divided.
#pragma once

#include <cstdint>

namespace picklock::explore {

struct Shard {
  std::uint64_t index = 0;  // counted from 0
  std::uint64_t count = 1;

  // Neighbouring parts go to different shards, so that all have advanced about equally far.
  bool has(std::uint64_t part) const { return part % count == index; }
  bool operator==(const Shard&) const = default;
};

}  // namespace picklock::explore
