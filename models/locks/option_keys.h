// The tables of keys that algorithms put together: those of the options that locks of several kinds
// share. The table of an algorithm's own options stands beside the algorithm.
#pragma once

#include <initializer_list>
#include <span>

#include "keys/key.h"
#include "models/locks/lock_options.h"

namespace picklock::models::locks {

using OptionKeys = keys::Keys<LockOptions>;

// One table of several.
OptionKeys joined(std::initializer_list<OptionKeys> tables);

// Those of a set of options of an algorithm's own.
template <typename Set>
OptionKeys own_keys(const keys::Keys<Set>& of_set) {
  OptionKeys all;
  keys::add_lifted(
      all, of_set, [](auto& options) -> auto& { return options.template of<Set>(); });
  return all;
}

OptionKeys patience_keys();  // `acquire_timeout`
OptionKeys attempts_keys();  // `attempts`
// `clock`: of locks that count only their patience by it; of those that have a deadline as well;
// and of those with further uses, where `reads_clock` says whether there is one.
OptionKeys clock_keys();
OptionKeys deadline_clock_keys();
OptionKeys clock_keys(bool (*reads_clock)(const LockOptions& options), std::string_view else_what);
OptionKeys client_keys();   // of locks that poll: their patience and its clock
OptionKeys command_keys();  // `command_timeout`
OptionKeys resend_keys();   // `resend`
OptionKeys resend_delay_keys();
OptionKeys pool_size_keys();            // `connections`
OptionKeys connects_keys();             // `connects`
OptionKeys redis_command_keys();        // how a client of Redis sends commands
OptionKeys redis_client_keys();         // of locks that poll on Redis: client_keys and these
OptionKeys redis_leased_client_keys();  // of those that have a deadline as well
OptionKeys subscription_keys();         // of locks whose client receives messages of channels
OptionKeys lease_keys();                // `ttl`
OptionKeys polling_keys();              // `retry_every`, `retry_jitter`
OptionKeys token_keys();                // `value`
OptionKeys renewal_keys();              // `renew`: a step of that name
OptionKeys comparing_renewal_keys();    // the same for locks that never renew blindly
OptionKeys pace_keys();                 // `renew_every`
OptionKeys renewal_pace_keys();         // the same for locks that have `renew`
OptionKeys own_token_keys();            // `recognise_own`: the step `check`
OptionKeys wait_keys();                 // `wait_replicas`
keys::Key<LockOptions> wait_timeout_key();
OptionKeys check_keys();  // `check_at`
OptionKeys loss_keys();   // `deadline`, `tell_loss`
OptionKeys local_mutex_keys();
OptionKeys script_keys(std::span<const ScriptUse> scripts);  // that a user may replace
std::string_view script_key_name(ScriptOf of);

}  // namespace picklock::models::locks
