// Whether this machine can run guests.
#pragma once

#include <string>

namespace picklock::guests {

// What this kernel or container lacks, in one line; empty: all is there. It really tries, once.
const std::string& unsupported();

}  // namespace picklock::guests
