#include "models/locks/redisson/versions.h"

#include "models/locks/redisson/options.h"

namespace picklock::models::locks::redisson {
namespace {

constexpr std::string_view kSource = "docs/facts/algorithms.md 1.12";

// A renewal that fails is the lock's last.
void as_in_3_43(LockOptions& options) {
  options.resend = 3;
  options.resend_delay = options.resend_delay_most = std::chrono::milliseconds(1500);
  auto& own = options.of<RedissonOptions>();
  own.timer_per_lock = true;
  own.renew_after_error = false;
}

// A release that is sent again finds nothing to release.
void as_in_3_23(LockOptions& options) {
  as_in_3_43(options);
  auto& own = options.of<RedissonOptions>();
  own.unlock_latch = false;
  own.resend_scripts = true;
}

constexpr Version kNewest = {.name = "4.7", .source = "docs/facts/algorithms.md 1"};
constexpr Version kBeforeOneTimer = {.name = "3.43", .source = kSource, .preset = as_in_3_43};
constexpr Version kBeforeLatch = {.name = "3.23", .source = kSource, .preset = as_in_3_23};

}  // namespace

std::vector<Version> versions() { return {kNewest, kBeforeOneTimer}; }
std::vector<Version> versions_with_latch() { return {kNewest, kBeforeOneTimer, kBeforeLatch}; }

}  // namespace picklock::models::locks::redisson
