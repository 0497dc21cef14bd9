// A distributed lock: two verbs, written as its paper or post describes it, in blocking style.
// The vocabulary of a lock's promises is here too.
//
//   class CarefulLock final : public picklock::Lock {
//    public:
//     using Lock::Lock;
//     Acquired try_acquire(Client& self, std::string_view key) override;
//     Released release(Client& self, const Lease& lease) override;
//   };
//
// An outcome that the client cannot know is a value (`unknown`), never an exception. An exception
// of a lock ends the run: the search reports it as a crash of the lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "picklock/client.h"

namespace picklock {

// The result of a successful acquire: the right to a key until an instant that the server counts.
struct Lease {
  std::string key;
  std::string token{};     // proves to the server who holds the key
  Duration ttl{};          // 0: the lock has no lease
  std::int64_t fence = 0;  // fencing token; 0: none was minted with the grant
  Duration deadline{};     // by the client's clock: when its holder stops; 0: never by itself
};

// Granted with a lease, refused, or unknown: the server may have granted the request although no
// answer came.
class Acquired {
 public:
  Acquired(Lease lease) : lease_(std::move(lease)) {}  // NOLINT: a lease converts to a grant
  Acquired(std::nullopt_t) {}                          // NOLINT: and no lease to a refusal
  static Acquired unknown() {
    Acquired outcome(std::nullopt);
    outcome.unknown_ = true;
    return outcome;
  }

  explicit operator bool() const { return lease_.has_value(); }
  bool is_unknown() const { return unknown_; }
  const Lease& lease() const { return *lease_; }  // Requires: granted.

 private:
  std::optional<Lease> lease_;
  bool unknown_ = false;
};

// The answer to a holder that asks whether the lock is still its own.
enum class Held : std::uint8_t { yes, no, unknown };

enum class Released : std::uint8_t {
  ok,
  not_held,  // there was nothing of ours to release: the lock had been lost
  unknown,   // no answer
};

// The outcome of a write to the protected data, as the client knows it.
enum class Written : std::uint8_t { accepted, rejected, unknown };

// The clock by which a client counts deadlines and the time that it has waited.
enum class ClientClock : std::uint8_t { monotonic, wall };

// The settings of a lock: the keys of the same names in a scenario's table [lock].
struct LockSettings {
  Duration ttl = std::chrono::seconds(10);                // length of a lease; 0: none
  Duration retry_every = std::chrono::milliseconds(100);  // pause after a refusal
  Duration retry_jitter{};     // adds up to this much to every pause, drawn at random
  Duration acquire_timeout{};  // 0: tries for ever
  std::uint32_t attempts = 0;  // of one acquire, at most; 0: no such limit
  ClientClock clock = ClientClock::monotonic;
};

// A scenario makes one object for each thread that requests the lock. It lives as long as the
// threads that it spawns: they may use it.
class Lock {
 public:
  explicit Lock(const LockSettings& settings) : settings_(settings) {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  virtual ~Lock() = default;

  // One attempt.
  virtual Acquired try_acquire(Client& self, std::string_view key) = 0;
  virtual Released release(Client& self, const Lease& lease) = 0;

  // Tries until granted, interrupted, or out of time or attempts: by default one attempt every
  // `retry_every`. A lock whose waiters await a message overrides it.
  virtual Acquired acquire(Client& self, std::string_view key);

  // Sets the lease of the calling thread's next acquires, in place of LockSettings::ttl.
  virtual void set_lease(Duration ttl) { settings_.ttl = ttl; }
  // The holder forgets the lease without a release, as when an exception skips it. The lock returns
  // what it keeps for the holder, such as a connection of a pool, and sends nothing.
  virtual void abandon(Client& /*self*/, const Lease& /*lease*/) {}

  const LockSettings& settings() const { return settings_; }

 protected:
  // Sets the timeout of later acquires.
  void set_acquire_timeout(Duration timeout) { settings_.acquire_timeout = timeout; }

 private:
  LockSettings settings_;
};

// Abilities of some locks beside the two verbs. A lock derives from the interface as well; the
// harness finds it when the lock is made, and refuses a scenario that needs one that is missing.
//
//   class CheckedLock final : public RedisLock, public picklock::HolderCheck {
//    public:
//     using RedisLock::RedisLock;
//     Held check_held(Client& self, const Lease& lease) override;
//   };

// A lock whose holder can ask whether the lease still holds.
class HolderCheck {
 public:
  // The answer may be outdated as soon as it arrives. Called where the scenario says
  // `clients.check_before_write = true`.
  virtual Held check_held(Client& self, const Lease& lease) = 0;

 protected:
  ~HolderCheck() = default;
};

// A lock whose holder can write to data in the lock's own database.
class DatabaseWrite {
 public:
  // Writes on the session that has the lock, and so in its transaction if it has one. Called where
  // the scenario says `clients.effect = "database"`.
  virtual Written write_in_database(Client& self, const Lease& lease) = 0;

 protected:
  ~DatabaseWrite() = default;
};

// A lock that an operator can take from its holder.
class ForcedRelease {
 public:
  // `conditional`: only if the holder is still the one that the operator saw. Called where the
  // scenario has `clients.operators`.
  virtual Released force_release(Client& self, std::string_view key, bool conditional) = 0;

 protected:
  ~ForcedRelease() = default;
};

// The properties by name; docs/architecture.md says what each means. Every lock declares which of
// them it promises.
enum class Property : std::uint8_t {
  mutual_exclusion,
  resource_exclusion,
  no_stale_write,
  no_lost_update,
  no_holder_refused,
  own_release,
  balanced_holds,
  loss_noticed,
  not_stuck,
  no_deadlock,
  no_lost_wakeup,
  bounded_wakeups,
  fair_order,
  available,
  progress,
};

inline constexpr std::size_t kPropertyCount = 15;

inline constexpr std::array<std::string_view, kPropertyCount> kPropertyNames = {
    "mutual-exclusion",  "resource-exclusion", "no-stale-write", "no-lost-update",
    "no-holder-refused", "own-release",        "balanced-holds", "loss-noticed",
    "not-stuck",         "no-deadlock",        "no-lost-wakeup", "bounded-wakeups",
    "fair-order",        "available",          "progress"};
static_assert(kPropertyCount == static_cast<std::size_t>(Property::progress) + 1 &&
              !kPropertyNames.back().empty());

constexpr std::string_view name(Property property) {
  return kPropertyNames[static_cast<std::size_t>(property)];
}

constexpr std::optional<Property> property_named(std::string_view word) {
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    if (kPropertyNames[i] == word) return static_cast<Property>(i);
  }
  return std::nullopt;
}

// Classes of faults: the columns of the safety table (docs/facts/failures.md section 5). A lock
// promises a property under some of them; a search draws from those it is given.
enum class FaultClass : std::uint8_t {
  pause,         // F1: the client is paused beyond its lease
  late_write,    // F2a: a write to the resource is late
  late_command,  // F2b: a lock request or its answer is late
  client_clock,  // F3
  server_clock,  // F4
  failover,      // F5
  amnesia,       // F6: a server restarts without its data
  partition,     // F7
  lost_reply,    // F8
  crash,         // F9, and thread death
};

inline constexpr std::size_t kFaultClassCount = 10;
inline constexpr std::array<std::string_view, kFaultClassCount> kFaultClassNames = {
    "pause",    "late-write", "late-command", "client-clock", "server-clock",
    "failover", "amnesia",    "partition",    "lost-reply",   "crash"};
static_assert(kFaultClassCount == static_cast<std::size_t>(FaultClass::crash) + 1 &&
              !kFaultClassNames.back().empty());

constexpr std::string_view name(FaultClass one) {
  return kFaultClassNames[static_cast<std::size_t>(one)];
}

// A set of classes. The empty set is the undisturbed run, class `none`.
class FaultClasses {
 public:
  constexpr FaultClasses() = default;
  constexpr FaultClasses(std::initializer_list<FaultClass> some) {
    for (FaultClass one : some) bits_ |= bit(one);
  }
  static constexpr FaultClasses all() {
    FaultClasses every;
    every.bits_ = (1u << kFaultClassCount) - 1;
    return every;
  }
  constexpr FaultClasses without(std::initializer_list<FaultClass> some) const {
    FaultClasses rest = *this;
    for (FaultClass one : some) rest.bits_ &= ~bit(one);
    return rest;
  }
  constexpr void add(FaultClass one) { bits_ |= bit(one); }
  constexpr void add(FaultClasses others) { bits_ |= others.bits_; }
  constexpr bool has(FaultClass one) const { return (bits_ & bit(one)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool covers(FaultClasses others) const { return (others.bits_ & ~bits_) == 0; }

 private:
  static constexpr unsigned bit(FaultClass one) { return 1u << static_cast<unsigned>(one); }
  static_assert(kFaultClassCount < std::numeric_limits<unsigned>::digits);
  unsigned bits_ = 0;
};

// The property holds as long as only faults of these classes happen, within the premise.
struct Promise {
  Property property{};
  FaultClasses under;
  std::string_view premise;  // as `picklock list premises` says; empty: unconditionally
};

}  // namespace picklock
