// How long the tests take. `./check` shortens those whose full length seldom finds more, and
// `./check --all` runs them whole.
#pragma once

#include <cstdlib>

namespace picklock {

inline bool tests_are_whole() { return std::getenv("PICKLOCK_WHOLE") != nullptr; }

}  // namespace picklock
