#include "models/locks/redisson/options.h"

#include "keys/key_kinds.h"

namespace picklock::models::locks::redisson {

using keys::at;
using keys::boolean;
using keys::duration;
using keys::needing;
using keys::Sign;

namespace {

// tryLock without a time makes one attempt; every other acquire waits, however often it is woken.
OptionKeys one_attempt_keys() {
  return {needing(attempts_keys().front(),
                  {.other = "attempts",
                   .met = [](const LockOptions& options) { return options.attempts <= 1; },
                   .else_what = "above 1: a client of Redisson makes one attempt, or waits"})};
}

}  // namespace

OptionKeys redisson_keys() { return redisson_keys(deadline_clock_keys()); }

OptionKeys redisson_keys(const OptionKeys& clock) {
  return joined(
      {patience_keys(),
       one_attempt_keys(),
       clock,
       redis_command_keys(),
       lease_keys(),
       comparing_renewal_keys(),
       loss_keys(),
       local_mutex_keys(),
       own_keys<RedissonOptions>({
           boolean<RedissonOptions>(
               "resend_scripts", at<&RedissonOptions::resend_scripts>,
               "whether `resend` also applies, after a timeout, to the scripts that take and "
               "release the lock"),
           boolean<RedissonOptions>(
               "timer_per_lock", at<&RedissonOptions::timer_per_lock>,
               "whether each lock has its own renewal timer; otherwise all locks of a client share "
               "one"),
           needing(boolean<RedissonOptions>(
                       "renew_after_error", at<&RedissonOptions::renew_after_error>,
                       "whether renewals continue after one that got no reply"),
                   {.other = "timer_per_lock",
                    .met = [](const RedissonOptions& own) { return own.timer_per_lock; },
                    .else_what = "without `timer_per_lock = true`"}),
           boolean<RedissonOptions>(
               "sync_replicas", at<&RedissonOptions::sync_replicas>,
               "whether a grant counts only once a connected replica has it, if any is connected"),
       }),
       {needing(wait_timeout_key(), {.other = "sync_replicas",
                                     .met =
                                         [](const LockOptions& options) {
                                           return options.of<RedissonOptions>().sync_replicas;
                                         },
                                     .else_what = "without `sync_replicas = true`"})}});
}

OptionKeys channel_keys() {
  return joined(
      {subscription_keys(),
       own_keys<RedissonOptions>({
           boolean<RedissonOptions>(
               "try_after_subscribing", at<&RedissonOptions::try_after_subscribing>,
               "whether a client tries once more after it has subscribed, before it waits"),
           duration<RedissonOptions>(
               "wait_at_most", Sign::not_negative, at<&RedissonOptions::wait_at_most>,
               "how long a client waits for one message; 0s: as long as the lease that it saw"),
           duration<RedissonOptions>("wait_at_least", Sign::not_negative,
                                     at<&RedissonOptions::wait_at_least>,
                                     "the shortest wait for one message, unless `wait_at_most` is "
                                     "shorter; 0s: behind the place of a dead waiter a client asks "
                                     "again at once"),
       })});
}

OptionKeys latch_keys() {
  return own_keys<RedissonOptions>({
      boolean<RedissonOptions>(
          "unlock_latch", at<&RedissonOptions::unlock_latch>,
          "whether a release stores its reply on the server, for the case that the same release is "
          "sent again"),
  });
}

}  // namespace picklock::models::locks::redisson
