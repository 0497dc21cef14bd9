// Faults in words: what a verb does to which process, and when. The kinds of verbs put these pieces
// together, and every form of report shows the result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/fault.h"
#include "sim/time.h"

namespace picklock::verbs {

// A process that takes steps as clients do, but for no tenure.
inline constexpr std::string_view kCoordinator = "coordinator";

std::string fault(const sim::Fault& fault);  // pause client-1 for 8s, before its release is sent
// The message that a fault on messages acts on: "the answer to its 2nd renew at redis-1".
std::string message(const sim::Fault& fault);
// " for 8s", with that word; empty: the fault has no length.
std::string lasting(const sim::Fault& fault, std::string_view word);
std::string mark(std::string_view name);        // its mark "elapsed-checked"
std::string duration(sim::Duration length);     // 8s, 1.5s, 100ms
std::string seconds(std::int64_t nanoseconds);  // 12.0215: exact, without trailing zeros
std::string percent(std::int64_t ppb);          // -50%
std::string list(const std::vector<std::string>& words,
                 std::string_view last = "and");  // a, b and c

}  // namespace picklock::verbs
