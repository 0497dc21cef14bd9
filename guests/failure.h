// Errors of the kernel that a run cannot go on after.
#pragma once

#include <string_view>

namespace picklock::guests {

// Throws std::runtime_error: what could not be done, and the text of errno.
[[noreturn]] void fail(std::string_view what);

}  // namespace picklock::guests
