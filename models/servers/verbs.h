// The verbs of faults that servers carry out themselves (sim::Program::strike), beside those of the
// simulator. scenarios/verbs says the rest of every verb.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "sim/process.h"

namespace picklock::models {

inline constexpr sim::Verb kEvict{12};     // the server forgets a key
inline constexpr sim::Verb kFailOver{13};  // the primary's host stops and a replica is promoted
// Every server that keeps a session of the client ends it.
inline constexpr sim::Verb kKillSession{14};

// Why a verb of servers changes nothing.
inline constexpr std::string_view kNoSuchKey = "the key was not there";
inline constexpr std::string_view kServerDown = "the server had crashed already";
inline constexpr std::string_view kNoSession = "no server had a session of it";

inline bool fails_over(std::span<const sim::Fault> faults, std::string_view primary) {
  return std::any_of(faults.begin(), faults.end(), [primary](const sim::Fault& fault) {
    return fault.verb == kFailOver && fault.target == primary;
  });
}

// Whether the strike is this verb against this very process.
inline bool hits(const sim::Strike& strike, sim::Verb verb, const sim::Process& process) {
  return strike.fault.verb == verb && &strike.target == &process;
}

}  // namespace picklock::models
