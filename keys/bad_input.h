// A user's input cannot be used. The text is one printable line that names the place, the mistake
// and, if there is one, the nearest valid word.
#pragma once

#include <string>
#include <string_view>

#include "picklock/scenario.h"

namespace picklock::keys {

using picklock::BadInput;

// `text` made fit for one line of a message: unprintable characters are escaped, and a text longer
// than `at_most` characters ends in "...".
std::string printable(std::string_view text, std::size_t at_most = 60);

bool is_utf8(std::string_view text);

}  // namespace picklock::keys
