// The rules of each verb of a fault, as data: whether it takes `for`, its other keys, and whether
// few kinds of processes can be hit by it (ProcessKind names further exceptions). The loader checks
// files by these rules, and the reference prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/servers/process_kind.h"
#include "sim/fault.h"

namespace picklock::scenarios {

enum class Lasting : std::uint8_t { required, optional, refused };

struct VerbRules {
  sim::Verb verb{};
  Lasting lasting = Lasting::refused;
  bool on_message = false;  // acts on the message of its step, so it needs a step before the reply
  std::string_view required{};              // the key that must be given; empty: none
  std::vector<std::string_view> allowed{};  // further keys
  // Why it hits no process but those of a few kinds (ProcessKind::bears); empty: it hits most.
  std::string_view rare{};
  std::string meaning{};
};

const VerbRules& rules(sim::Verb verb);

// Why `verb` cannot hit a process of this kind; empty if it can.
std::string_view inapplicable(sim::Verb verb, const servers::ProcessKind& kind);

}  // namespace picklock::scenarios
