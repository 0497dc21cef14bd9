// Scenarios: who contends for which lock, on which servers, under which faults. A scenario is made
// here for a lock class of your own, or read from a file; it is run once, or searched for faults
// that break the lock's promises. A scenario has the same result on every machine.
//
//   auto scenario = picklock::contention<MyLock>({.clients = 3, .ttl = 10s, .hold = 4s});
//   scenario.set("clients.cycles", "3").set("lock.acquire_timeout", "5s");
//   const picklock::SearchResult found = picklock::search(scenario, {.runs = 200});
//   if (found.outcome == picklock::SearchResult::Outcome::violated) std::cout << found.text;
//
// Everything runs in the calling thread and process: a lock that crashes, or loops without calling
// its client, takes the process with it. run() and search() pass on exceptions of a lock unchanged.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "picklock/lock.h"
#include "picklock/redis.h"

namespace picklock {

// The user's input cannot be used. what() is one printable line, as the program prints it: the
// place (file, line, key), what is wrong there and, where there is one, the nearest valid word.
class BadInput : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace models {
struct LockOptions;  // internal: every key of a scenario's table [lock]
}

// A lock class of your own as a scenario knows it. Made by own_lock<MyLock>() alone.
struct OwnLock {
  std::string name;  // the class with its namespaces: `lock.algorithm` of its scenarios
  std::unique_ptr<Lock> (*make)(const models::LockOptions& options) = nullptr;
  std::vector<Promise> (*promises)(const models::LockOptions& options) = nullptr;
  Duration (*bound)(const models::LockOptions& options) = nullptr;
  std::optional<Duration> (*pause)(const models::LockOptions& options) = nullptr;
  std::uint32_t (*quorum)(std::uint32_t servers, const models::LockOptions& options) = nullptr;
  std::string_view value{};  // a word of `lock.value`; empty: the default
  bool shared = false;
  LockServer server = redis::kServer;
  // Which of these interfaces the class adds.
  bool holder_check = false;
  bool database_write = false;
  bool forced_release = false;
};

namespace detail {

LockSettings settings(const models::LockOptions& options);

// "MyLock" out of what a compiler calls a function that has MyLock for its `LockType`.
std::string type_in(std::string_view signature);

template <typename LockType>
std::string type_name() {
  return type_in(__PRETTY_FUNCTION__);
}

}  // namespace detail

// MyLock derives from Lock and is made from its settings (`using Lock::Lock;`). It may say more of
// itself by static members:
//
//   static std::vector<Promise> promises(const LockSettings& settings);
//   static Duration bound(const LockSettings& settings);
//   static Duration pause(const LockSettings& settings);
//   static std::uint32_t quorum(std::uint32_t servers);
//   static constexpr std::string_view value = "client";
//   static constexpr bool shared = true;
//   static constexpr LockServer server = redis::kServer;
//
// `promises`: which properties under which faults; by default those that are true for a careful
// lock with a lease, whatever else it does: exclusion while every critical section ends within its
// lease, unless a server has forgotten a grant, and a release that touches nothing but its own.
// `bound`: how long a waiter may wait for a lease that nobody releases; by default the ttl and one
// more attempt. `pause`: the longest pause of a waiter between two attempts; by default that of
// Lock::acquire. If the class overrides `acquire` and does not say its pause, `available` does not
// judge how soon a waiter gets a free lock. `quorum`: on how many of its servers, if they are
// independent of each other, an entry makes a grant; by default on more than half of them. `value`:
// what an owner token belongs to, in the words of the scenario's key `lock.value`; by default each
// acquisition has a token of its own. `shared`: one object serves all threads of a process; by
// default each thread has one. `server`: where its entries are; by default on Redis.
template <typename LockType>
const OwnLock& own_lock() {
  static_assert(std::is_base_of_v<Lock, LockType>, "a lock derives from picklock::Lock");
  static_assert(std::is_constructible_v<LockType, const LockSettings&>,
                "a lock is made from its settings: say `using Lock::Lock;`");
  static const OwnLock one = [] {
    OwnLock lock;
    lock.name = detail::type_name<LockType>();
    lock.make = [](const models::LockOptions& options) -> std::unique_ptr<Lock> {
      return std::make_unique<LockType>(detail::settings(options));
    };
    if constexpr (requires(const LockSettings& settings) { LockType::promises(settings); }) {
      lock.promises = [](const models::LockOptions& options) -> std::vector<Promise> {
        return LockType::promises(detail::settings(options));
      };
    }
    if constexpr (requires(const LockSettings& settings) { LockType::bound(settings); }) {
      lock.bound = [](const models::LockOptions& options) -> Duration {
        return LockType::bound(detail::settings(options));
      };
    }
    using Acquire = Acquired (Lock::*)(Client&, std::string_view);
    if constexpr (requires(const LockSettings& settings) { LockType::pause(settings); }) {
      lock.pause = [](const models::LockOptions& options) -> std::optional<Duration> {
        return LockType::pause(detail::settings(options));
      };
    } else if constexpr (!requires {
                           requires std::is_same_v<decltype(&LockType::acquire), Acquire>;
                         }) {
      lock.pause = [](const models::LockOptions&) -> std::optional<Duration> {
        return std::nullopt;
      };
    }
    if constexpr (requires { LockType::quorum(1U); }) {
      lock.quorum = [](std::uint32_t servers, const models::LockOptions&) -> std::uint32_t {
        return LockType::quorum(servers);
      };
    }
    if constexpr (requires { std::string_view(LockType::value); }) lock.value = LockType::value;
    if constexpr (requires { bool(LockType::shared); }) lock.shared = LockType::shared;
    if constexpr (requires { LockServer(LockType::server); }) lock.server = LockType::server;
    lock.holder_check = std::is_convertible_v<LockType*, HolderCheck*>;
    lock.database_write = std::is_convertible_v<LockType*, DatabaseWrite*>;
    lock.forced_release = std::is_convertible_v<LockType*, ForcedRelease*>;
    return lock;
  }();
  return one;
}

// Clients that take turns with one lock.
struct Contention {
  std::uint32_t clients = 3;
  Duration ttl = std::chrono::seconds(10);  // of a lease; more than 0
  Duration hold = std::chrono::seconds(4);  // length of a critical section
  std::uint32_t cycles = 2;                 // acquire, work, release: how often each thread does it
  std::uint32_t threads = 1;                // of each client, as `clients.threads`
  std::uint32_t connections = 1;            // of a client to one server, as `lock.connections`
  // Independent servers, on which the lock has one entry each: `servers.redis.masters`.
  std::uint32_t servers = 1;
  // The locks that a thread holds at once, as `clients.keys`; empty: one lock, `lock.key`.
  std::vector<std::string> keys{};
};

// A value: a copy is independent of the original. docs/scenario-format.md has every key.
class Scenario {
 public:
  // Each throws BadInput. `own`: a lock class that the text may name in `lock.algorithm`, beside
  // the shipped locks.
  static Scenario from_file(const std::string& path, const OwnLock* own = nullptr);
  // A shipped scenario, by a name of `picklock list scenarios`. Their folder is
  // share/picklock/scenarios beside the folder of the running program, or what
  // PICKLOCK_SCENARIO_PATH says.
  static Scenario shipped(const std::string& name, const OwnLock* own = nullptr);
  static Scenario from_text(std::string toml, const OwnLock* own = nullptr);

  // Changes one key: a dotted path and a TOML value, as `--set` takes them; text that is not TOML
  // is a string: set("lock.ttl", "5s"). Throws BadInput and changes nothing if no file could say
  // so.
  Scenario& set(std::string_view path, std::string_view value);

  // The scenario as the text of a file; keys at their defaults are left out.
  std::string text() const;
  const std::string& name() const;

  struct State;  // internal
  explicit Scenario(std::shared_ptr<const State> state);
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

Scenario contention(const OwnLock& own, const Contention& options);

// MyLock under contention, with enough servers for every class of faults that it can meet: on Redis
// a primary and a replica, or several primaries. Throws BadInput if no file could say so.
template <typename LockType>
Scenario contention(const Contention& options = {}) {
  return contention(own_lock<LockType>(), options);
}

struct Verdict {
  enum class Outcome : std::uint8_t { holds, violated, unknown };
  Property property{};
  Outcome outcome = Outcome::holds;
  bool promised = false;  // by the lock, under the faults of the scenario, its premise kept
};

struct RunResult {
  std::array<Verdict, kPropertyCount> verdicts;  // in the order of Property
  // Every way in which the run or a twin of it is not as the scenario's table [expect] says, one
  // sentence each. A property that is not listed there must hold; every fault must have fired.
  std::vector<std::string> surprises;
  std::uint32_t grants = 0;  // how often the lock was granted
  Duration length{};         // in virtual time
  std::uint64_t digest = 0;  // of every event of the run
  std::string text;          // the timeline, and what became of every property, fault and twin

  bool as_expected() const { return surprises.empty(); }
  bool violated(Property property) const {
    return verdicts[static_cast<std::size_t>(property)].outcome == Verdict::Outcome::violated;
  }
};

// One run, and one of each twin, with the scenario's own faults and seed. Throws BadInput if the
// run is too long to be judged.
RunResult run(const Scenario& scenario);

struct Faults {
  FaultClasses classes = FaultClasses::all();  // those of them that can act; none: no faults
  std::uint32_t most = 3;                      // in one run
  bool none = false;                           // draws runs without any fault as well
};

struct SearchSettings {
  std::uint64_t runs = 10'000;
  std::uint64_t seed = 1;
  Faults faults{};
  // Violations of these end the search, promised or not; empty: of what the lock promises under the
  // faults that struck.
  std::vector<Property> properties{};
  // Violations that are known, as `explore --except` takes them: "own-release:pause@release.sent".
  std::vector<std::string> except{};
  // A shipped lock to compare with, of `picklock list algorithms`: a plan that breaks it too shows
  // a limit of the kind of lock, and does not end the search. "best": the best one of its kind,
  // with the same quorum, which renews its leases if the lock does. "none": nothing is compared.
  // Empty: "best" for a lock of your own that says no promises, if `properties` is empty too; else
  // "none".
  std::string against{};
};

struct SearchResult {
  enum class Outcome : std::uint8_t {
    clean,
    violated,
    vacuous,  // nothing was tried: the lock never granted, or no fault struck
    skipped,  // the file that PICKLOCK_REPLAY names is about another lock
  };
  Outcome outcome = Outcome::clean;
  bool replayed = false;
  std::string text;    // for a reader: the story of the shortest run that violates
  std::string file{};  // the counterexample, a scenario; empty: none, or it could not be written
};

// Run after run under faults that are drawn for it, until one violates; that one is then shrunk.
// Run i depends on (seed, i) alone. The scenario's own faults are left out.
//
// The counterexample is kept in the folder that PICKLOCK_OUT names, else in picklock-out. If
// PICKLOCK_REPLAY names such a file, the search of its lock runs that file alone.
// Throws BadInput where the scenario, the faults or the file to be replayed make no sense.
SearchResult search(const Scenario& scenario, const SearchSettings& settings = {});

// Draws scenarios with faults as a search does, and simplifies them as it does; picklock/test.h
// makes a RapidCheck generator of it.
class FaultDraws {
 public:
  FaultDraws(const Scenario& base, const Faults& faults);
  // Depends on `seed` alone. Classes that cannot act in the scenario are left out.
  Scenario draw(std::uint64_t seed) const;

 private:
  struct Plans;
  std::shared_ptr<Plans> plans_;
};

// Every scenario that is one step simpler: a fault, a client or a condition less, a rounder time.
class Simpler {
 public:
  explicit Simpler(const Scenario& scenario);
  std::optional<Scenario> next();

 private:
  struct Steps;
  std::shared_ptr<Steps> steps_;
};

}  // namespace picklock
