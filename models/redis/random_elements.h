// Random elements of a set or a hash: SRANDMEMBER and HRANDFIELD.
#pragma once

#include <cstdint>

#include "models/redis/commands.h"

namespace picklock::redis {

// Reads how many. False: it is no such number, and the reply says so.
inline bool read_count(const Call& call, std::string_view word, std::int64_t& count) {
  if (!integer(word, count, call.reply)) return false;
  if (count != INT64_MIN) return true;
  call.reply.set_error(
      "ERR value is out of range, value must between -9223372036854775807 and "
      "9223372036854775807");
  return false;
}

template <typename Elements>
const auto& any_of(const Call& call, const Elements& all) {
  return *(all.begin() + static_cast<std::ptrdiff_t>(call.keys.chance().below(all.size())));
}

// Calls `add` with `count` different elements in their order, or with all if there are fewer. A
// negative count: so many, one of them perhaps several times.
template <typename Elements, typename Add>
void choose(const Call& call, const Elements& all, std::int64_t count, const Add& add) {
  for (; count < 0; ++count) add(any_of(call, all));
  auto left = static_cast<std::int64_t>(all.size());
  for (auto element = all.begin(); count > 0 && left > 0; ++element, --left) {
    const bool chosen =
        count >= left || call.keys.chance().below(static_cast<std::uint64_t>(left)) <
                             static_cast<std::uint64_t>(count);
    if (!chosen) continue;
    add(*element);
    --count;
  }
}

}  // namespace picklock::redis
