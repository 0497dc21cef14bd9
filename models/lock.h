// A distributed lock: two verbs. An algorithm is written as its paper or post describes it, in
// blocking style; each call parks the calling thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "models/client.h"
#include "models/lock_options.h"

namespace picklock::models {

// What a successful acquire gives: the right to a key, until an instant that the server counts.
struct Lease {
  std::string key;
  std::string token;
  Duration ttl{};          // 0: the lock has no lease
  std::int64_t fence = 0;  // fencing token; 0: none was minted with the grant
  Duration deadline{};     // by the client's `clock`: when its holder stops; 0: never by itself
};

// Granted with a lease, refused, or unknown: the request may have been granted without our learning
// of it.
class Acquired {
 public:
  Acquired(Lease lease) : lease_(std::move(lease)) {}  // NOLINT: a lease is the good news itself
  Acquired(std::nullopt_t) {}                          // NOLINT: and none is the bad
  static Acquired unknown() {
    Acquired outcome(std::nullopt);
    outcome.unknown_ = true;
    return outcome;
  }

  explicit operator bool() const { return lease_.has_value(); }
  bool is_unknown() const { return unknown_; }
  const Lease& lease() const { return *lease_; }

 private:
  std::optional<Lease> lease_;
  bool unknown_ = false;
};

// What a holder finds who looks whether the lock is still its own.
enum class Held : std::uint8_t { yes, no, unknown };

enum class Released : std::uint8_t {
  ok,
  not_held,  // there was nothing of ours to release: the lock had been lost
  unknown,   // no answer
};

// What became of a write to what the lock protects, as the client knows it.
enum class Written : std::uint8_t { accepted, rejected, unknown };

// It lives as long as the threads that it spawns: they may use it.
class Lock {
 public:
  explicit Lock(LockOptions options) : options_(std::move(options)) {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  virtual ~Lock() = default;

  // One attempt.
  virtual Acquired try_acquire(Client& self, std::string_view key) = 0;
  virtual Released release(Client& self, const Lease& lease) = 0;
  // A look, out of date as soon as it is answered; for locks with `Uses::look`.
  virtual Held look(Client&, const Lease&) { return Held::unknown; }

  // A write to what is in the lock's own database, on the session that has the lock, and so in its
  // transaction if it has one; for locks with `Uses::database`.
  virtual Written write_in_database(Client&, const Lease&) { return Written::unknown; }

  // For an operator, whoever holds it: at once, or only if whoever was seen holding it still does;
  // for locks with `Uses::force`.
  virtual Released force_release(Client&, std::string_view /*key*/, bool /*conditional*/) {
    return Released::unknown;
  }

  // Tries until granted or out of patience: by default one attempt every `retry_every`.
  virtual Acquired acquire(Client& self, std::string_view key);

  const LockOptions& options() const { return options_; }
  // Of the acquires to come, for who stands in front of it and has spent some of it already.
  void set_acquire_timeout(Duration timeout) { options_.acquire_timeout = timeout; }

 private:
  LockOptions options_;
};

}  // namespace picklock::models
