// What a user gave cannot be used. The text is one printable line that names the place, what is
// wrong there and, where there is one, the nearest word that would have been right.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace picklock::scenarios {

class BadInput : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// `text` as it may stand in a line of a message: what does not print is escaped, what is longer
// than `at_most` characters ends in "...".
std::string printable(std::string_view text, std::size_t at_most = 60);

}  // namespace picklock::scenarios
