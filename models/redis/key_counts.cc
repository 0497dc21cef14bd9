#include "models/redis/key_counts.h"

namespace picklock::redis {

std::size_t count_keys(const Keyspace& keys, std::uint32_t database) {
  std::size_t count = 0;
  for (std::uint32_t slot = 0; slot < keys.slots(); ++slot) {
    const Entry& entry = keys.at(slot);
    if (entry.present && entry.database == database) ++count;
  }
  return count;
}

std::size_t count_keys_with_deadline(const Keyspace& keys, std::uint32_t database) {
  std::size_t count = 0;
  for (std::uint32_t slot = 0; slot < keys.slots(); ++slot) {
    const Entry& entry = keys.at(slot);
    if (entry.present && entry.has_deadline() && entry.database == database) ++count;
  }
  return count;
}

std::size_t used_memory(const Keyspace& keys) {
  constexpr std::size_t kEmptyServer = 1'000'000;
  constexpr std::size_t kPerKey = 96;
  std::size_t bytes = kEmptyServer;
  for (std::uint32_t slot = 0; slot < keys.slots(); ++slot) {
    const Entry& entry = keys.at(slot);
    if (entry.present) bytes += kPerKey + entry.key.size() + entry.value.bytes();
  }
  return bytes;
}

}  // namespace picklock::redis
