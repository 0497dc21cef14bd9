#include "models/redis/slots.h"

#include "models/redis/group.h"
#include "models/redis/numbers.h"

namespace picklock::redis {
namespace {

// CRC-16/XMODEM.
std::uint16_t checksum(std::string_view bytes) {
  std::uint32_t sum = 0;
  for (const char byte : bytes) {
    sum ^= static_cast<std::uint32_t>(static_cast<unsigned char>(byte)) << 8;
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 0x8000u) != 0 ? sum << 1 ^ 0x1021u : sum << 1;
    sum &= 0xffffu;
  }
  return static_cast<std::uint16_t>(sum);
}

std::string_view hashed_part(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == std::string_view::npos) return key;
  const std::size_t close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

// The first slot of share `number` of `count`.
std::uint32_t begin_of_share(std::size_t number, std::size_t count) {
  return static_cast<std::uint32_t>((2 * number * kSlots + count) / (2 * count));
}

}  // namespace

std::uint16_t slot_of(std::string_view key) {
  return static_cast<std::uint16_t>(checksum(hashed_part(key)) % kSlots);
}

KeyWords key_words(const Command& command, Argv argv) {
  if (command.is(kRunsScript)) {
    std::int64_t keys = 0;
    if (argv.size() < 3 || !strict_integer(argv[2], keys) || keys <= 0 ||
        keys > static_cast<std::int64_t>(argv.size()) - 3)
      return {};
    return {.first = 3, .last = 2 + static_cast<std::size_t>(keys)};
  }
  if (command.keys.first == 0) return {};
  const auto words = static_cast<int>(argv.size());
  const int last = command.keys.last < 0 ? words + command.keys.last : command.keys.last;
  return {.first = static_cast<std::size_t>(command.keys.first),
          .last = static_cast<std::size_t>(last),
          .step = static_cast<std::size_t>(command.keys.step)};
}

void Slots::reset(std::span<Group> groups, std::string_view key) {
  groups_ = groups;
  shift_ = 0;
  shift_ = share_of(slot_of(key));
}

std::size_t Slots::share_of(std::uint16_t slot) const {
  const std::size_t count = groups_.size();
  std::size_t share = 0;
  while (share + 1 < count && slot >= begin_of_share(share + 1, count)) ++share;
  return share;
}

std::size_t Slots::group_of(std::uint16_t slot) const {
  return (share_of(slot) + groups_.size() - shift_) % groups_.size();
}

Group& Slots::serving(std::uint16_t slot) const { return groups_[group_of(slot)]; }

std::vector<SlotRange> Slots::ranges() const {
  std::vector<SlotRange> all;
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    const auto number = static_cast<std::uint16_t>(slot);
    const std::size_t group = group_of(number);
    if (all.empty() || all.back().group != group) {
      all.push_back({number, number, group});
    } else {
      all.back().last = number;
    }
  }
  return all;
}

}  // namespace picklock::redis
