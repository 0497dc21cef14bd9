#include "models/locks/quorum_options.h"

#include "keys/key_kinds.h"
#include "models/locks/quorum_requests.h"

namespace picklock::models::locks {
namespace {

bool reads_clock(const LockOptions& options) {
  return options.of<QuorumOptions>().validity == Validity::after_answers || options.deadline ||
         options.renew != Renew::none || options.acquire_timeout > Duration::zero();
}

// Without tokens there is nothing to raise.
keys::Key<LockOptions> tokens_key() {
  using namespace keys;
  return needing(
      own_keys<QuorumOptions>(
          {
              word<QuorumOptions>(
                  "tokens", {"largest", "raised"}, at<&QuorumOptions::tokens>,
                  "the fencing token of a grant where each server counts its own: the largest of "
                  "their "
                  "numbers, or the same after a quorum of servers has raised its counter to it"),
          })
          .front(),
      {.other = "servers.resource.fencing",
       .met = [](const LockOptions& options) { return options.mint == Mint::in_script; },
       .else_what = "unless `servers.resource.fencing` is \"in-script\""});
}

OptionKeys extension_keys() {
  using namespace keys;
  OptionKeys all = own_keys<QuorumOptions>({
      word<QuorumOptions>(
          "extends", {"by-asking", "as-acquired"}, at<&QuorumOptions::extends>,
          "how a lock on several servers is extended: whatever the clock says; or like one more "
          "acquire, that is, only within the lease, and undone if it fails"),
      boolean<QuorumOptions>("extend_missing", at<&QuorumOptions::extend_missing>,
                             "whether a renewal sets a key again that is gone"),
  });
  for (keys::Key<LockOptions>& key : all) {
    key.needs = {.other = "renew",
                 .met = [](const LockOptions& options) { return options.renew != Renew::none; },
                 .else_what = "while `renew` is \"none\""};
  }
  return all;
}

}  // namespace

OptionKeys validity_keys() {
  using namespace keys;
  return own_keys<QuorumOptions>({
      word<QuorumOptions>(
          "validity", {"after-answers", "before-answers", "never"}, at<&QuorumOptions::validity>,
          "when a client reads its clock to see whether enough of the lease is left"),
  });
}

OptionKeys quorum_keys() {
  using namespace keys;
  return joined(
      {patience_keys(),
       attempts_keys(),
       clock_keys(
           reads_clock,
           "unless `validity` is \"after-answers\", or with `acquire_timeout`, `deadline` or "
           "`renew`"),
       redis_command_keys(),
       lease_keys(),
       polling_keys(),
       comparing_renewal_keys(),
       renewal_pace_keys(),
       loss_keys(),
       local_mutex_keys(),
       validity_keys(),
       script_keys(quorum_scripts()),
       own_keys<QuorumOptions>({
           integer<QuorumOptions>(
               "quorum", 0, 1000, at<&QuorumOptions::quorum>,
               "how many servers make a grant; 0: more than half or all of them, as the lock "
               "defines "
               "it"),
           integer<QuorumOptions>("drift_ppm", 0, 1'000'000, at<&QuorumOptions::drift_ppm>,
                                  "millionths of the lease that are subtracted from its validity"),
           duration<QuorumOptions>("drift_extra", Sign::not_negative,
                                   at<&QuorumOptions::drift_extra>,
                                   "time that is subtracted as well"),
           word<QuorumOptions>(
               "asks", {"together", "in-turn"}, at<&QuorumOptions::asks>,
               "whether a client sends to several servers at once or to one after the other"),
           word<QuorumOptions>(
               "hears", {"all", "majority"}, at<&QuorumOptions::hears>,
               "whether it waits for all replies or only for as many as decide the outcome"),
           word<QuorumOptions>(
               "speaks", {"set", "scripts", "script-names"}, at<&QuorumOptions::speaks>,
               "how a lock on several servers takes its key: by SET, by a script in full (EVAL), "
               "or by "
               "the SHA-1 of a script (EVALSHA)"),
           word<QuorumOptions>(
               "undo_at", {"all", "granted"}, at<&QuorumOptions::undo_at>,
               "which servers are told to undo a failed attempt: all, or those that granted it"),
           word<QuorumOptions>(
               "undo_after", {"each-attempt", "last-attempt"}, at<&QuorumOptions::undo_after>,
               "after which failed attempts they are told: each one, or only the last"),
           word<QuorumOptions>(
               "releases", {"once", "as-acquired"}, at<&QuorumOptions::releases>,
               "how often a release is tried that a quorum has not confirmed: once, or as often "
               "as an acquire"),
       }),
       extension_keys(),
       {tokens_key()}});
}

}  // namespace picklock::models::locks
