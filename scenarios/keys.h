// The keys of a scenario file, table by table. What one key may be is checked where it is read;
// what keys may be together is checked by scenarios/checks.h.
#pragma once

#include "scenarios/key.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

// The file format this program reads: the value of `format`.
inline constexpr int kFormat = 1;

// More of one kind than this is refused, so that no file can exhaust memory.
inline constexpr std::size_t kMostFaults = 1000;
inline constexpr std::size_t kMostLinks = 1000;
inline constexpr std::size_t kMostTwins = 100;
inline constexpr std::size_t kMostNames = 100;

const Keys<Scenario>& scenario_keys();  // the whole file; tables are keys with `nested` set
const Keys<sim::Trigger>& trigger_keys();

}  // namespace picklock::scenarios
