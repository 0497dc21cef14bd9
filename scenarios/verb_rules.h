// What each verb of a fault may be given, as data: which kinds of process it can hit and why not
// the others, whether it takes `for`, and the keys it has a use for. The loader checks by it and
// the reference prints it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/fault.h"

namespace picklock::scenarios {

// `redis` is a primary, as the run begins.
enum class TargetKind : std::uint8_t {
  client,
  redis,
  resource,
  replica,
  sentinel,
  store,
  zookeeper,
  coordinator,
  mysql
};
inline constexpr std::size_t kTargetKinds = 9;
inline constexpr std::array<std::string_view, kTargetKinds> kTargetKindNames = {
    "client", "redis",     "resource",    "replica", "sentinel",
    "store",  "zookeeper", "coordinator", "mysql"};

enum class Lasting : std::uint8_t { required, optional, refused };

struct VerbRules {
  sim::Verb verb{};
  Lasting lasting = Lasting::refused;
  bool on_message = false;      // acts on the message of its step: needs a step, and one in time
  std::string_view required{};  // the key without which it means nothing; empty: none
  std::vector<std::string_view> allowed{};                    // further keys
  std::array<std::string_view, kTargetKinds> inapplicable{};  // why not, by kind; empty: applicable
  std::string_view meaning{};
};

const VerbRules& rules(sim::Verb verb);

// Why `verb` cannot hit a process of this kind; empty if it can.
std::string_view inapplicable(sim::Verb verb, TargetKind kind);

}  // namespace picklock::scenarios
