// PICKLOCK_ASAN is defined where AddressSanitizer is at work: it must be told about stacks and
// switches, and runs need more memory than any sensible limit and ten times as long.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define PICKLOCK_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PICKLOCK_ASAN 1
#endif
#endif

#ifdef PICKLOCK_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace picklock::sim {

#ifdef PICKLOCK_ASAN
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace picklock::sim
