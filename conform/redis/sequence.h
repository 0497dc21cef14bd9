// The steps of a case: commands over a few connections, and times that pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conform/case.h"
#include "sim/clock.h"

namespace picklock::conform::redis {

// The time of both wall clocks when a sequence begins, in milliseconds since the epoch.
inline constexpr std::int64_t kEpochMs = sim::kEpoch / 1'000'000;

// A word that represents the id of a connection, which the two sides number differently: `$id-1` is
// the first connection's.
inline constexpr std::string_view kIdWord = "$id-";

// The connection that such a word means, counted from 0; nullopt: another word.
std::optional<std::uint32_t> connection_meant(std::string_view word);
std::string id_word(std::uint32_t connection);

struct Step {
  std::uint32_t connection = 0;
  std::vector<std::string> words;  // of a command; empty: time passes
  std::int64_t pass_ms = 0;

  bool passes_time() const { return words.empty(); }
};

using Sequence = Case<Step>;

// A word as a user could type it, quoted if necessary: `PX`, `"a b"`, `"\r\n\x00"`.
std::string shown(std::string_view word);
// `2> SET k1 "a b" PX 100`, or `   (100 ms pass)`.
std::string shown(const Step& step);
// Lower case, of the letters that names of commands have.
std::string lower(std::string_view word);

}  // namespace picklock::conform::redis
