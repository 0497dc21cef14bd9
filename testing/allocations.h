// The number of allocations so far, so that a test can show that code allocates nothing. Linking
// allocations.cc replaces the global operator new: test-only.
#pragma once

#include <cstddef>

namespace picklock::properties {

std::size_t allocations();

}  // namespace picklock::properties
