// Instants, durations and faults in words, shared by every form of report. One idea has one word,
// in ASCII, so that each form can add its own ornaments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "picklock/lock.h"
#include "properties/verdict.h"
#include "scenarios/verbs/words.h"
#include "sim/time.h"

namespace picklock::reports {

using properties::Verdicts;
using verbs::duration;
using verbs::fault;
using verbs::kCoordinator;
using verbs::list;
using verbs::mark;
using verbs::seconds;

std::string instant(sim::Instant at);  // 12.021s, to the nearest millisecond; "never" for kNever
std::string rounded(sim::Duration length);   // the same, to the nearest millisecond: 8.124s
std::string measured(sim::Duration length);  // to three digits: 42.0s, 1.05s, 2.35ms
std::string digest(std::uint64_t value);     // 16 lower-case hex digits
std::string times(std::uint64_t count);      // once, twice, 57 times
std::string grouped(std::uint64_t number);   // 12,345
std::string rate(double number);             // 12,345; 4.2; 0.35
std::string plural(std::uint64_t count, std::string_view noun);  // 1 run, 12,345 runs
std::vector<std::string> names(FaultClasses classes);
std::vector<std::string> names(const std::vector<Property>& properties);
// violated: a, b; unknown: c / every property holds. Those that nobody can see are left out.
std::string violated(const Verdicts& verdicts, const std::vector<Property>& unseen);

}  // namespace picklock::reports
