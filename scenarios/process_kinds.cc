#include "scenarios/process_kinds.h"

#include <array>
#include <vector>

#include "models/servers/kind.h"

namespace picklock::scenarios {

using servers::ProcessKind;

namespace {

constexpr std::string_view kNoClock = "the resource reads no clock";
constexpr std::array kResourceRefuses = {servers::Refusal{sim::Verb::step_clock, kNoClock},
                                         servers::Refusal{sim::Verb::set_clock_rate, kNoClock}};

}  // namespace

constexpr ProcessKind kClientKind = {.name = "client",
                                     .singular = "client",
                                     .takes_steps = true,
                                     .drawn = {FaultClass::pause, FaultClass::client_clock,
                                               FaultClass::partition, FaultClass::crash}};

constexpr ProcessKind kResourceKind = {
    .name = "resource",
    .singular = "resource",
    .drawn = {FaultClass::pause, FaultClass::partition, FaultClass::crash},
    .drawn_at_messages = {FaultClass::late_write, FaultClass::lost_reply},
    .refuses = kResourceRefuses};

// The resource stands behind the first kind of server.
std::span<const ProcessKind* const> process_kinds() {
  static const std::vector<const ProcessKind*> all = [] {
    std::vector<const ProcessKind*> kinds = {&kClientKind};
    for (const servers::Kind* server : servers::kinds())
      kinds.insert(kinds.end(), server->kinds.begin(), server->kinds.end());
    kinds.insert(kinds.begin() + 2, &kResourceKind);
    return kinds;
  }();
  return all;
}

}  // namespace picklock::scenarios
