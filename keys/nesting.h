// Measures, before TOML text is parsed, how deep its values and dotted keys nest. A parsed document
// is a tree that is walked by recursion, so depth is bounded here and no file can overflow the
// stack.
#pragma once

#include <optional>
#include <string_view>

namespace picklock::keys {

inline constexpr int kDeepest = 16;

// The line, counted from 1, where brackets nest deeper than kDeepest or a key has more parts than
// that.
std::optional<int> too_deep_at(std::string_view text);

}  // namespace picklock::keys
