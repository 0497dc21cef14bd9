// The 16,384 slots of a Redis Cluster (redis.io, Redis cluster specification): which one a key has,
// which keys a command has, and which master serves each slot.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "models/redis/commands.h"

namespace picklock::redis {

class Group;

inline constexpr std::uint16_t kSlots = 16384;

// CRC16 of the key, or of the text between its first braces if there is any (R120).
std::uint16_t slot_of(std::string_view key);

// Positions of the keys among the words of a command, from `first` to `last`. None: it has no keys.
struct KeyWords {
  std::size_t first = 1;
  std::size_t last = 0;
  std::size_t step = 1;

  bool none() const { return first > last; }
};
// Without keys also where the command names a wrong number of them.
KeyWords key_words(const Command& command, Argv argv);

// A range of slots with the number of its group, both ends included.
struct SlotRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
  std::size_t group = 0;
};

// The map of slots, as every node knows it. All nodes learn at once that another server leads a
// group, because there is no cluster bus.
class Slots {
 public:
  // Gives each group an equal share, as `redis-cli --cluster create` does, and the first group the
  // share that has `key`. The groups must outlive the run.
  void reset(std::span<Group> groups, std::string_view key);

  std::span<Group> groups() const { return groups_; }
  std::size_t group_of(std::uint16_t slot) const;
  Group& serving(std::uint16_t slot) const;
  // In ascending order.
  std::vector<SlotRange> ranges() const;

 private:
  std::size_t share_of(std::uint16_t slot) const;

  std::span<Group> groups_;
  std::size_t shift_ = 0;  // the first group has the share of this number
};

}  // namespace picklock::redis
