// The word a user most likely meant, if one is near enough to be it: among equally near ones the
// first, so that a message is the same on every machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace picklock::keys {

using Words = std::vector<std::string_view>;

// Empty if none is near: more than a third of the letters differ.
std::string_view nearest(std::string_view word, const Words& words);

// The end of a message about `word`: "; did you mean `x`?" or else "; " and `otherwise`, if given.
std::string did_you_mean(std::string_view word, const Words& words,
                         std::string_view otherwise = "");

// "a, b, c" for a sentence.
std::string listed(const Words& words);

}  // namespace picklock::keys
