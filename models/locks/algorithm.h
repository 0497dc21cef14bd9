// A lock algorithm as data: its name, the steps that faults can be anchored to, its promises under
// which faults, and how to make one. The catalog in models/locks lists every shipped algorithm.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keys/key.h"
#include "models/locks/lock_options.h"
#include "picklock/lock.h"
#include "picklock/redis.h"

namespace picklock::models {

// The abilities of a lock. Its keys are in Algorithm::keys.
struct Uses {
  Duration lease_unit = std::chrono::milliseconds(1);  // a lease is a whole number of these
  bool check = false;     // a HolderCheck: a holder can ask the server, by the step `check`
  bool mint = false;      // `mint`: the step that grants can mint a fencing token
  bool nests = false;     // re-entrant: a holder that acquires again is granted, and counted
  bool shared = false;    // one object serves all threads of a process; else each has its own
  bool servers = false;   // the lock lives on several servers
  bool database = false;  // a DatabaseWrite: the protected data can be where the lock is
  bool force = false;     // a ForcedRelease
  bool endless = false;   // a `ttl` of 0 is a key without expiry
  bool outside = false;   // the lock is that of programs, which a scenario names
  bool threads = true;    // its clients' threads are the simulator's, and a fault can hit one
  LockServer server = redis::kServer;
};

// A version of a library, by the options in which it differs from the one that is modelled.
struct Version {
  std::string_view name;                           // as the library numbers it
  std::string_view source;                         // where the difference can be read
  void (*preset)(LockOptions& options) = nullptr;  // after that of the algorithm
};

// A key of the lock's servers, in their table under [servers], that means nothing to this lock.
struct UnusedKey {
  std::string_view key;
  std::string_view why;  // as in "has no effect " and this
};

struct Algorithm {
  std::string_view name;
  std::string_view summary;  // one sentence: how it works
  std::string_view source;   // where it is described
  std::vector<Role> roles;   // of its own commands; `write` belongs to every client
  std::vector<std::string_view> marks;
  Uses uses;
  keys::Keys<LockOptions> keys{};    // of [lock], beside `algorithm` and `key`
  std::vector<ScriptUse> scripts{};  // that a user may replace: each has a key
  std::vector<UnusedKey> unused{};   // a file that sets one for this lock is refused
  std::vector<Promise> (*promises)(const LockOptions& options) = nullptr;
  bool says_promises = true;  // false: a user's own lock, with the promises of its kind
  // The longest wait once all faults are over and no healthy client holds the lock: the lease of a
  // crashed holder and one more attempt.
  Duration (*bound)(const LockOptions& options) = nullptr;
  // The longest pause between two attempts of a waiter; nullopt: unknown. nullptr: `retry_every`
  // and `retry_jitter`.
  std::optional<Duration> (*pause)(const LockOptions& options) = nullptr;
  // The longest round trip to a server with which an attempt can succeed; nullptr: as long as the
  // client waits for an answer.
  Duration (*round_trip)(const LockOptions& options) = nullptr;
  // How long a waiter may sleep while the lock is free and its message is late; 0: waiters await no
  // message.
  Duration (*wakeup)(const LockOptions& options) = nullptr;
  std::uint32_t wakeups = 1;     // how many waiters one release may wake
  std::uint32_t overtakes = 16;  // how often a waiter may be overtaken
  // Whether the clients' clocks decide when a lease is over; nullptr: never.
  bool (*timed_by_clients)(const LockOptions& options) = nullptr;
  // How many of the `servers` make a grant; nullptr: the lock lives on one server.
  std::uint32_t (*quorum)(std::uint32_t servers, const LockOptions& options) = nullptr;
  std::vector<Version> versions{};  // that can be chosen, the newest first
  // Sets the default options of this lock; nullptr: they are those of LockOptions.
  void (*preset)(LockOptions& options) = nullptr;
  std::unique_ptr<Lock> (*make)(const LockOptions& options) = nullptr;
  // The meaning of an answer whose words do not say it, such as "refused, 9s left" for "9000". The
  // texts are those of the protocol (sim::Protocol::describe). Empty, or nullptr: there is no more
  // to say.
  std::string (*gloss)(std::string_view request, std::string_view answer) = nullptr;
};

// Whether the lock has this key: a scenario can set it.
bool takes(const Algorithm& algorithm, std::string_view key);

// Why the key of its servers has no effect with the lock; empty: it has one.
inline std::string_view why_unused(const Algorithm& algorithm, std::string_view key) {
  for (const UnusedKey& one : algorithm.unused) {
    if (one.key == key) return one.why;
  }
  return "";
}

// The roles of the commands that such a lock sends under these options; `write` is not listed.
inline std::vector<Role> roles_under(std::vector<Role> roles, const Uses& uses,
                                     const LockOptions& options) {
  if (options.renew != Renew::none) roles.push_back(Role::renew);
  const bool checks =
      options.recognise_own != RecogniseOwn::never || (uses.check && options.holder_checks);
  for (const Role role : roles) {
    if (role == Role::check) return roles;
  }
  if (checks) roles.push_back(Role::check);
  return roles;
}

// The options of a lock for which a user has set none.
inline LockOptions as_it_comes(const Algorithm& algorithm) {
  LockOptions options;
  if (algorithm.preset != nullptr) algorithm.preset(options);
  return options;
}

inline LockOptions as_of(const Algorithm& algorithm, const Version& version) {
  LockOptions options = as_it_comes(algorithm);
  if (version.preset != nullptr) version.preset(options);
  return options;
}

inline std::optional<Promise> promise(const Algorithm& algorithm, Property property,
                                      const LockOptions& options) {
  for (const Promise& one : algorithm.promises(options)) {
    if (one.property == property) return one;
  }
  return std::nullopt;
}

}  // namespace picklock::models
