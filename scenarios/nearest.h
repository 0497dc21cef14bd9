// The word a user most likely meant. It always answers with one of the given words: among equally
// near ones with the first, so that a message is the same on every machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace picklock::scenarios {

using Words = std::vector<std::string_view>;

// Empty only if `words` is.
std::string_view nearest(std::string_view word, const Words& words);

// "a, b, c" for a sentence.
std::string listed(const Words& words);

}  // namespace picklock::scenarios
