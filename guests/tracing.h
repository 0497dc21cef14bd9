// Tracing of a guest's process around an exec, the moment at which the kernel hands a program
// things that no later call could change.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>

namespace picklock::guests {

// At its stop after an exec: takes the vDSO away, whose clock would not be a system call, and sets
// the random bytes with which programs seed hash tables and stack guards.
void prepare_image(pid_t process, const std::array<std::uint64_t, 2>& random);

}  // namespace picklock::guests
