// Patterns as KEYS, SCAN and PSUBSCRIBE have them: * ? [a-c] [^a] and \ before what stands for
// itself. Exactly as Redis 7.0 matches, oddities included: an unfinished [ matches what it lists,
// and no pattern with a * matches the empty text.
#pragma once

#include <string_view>

namespace picklock::models::redis {

bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace picklock::models::redis
