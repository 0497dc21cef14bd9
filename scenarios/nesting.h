// A look at TOML text before it is parsed: how deep its values and dotted keys nest. A parsed
// document is a tree that is walked by recursion, so depth is bounded here and no file can overflow
// the stack.
#pragma once

#include <optional>
#include <string_view>

namespace picklock::scenarios {

inline constexpr int kDeepest = 16;

// The line where brackets nest deeper than that, or where a key has more parts; counted from 1.
std::optional<int> too_deep_at(std::string_view text);

}  // namespace picklock::scenarios
