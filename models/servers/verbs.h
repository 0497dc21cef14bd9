// The verbs of faults: those of the simulator, and those that servers carry out themselves
// (sim::Program::strike). Their names are the keys of a [[fault]] table; their order is the order
// of every list of verbs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/process.h"

namespace picklock::models {

inline constexpr sim::Verb kEvict{12};     // the server forgets a key
inline constexpr sim::Verb kFailOver{13};  // the primary's host stops and a replica is promoted
inline constexpr sim::Verb kKillSession{
    14};  // every server that keeps a session of the client ends it

inline constexpr std::size_t kVerbCount = 17;
inline constexpr std::array<std::string_view, kVerbCount> kVerbNames = {
    "pause",     "crash",     "restart",      "end-thread", "step-clock", "set-clock-rate",
    "partition", "heal",      "hold",         "delay",      "drop",       "duplicate",
    "evict",     "fail-over", "kill-session", "slow",       "interrupt"};

constexpr std::size_t index(sim::Verb verb) { return static_cast<std::size_t>(verb); }
constexpr std::string_view name(sim::Verb verb) { return kVerbNames[index(verb)]; }

static_assert(kVerbCount == index(sim::Verb::interrupt) + 1 && !kVerbNames.back().empty());
static_assert(index(sim::Verb::duplicate) + 1 == index(kEvict));
static_assert(index(kKillSession) + 1 == index(sim::Verb::slow));
static_assert(name(sim::Verb::duplicate) == "duplicate" && name(sim::Verb::slow) == "slow");

// Why a verb of servers changes nothing.
inline constexpr std::string_view kNoSuchKey = "the key was not there";
inline constexpr std::string_view kNoSession = "no server had a session of it";

// Whether the strike is this verb against this very process.
inline bool hits(const sim::Strike& strike, sim::Verb verb, const sim::Process& process) {
  return strike.fault.verb == verb && &strike.target == &process;
}

}  // namespace picklock::models
