// The ZooKeeper version that the model follows; its behavior was observed (docs/facts/fidelity.md
// section 2).
#pragma once

#include <string_view>

namespace picklock::zookeeper {

inline constexpr std::string_view kVersion = "3.8.0";

}  // namespace picklock::zookeeper
