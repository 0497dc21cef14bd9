// A user's own lock under contention: a class becomes an algorithm beside the shipped ones, and a
// scenario in which clients take turns with it. Nothing is registered globally: the scenario knows
// its lock, so two classes with the same name never conflict.
//
//   class MyLock final : public Lock {
//    public:
//     using Lock::Lock;
//     Acquired try_acquire(picklock::Client& self, std::string_view key) override;
//     Released release(picklock::Client& self, const Lease& lease) override;
//   };
//   auto scenario = scenarios::contention<MyLock>({.clients = 3, .ttl = 10s, .hold = 4s});
//
// The class may describe itself further, with static members named like those of
// models::Algorithm. Each has a default:
//
//   promises(options)  The properties that it promises, and under which faults. Default: those of
//                      a careful lock with a lease, whose release is one atomic step.
//   bound(options)     The longest wait for a lease that nobody releases. Default: the ttl and one
//                      more attempt.
//   uses()             The server and the options that it uses. Default: Redis and every option.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/algorithm.h"
#include "models/configured_lock.h"
#include "models/locks/promises.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

struct Contention {
  std::uint32_t clients = 3;
  Duration ttl = std::chrono::seconds(10);
  Duration hold = std::chrono::seconds(4);  // length of a critical section
  std::uint32_t cycles = 2;                 // how often each client acquires, works and releases
};

// A scenario whose servers give every class of fault a target. The caller may change everything
// else in it.
Scenario contention(const models::Algorithm& own, const Contention& contention);

namespace own_lock {

// "MyLock", taken from the compiler's signature of a function whose `LockType` is MyLock.
std::string type_in(std::string_view signature);

// Throws std::invalid_argument if a shipped lock has this name.
models::Algorithm algorithm(std::string_view name);

// A user's lock knows its settings alone, a shipped one all options.
template <typename LockType>
std::unique_ptr<Lock> make(const models::LockOptions& options) {
  if constexpr (std::is_constructible_v<LockType, const models::LockOptions&>) {
    return std::make_unique<LockType>(options);
  } else {
    static_assert(std::is_constructible_v<LockType, const LockSettings&>,
                  "a lock is made from its settings: say `using Lock::Lock;`");
    return std::make_unique<LockType>(models::settings_of(options));
  }
}

template <typename LockType>
std::string name() {
  return type_in(__PRETTY_FUNCTION__);
}

}  // namespace own_lock

template <typename LockType>
const models::Algorithm& own_algorithm() {
  static_assert(std::is_base_of_v<Lock, LockType>, "a lock derives from Lock");
  static const std::string name = own_lock::name<LockType>();
  static const models::Algorithm algorithm = [] {
    models::Algorithm one = own_lock::algorithm(name);
    if constexpr (requires { &LockType::promises; }) one.promises = LockType::promises;
    if constexpr (requires { &LockType::bound; }) one.bound = LockType::bound;
    if constexpr (requires { &LockType::uses; }) one.uses = LockType::uses();
    one.make = [](const models::LockOptions& options) -> std::unique_ptr<Lock> {
      return own_lock::make<LockType>(options);
    };
    return one;
  }();
  return algorithm;
}

template <typename LockType>
Scenario contention(const Contention& options = {}) {
  return contention(own_algorithm<LockType>(), options);
}

}  // namespace picklock::scenarios
