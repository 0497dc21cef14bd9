// Text measured in terminal columns, not bytes: widths, padding and wrapping of UTF-8. It keeps the
// promise that no line is wider than asked and that nothing in it can move the cursor. The tables
// are here because the standard library's depend on the machine's locale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace picklock::reports {

// Columns the text takes on a terminal; wide East Asian characters take two, combining ones none.
int display_width(std::string_view text);

// The text with control characters and bytes that are not UTF-8 written as \xNN.
std::string printable(std::string_view text);

// The text with every character beyond ASCII replaced by as many `?` as it takes columns.
std::string ascii(std::string_view text);

std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);

// Lines of at most `width` columns, broken at spaces where there are any; never empty. All but the
// first begin with `hang` spaces.
std::vector<std::string> wrap(std::string_view text, int width, int hang = 0);

}  // namespace picklock::reports
