// Durations as a user writes and reads them: one number and one unit, such as "1.5s" or "250us".
// Decimal digits are turned into nanoseconds without any floating point, so nothing is ever
// rounded.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "sim/time.h"

namespace picklock::keys {

// No duration of a file is longer: a hundred years. 64 bits hold 292.
inline constexpr sim::Duration kLongest = std::chrono::hours(24 * 365 * 100);

// Units are ns, us, ms, s, m and h. Empty if the text is not a duration, or one that is finer than
// a nanosecond or longer than kLongest.
std::optional<sim::Duration> duration_from(std::string_view text);

// The mistake in a text that duration_from refuses, for a message, with the nearest duration if
// only the unit is misspelled.
std::string duration_problem(std::string_view text);

// In seconds, exactly: "0.0005s". For messages that compare durations.
std::string in_seconds(sim::Duration length);

// The shortest text that reads back as the same duration.
std::string to_text(sim::Duration length);

}  // namespace picklock::keys
