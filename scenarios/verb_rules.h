// The rules of each verb of a fault, as data: the kinds of process that it can hit and why not the
// others, whether it takes `for`, and its other keys. The loader checks files by these rules, and
// the reference prints them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/fault.h"

namespace picklock::scenarios {

// `redis` is a server that is a primary when the run begins.
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
  bool on_message = false;  // acts on the message of its step, so it needs a step before the reply
  std::string_view required{};              // the key that must be given; empty: none
  std::vector<std::string_view> allowed{};  // further keys
  std::array<std::string_view, kTargetKinds> inapplicable{};  // why not, by kind; empty: applicable
  std::string_view meaning{};
};

const VerbRules& rules(sim::Verb verb);

// Why `verb` cannot hit a process of this kind; empty if it can.
std::string_view inapplicable(sim::Verb verb, TargetKind kind);

}  // namespace picklock::scenarios
