// Redis's glob-style patterns, as PSUBSCRIBE, KEYS, SCAN and CONFIG GET take them: `*`, `?`,
// `[abc]`, `[^a-z]`, `\x`. They match bytes, not characters, and have the real server's corner
// cases: only the empty pattern matches the empty text, and the end of the pattern closes an
// unclosed class.
#pragma once

#include <string_view>

namespace picklock::redis {

bool matches_glob(std::string_view pattern, std::string_view text, bool any_case = false);

}  // namespace picklock::redis
