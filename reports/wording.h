// Instants, durations and faults in words, shared by every form of report. One idea has one word,
// in ASCII, so that each form can add its own ornaments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "picklock/lock.h"
#include "properties/verdict.h"
#include "sim/fault.h"
#include "sim/time.h"

namespace picklock::reports {

// A process that takes steps as clients do, but for no tenure.
inline constexpr std::string_view kCoordinator = "coordinator";

using properties::Verdicts;

std::string instant(sim::Instant at);  // 12.021s, to the nearest millisecond; "never" for kNever
std::string duration(sim::Duration length);     // as a scenario file writes it: 8s, 1.5s, 100ms
std::string rounded(sim::Duration length);      // the same, to the nearest millisecond: 8.124s
std::string measured(sim::Duration length);     // to three digits: 42.0s, 1.05s, 2.35ms
std::string seconds(std::int64_t nanoseconds);  // 12.0215: exact, without trailing zeros
std::string digest(std::uint64_t value);        // 16 lower-case hex digits
std::string times(std::uint64_t count);         // once, twice, 57 times
std::string grouped(std::uint64_t number);      // 12,345
std::string plural(std::uint64_t count, std::string_view noun);  // 1 run, 12,345 runs
std::vector<std::string> names(FaultClasses classes);
std::vector<std::string> names(const std::vector<Property>& properties);
std::string fault(const sim::Fault& fault);    // pause client-1 for 8s, before its release is sent
std::string mark(std::string_view name);       // its mark "elapsed-checked"
std::string delayed(const sim::Fault& fault);  // "its release continues", for a delay
std::string list(const std::vector<std::string>& words);  // a, b and c
std::string violated(
    const Verdicts& verdicts);  // violated: a, b; unknown: c / every property holds

}  // namespace picklock::reports
