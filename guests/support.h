// Whether this machine can run guests.
#pragma once

#include <string>

namespace picklock::guests {

// Names the lack of this kernel or container in one line; empty: nothing is lacking. It runs a
// program to find out, once.
const std::string& unsupported();

}  // namespace picklock::guests
