#include "models/locks/option_keys.h"

#include <array>

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
using keys::word;

namespace {

constexpr std::string_view kLua = "lua";

bool renews(const LockOptions& options) { return options.renew != Renew::none; }
bool has_patience(const LockOptions& options) { return options.acquire_timeout > Duration::zero(); }
bool renews_conditionally(const LockOptions& options) {
  return options.renew == Renew::conditional;
}

}  // namespace

OptionKeys joined(std::initializer_list<OptionKeys> tables) {
  OptionKeys all;
  for (const OptionKeys& table : tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

OptionKeys patience_keys() {
  return {
      duration<LockOptions>("acquire_timeout", Sign::not_negative,
                            at<&LockOptions::acquire_timeout>,
                            "a client gives up after this time; 0s: it tries forever"),
  };
}

OptionKeys attempts_keys() {
  return {
      integer<LockOptions>("attempts", 0, 1'000'000, at<&LockOptions::attempts>,
                           "a client gives up after this many attempts; 0: no limit"),
  };
}

OptionKeys clock_keys(bool (*reads_clock)(const LockOptions& options), std::string_view else_what) {
  return {
      needing(
          word<LockOptions>(
              "clock", {"monotonic", "wall"}, at<&LockOptions::clock>,
              "which of its clocks a client uses for validity, deadlines and its own timeouts"),
          {.other = "acquire_timeout", .met = reads_clock, .else_what = std::string(else_what)}),
  };
}

OptionKeys clock_keys() {
  return clock_keys([](const LockOptions& options) { return has_patience(options); },
                    "without `acquire_timeout`");
}

OptionKeys deadline_clock_keys() {
  return clock_keys(
      [](const LockOptions& options) { return has_patience(options) || options.deadline; },
      "without `acquire_timeout` or `deadline = true`");
}

OptionKeys client_keys() { return joined({patience_keys(), attempts_keys(), clock_keys()}); }

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
          "each command has a connection of its own. On a database a thread has its connection "
          "to itself, and waits while none is free"),
  };
}

OptionKeys connects_keys() {
  return {
      word<LockOptions>(
          "connects", {"as-usual", "at-start", "when-needed"}, at<&LockOptions::connects>,
          "when a client opens its connections to the servers: before the run begins, or with the "
          "first command. As usual is the first connection before the run, and on a database none"),
  };
}

OptionKeys redis_command_keys() {
  return joined({command_keys(),
                 resend_keys(),
                 resend_delay_keys(),
                 pool_size_keys(),
                 {
                     needing(connects_keys().front(),
                             {.other = "connections",
                              .met =
                                  [](const LockOptions& options) {
                                    return options.connects != Connects::at_start ||
                                           options.connections > 1;
                                  },
                              .else_what = "as \"at-start\" while `connections` is 1: the first "
                                           "connection is open before the run anyway"}),
                     boolean<LockOptions>(
                         "keep_timed_out", at<&LockOptions::keep_timed_out>,
                         "whether a connection on which a command has timed out stays in use"),
                 }});
}

OptionKeys redis_client_keys() { return joined({client_keys(), redis_command_keys()}); }

OptionKeys redis_leased_client_keys() {
  return joined({patience_keys(), attempts_keys(), deadline_clock_keys(), redis_command_keys()});
}

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

OptionKeys comparing_renewal_keys() {
  return {needing(renewal_keys().front(),
                  {.other = "renew",
                   .met = [](const LockOptions& options) { return options.renew != Renew::blind; },
                   .else_what = "as \"blind\": a renewal of this lock compares the owner"})};
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

struct ScriptKey {
  std::string_view name;
  std::string_view deed;
};

constexpr std::array<ScriptKey, kScriptCount> kScriptKeys = {{
    {"acquire_script", "takes the lock"},
    {"try_script", "takes it for a client that does not wait in the queue"},
    {"release_script", "releases the lock"},
    {"renew_script", "renews the lock"},
}};

}  // namespace

std::string_view script_key_name(ScriptOf of) {
  return kScriptKeys[static_cast<std::size_t>(of)].name;
}

namespace {

// Shows the text once it is known, so that a file that is written from it needs no other file.
keys::Key<LockOptions> script_key_of(ScriptOf of) {
  return {.name = std::string(script_key_name(of)),
          .type = "text or table",
          .meaning = "your script in place of the one that " +
                     std::string(kScriptKeys[static_cast<std::size_t>(of)].deed) +
                     ": a Lua file, its path relative to this file, or `{ lua = \"...\" }`. The "
                     "page of the lock says which keys and arguments it has, and its replies",
          .read =
              [of](const keys::Value& value, LockOptions& into) {
                if (!value.is_table()) {
                  into.scripts[of] = std::make_shared<UserScript>(UserScript{.file = value.text()});
                  return;
                }
                for (const keys::Value& inner : value.entries()) {
                  if (inner.name() != kLua) inner.fail_unknown({std::string(kLua)});
                }
                if (!value.find(kLua)) value.fail_missing(kLua, "must be given");
                into.scripts.set(of, value.at(kLua).text());
              },
          .show = [of](const LockOptions& from) -> std::string {
            const auto& given = from.scripts[of];
            if (given == nullptr) return {};
            if (!given->file.empty()) return keys::as_toml(given->file);
            return "{ lua = " + keys::as_toml_lines(given->script.body()) + " }";
          },
          .nested = {},
          .copy = [of](const LockOptions& from,
                       LockOptions& into) { into.scripts[of] = from.scripts[of]; }};
}

}  // namespace

OptionKeys script_keys(std::span<const ScriptUse> scripts) {
  OptionKeys all;
  for (const ScriptUse& one : scripts) {
    keys::Key<LockOptions> key = script_key_of(one.of);
    if (one.of == ScriptOf::renew && one.only_if_conditional) {
      key.needs = {.other = "renew",
                   .met = renews_conditionally,
                   .else_what = "unless `renew` is \"conditional\""};
    } else if (one.of == ScriptOf::renew) {
      key.needs = {.other = "renew", .met = renews, .else_what = "while `renew` is \"none\""};
    }
    all.push_back(std::move(key));
  }
  return all;
}

}  // namespace picklock::models::locks
