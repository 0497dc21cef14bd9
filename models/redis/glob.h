// Redis's glob-style patterns, as PSUBSCRIBE, KEYS, SCAN and CONFIG GET take them: `*`, `?`,
// `[abc]`, `[^a-z]`, `\x`. Bytes, not characters; and with the real server's own corners: nothing
// but the empty pattern matches the empty text, an unclosed class is closed by the pattern's end.
#pragma once

#include <string_view>

namespace picklock::redis {

bool matches_glob(std::string_view pattern, std::string_view text, bool any_case = false);

}  // namespace picklock::redis
