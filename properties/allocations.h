// How often the program has asked for memory so far, so that "allocates nothing" can be seen to be
// so. Linking allocations.cc replaces the global operator new: test-only.
#pragma once

#include <cstddef>

namespace picklock::properties {

std::size_t allocations();

}  // namespace picklock::properties
