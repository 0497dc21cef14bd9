#include "models/locks/zookeeper/promises.h"

#include "models/locks/promises.h"

namespace picklock::models::locks::zookeeper {
namespace {

using namespace std::chrono_literals;

// What keeps a client from its pings may end its session under it.
constexpr FaultClasses kSessionLives = {FaultClass::client_clock, FaultClass::failover,
                                        FaultClass::amnesia, FaultClass::crash};

std::vector<Promise> excluding(const LockOptions& options) {
  const bool fenced = options.mint == Mint::in_script;
  const FaultClasses at_resource = fenced ? FaultClasses::all() : kSessionLives;
  const std::string_view premise = fenced ? "" : kWithinSession;
  return {
      {Property::mutual_exclusion, kSessionLives, kWithinSession},
      {Property::resource_exclusion, at_resource, premise},
      {Property::no_stale_write, at_resource, premise},
      {Property::no_deadlock, FaultClasses::all(), kOneLock},
      {Property::available, FaultClasses::all().without({FaultClass::pause}), kFreeKey},
  };
}

// Faults that take nobody's connection.
constexpr FaultClasses kQuiet = {FaultClass::late_write, FaultClass::client_clock,
                                 FaultClass::server_clock};

// An answer that is lost may leave a znode behind that lives as long as its client does. Whoever
// looks for it in the background may look where it has not yet come.
Promise not_stuck() { return {Property::not_stuck, kQuiet, kEnsembleThere}; }

// Where the thread that keeps the session has ended, nobody is left to hear.
Promise no_lost_wakeup() {
  return {Property::no_lost_wakeup, FaultClasses::all().without({FaultClass::crash}),
          kEnsembleThere};
}

std::vector<Promise> of_queue(const LockOptions& options, FaultClasses own_release) {
  std::vector<Promise> all = excluding(options);
  all.push_back({Property::own_release, own_release, ""});
  all.push_back(not_stuck());
  all.push_back(no_lost_wakeup());
  // Whoever loses its connection or its session wakes, and so does the next in the queue.
  all.push_back({Property::bounded_wakeups, kQuiet, ""});
  all.push_back({Property::fair_order, {}, ""});
  return all;
}

}  // namespace

std::vector<Promise> on_one_znode(const LockOptions& options) {
  std::vector<Promise> all = excluding(options);
  all.push_back({Property::own_release, FaultClasses::all(), ""});
  all.push_back(not_stuck());
  if (options.retry_missing) all.push_back(no_lost_wakeup());
  return all;
}

std::vector<Promise> queued(const LockOptions& options) {
  return of_queue(options, FaultClasses::all());
}

// What an acquisition that failed has left behind bears the name of the next one too.
std::vector<Promise> queued_under_one_name(const LockOptions& options) {
  return of_queue(options, kQuiet);
}

std::vector<Promise> queued_naively(const LockOptions& options) {
  std::vector<Promise> all = queued(options);
  // A waiter that goes lets the next one in, whoever holds.
  const auto is_excluding = [&options](const Promise& promise) {
    if (promise.property == Property::mutual_exclusion) return true;
    const bool of_resource = promise.property == Property::resource_exclusion ||
                             promise.property == Property::no_stale_write;
    return of_resource && options.mint == Mint::none;
  };
  if (options.acquire_timeout > Duration::zero()) std::erase_if(all, is_excluding);
  for (Promise& promise : all) {
    if (is_excluding(promise)) promise.under = promise.under.without({FaultClass::crash});
  }
  return all;
}

Duration session_and_one_attempt(const LockOptions& options) {
  constexpr Duration kDialAgain = 1s;
  return options.ttl + options.retry_every + options.retry_jitter + 2 * kDialAgain + 100ms;
}

Duration wakes_at_once(const LockOptions& options) { return options.ttl + 5s; }

}  // namespace picklock::models::locks::zookeeper
