#include "models/locks/option_keys.h"

#include "keys/key_kinds.h"
#include "models/locks/algorithm.h"

namespace picklock::models {

bool takes(const Algorithm& algorithm, std::string_view key) {
  return keys::find(algorithm.keys, key) != nullptr;
}

}  // namespace picklock::models

namespace picklock::models::locks {

using keys::at;
using keys::boolean;
using keys::duration;
using keys::integer;
using keys::needing;
using keys::Sign;
using keys::text;
using keys::word;

namespace {

bool renews(const LockOptions& options) { return options.renew != Renew::none; }

}  // namespace

OptionKeys joined(std::initializer_list<OptionKeys> tables) {
  OptionKeys all;
  for (const OptionKeys& table : tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

OptionKeys client_keys() {
  return {
      duration<LockOptions>("acquire_timeout", Sign::not_negative,
                            at<&LockOptions::acquire_timeout>,
                            "a client gives up after this time; 0s: it tries forever"),
      integer<LockOptions>("attempts", 0, 1'000'000, at<&LockOptions::attempts>,
                           "a client gives up after this many attempts; 0: no limit"),
      word<LockOptions>(
          "clock", {"monotonic", "wall"}, at<&LockOptions::clock>,
          "which of its clocks a client uses for validity, deadlines and its own timeouts"),
  };
}

OptionKeys command_keys() {
  return {
      duration<LockOptions>("command_timeout", Sign::positive, at<&LockOptions::command_timeout>,
                            "timeout of a client for one command"),
  };
}

OptionKeys resend_keys() {
  return {
      integer<LockOptions>("resend", 0, 1000, at<&LockOptions::resend>,
                           "how often the client layer resends a command that got no reply"),
  };
}

OptionKeys resend_delay_keys() {
  return {
      needing(duration<LockOptions>(
                  "resend_delay", Sign::not_negative, at<&LockOptions::resend_delay>,
                  "pause before each resend, half of it drawn at random; it doubles from one "
                  "resend to the next"),
              {.other = "resend",
               .met = [](const LockOptions& options) { return options.resend > 0; },
               .else_what = "while `resend` is 0"}),
      needing(duration<LockOptions>("resend_delay_most", Sign::not_negative,
                                    at<&LockOptions::resend_delay_most>,
                                    "upper limit of `resend_delay` when it doubles"),
              {.other = "resend_delay",
               .met =
                   [](const LockOptions& options) {
                     return options.resend > 0 && options.resend_delay > Duration::zero();
                   },
               .else_what = "without `resend` and `resend_delay`"}),
  };
}

OptionKeys pool_size_keys() {
  return {
      integer<LockOptions>(
          "connections", 1, 1000, at<&LockOptions::connections>,
          "connections of a client to one server: 1, which its threads share, or a pool in which "
          "each command has a connection of its own. On MySQL a thread has its connection to "
          "itself, and waits while none is free"),
  };
}

OptionKeys connects_keys() {
  return {
      word<LockOptions>(
          "connects", {"as-usual", "at-start", "when-needed"}, at<&LockOptions::connects>,
          "when a client opens its connections to the servers: before the run begins, or with the "
          "first command. As usual is the first connection before the run, and on MySQL none"),
  };
}

OptionKeys redis_command_keys() {
  return joined({command_keys(),
                 resend_keys(),
                 resend_delay_keys(),
                 pool_size_keys(),
                 connects_keys(),
                 {
                     boolean<LockOptions>(
                         "keep_timed_out", at<&LockOptions::keep_timed_out>,
                         "whether a connection on which a command has timed out stays in use"),
                 }});
}

OptionKeys redis_client_keys() { return joined({client_keys(), redis_command_keys()}); }

OptionKeys subscription_keys() {
  return {
      duration<LockOptions>(
          "resubscribe_every", Sign::positive, at<&LockOptions::resubscribe_every>,
          "pause before a client reconnects after it has lost the connection on which it receives "
          "messages"),
  };
}

OptionKeys lease_keys() {
  return {
      duration<LockOptions>(
          "ttl", Sign::not_negative, at<&LockOptions::ttl>,
          "length of a lease, counted on the server's clock; 0s: without end, for locks that have "
          "such leases. Where the server has sessions, the timeout that a client requests for its "
          "own"),
  };
}

OptionKeys polling_keys() {
  return {
      duration<LockOptions>("retry_every", Sign::positive, at<&LockOptions::retry_every>,
                            "wait of a refused client before its next attempt"),
      duration<LockOptions>("retry_jitter", Sign::not_negative, at<&LockOptions::retry_jitter>,
                            "upper limit of a random time that is added to every such wait"),
  };
}

OptionKeys token_keys() {
  return {
      word<LockOptions>(
          "value", {"acquisition", "client", "machine"}, at<&LockOptions::value>,
          "what an owner token belongs to: one acquisition, one start of the client, or its "
          "machine, which keeps the token after a restart"),
  };
}

OptionKeys renewal_keys() {
  return {
      word<LockOptions>(
          "renew", {"none", "blind", "conditional"}, at<&LockOptions::renew>,
          "how a holder renews its lease: not at all, by PEXPIRE without a check of the owner, or "
          "by a script that compares the token"),
  };
}

OptionKeys pace_keys() {
  return {
      duration<LockOptions>("renew_every", Sign::not_negative, at<&LockOptions::renew_every>,
                            "time between two renewals; 0s: a third of `ttl`"),
  };
}

OptionKeys renewal_pace_keys() {
  return {needing(pace_keys().front(),
                  {.other = "renew", .met = renews, .else_what = "while `renew` is \"none\""})};
}

OptionKeys own_token_keys() {
  return {
      word<LockOptions>(
          "recognise_own", {"never", "after-unknown", "always"}, at<&LockOptions::recognise_own>,
          "when a refused client checks whether the key holds its own token: never, after an "
          "attempt without a reply, or always"),
  };
}

OptionKeys wait_keys() {
  return joined(
      {{needing(wait_timeout_key(),
                {.other = "wait_replicas",
                 .met = [](const LockOptions& options) { return options.wait_replicas > 0; },
                 .else_what = "without `wait_replicas`"})},
       {
           integer<LockOptions>(
               "wait_replicas", 0, 99, at<&LockOptions::wait_replicas>,
               "a grant counts only when this many replicas have acknowledged it (WAIT); otherwise "
               "the key is released"),
       }});
}

keys::Key<LockOptions> wait_timeout_key() {
  return duration<LockOptions>("wait_timeout", Sign::positive, at<&LockOptions::wait_timeout>,
                               "timeout of WAIT");
}

OptionKeys check_keys() {
  return {
      word<LockOptions>(
          "check_at", {"primary", "replica"}, at<&LockOptions::check_at>,
          "which server a client asks whether it still holds the lock: the primary, or the first "
          "replica"),
  };
}

OptionKeys loss_keys() {
  return {
      boolean<LockOptions>(
          "deadline", at<&LockOptions::deadline>,
          "whether a holder stops at the instant at which its lease must have expired"),
      needing(boolean<LockOptions>("tell_loss", at<&LockOptions::tell_loss>,
                                   "whether a renewal that finds the lock gone tells the holder"),
              {.other = "renew", .met = renews, .else_what = "while `renew` is \"none\""}),
  };
}

OptionKeys local_mutex_keys() {
  return {
      word<LockOptions>(
          "local_mutex", {"none", "kept-on-error", "freed"}, at<&LockOptions::local_mutex>,
          "a mutex within the process that guards the lock: none, one that stays locked if the "
          "release fails, or one that is always freed"),
  };
}

namespace {

// The text of a script goes with its path.
keys::Key<LockOptions> script_key(keys::Key<LockOptions> key, std::string ScriptFiles::*file,
                                  std::shared_ptr<const redis::Script> Scripts::*script) {
  key.copy = [file, script](const LockOptions& from, LockOptions& into) {
    into.script_files.*file = from.script_files.*file;
    into.scripts.*script = from.scripts.*script;
  };
  return key;
}

}  // namespace

OptionKeys acquire_script_keys() {
  return {
      script_key(
          text<LockOptions>(
              "acquire_script", [](auto& options) -> auto& { return options.script_files.acquire; },
              "a Lua file, its path relative to this file, that replaces the script that takes the "
              "lock; it has the same keys, arguments and replies"),
          &ScriptFiles::acquire, &Scripts::acquire),
  };
}

OptionKeys release_script_keys() {
  return {
      script_key(
          text<LockOptions>(
              "release_script", [](auto& options) -> auto& { return options.script_files.release; },
              "a Lua file, its path relative to this file, that replaces the script that releases "
              "the lock; it has the same keys, arguments and replies"),
          &ScriptFiles::release, &Scripts::release),
  };
}

OptionKeys renew_script_keys() {
  return {
      needing(script_key(text<LockOptions>(
                             "renew_script",
                             [](auto& options) -> auto& { return options.script_files.renew; },
                             "a Lua file, its path relative to this file, that replaces the script "
                             "that renews "
                             "the lock; it has the same keys, arguments and replies"),
                         &ScriptFiles::renew, &Scripts::renew),
              {.other = "renew", .met = renews, .else_what = "while `renew` is \"none\""}),
  };
}

}  // namespace picklock::models::locks
