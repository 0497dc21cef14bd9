#include "models/locks/zookeeper/promises.h"

#include "models/locks/promises.h"
#include "models/locks/zookeeper/curator_mutex.h"
#include "models/locks/zookeeper/ephemeral_lock.h"
#include "models/locks/zookeeper/sequential_lock.h"

namespace picklock::models::locks::zookeeper {
namespace {

using namespace std::chrono_literals;

// A fault that keeps a client from its pings may end its session while it holds the lock.
constexpr FaultClasses kSessionLives = {FaultClass::client_clock, FaultClass::failover,
                                        FaultClass::amnesia, FaultClass::crash};

std::vector<Promise> excluding(const LockOptions& options) {
  // Numbers end after 2^31 znodes, and then two holders may have the same.
  const bool fenced =
      options.mint == Mint::in_script && options.of<QueueOptions>().fence_by != FenceBy::sequence;
  const FaultClasses at_resource = fenced ? FaultClasses::all() : kSessionLives;
  const std::string_view premise = fenced ? "" : kWithinSession;
  return {
      {Property::mutual_exclusion, kSessionLives, kWithinSession},
      {Property::resource_exclusion, at_resource, premise},
      {Property::no_stale_write, at_resource, premise},
      {Property::no_deadlock, FaultClasses::all(), kOneLock},
      {Property::available,
       while_patient(options, FaultClasses::all().without({FaultClass::pause})), kFreeKey},
  };
}

void without_exclusion(std::vector<Promise>& all) {
  std::erase_if(all, [](const Promise& promise) {
    return promise.property == Property::mutual_exclusion ||
           promise.property == Property::resource_exclusion ||
           promise.property == Property::no_stale_write;
  });
}

// Faults that break no connection, unless they end its session too.
constexpr FaultClasses kConnected = {FaultClass::late_write, FaultClass::client_clock,
                                     FaultClass::server_clock};

// A write whose answer can be lost was committed: the leader tells every server so before it lets
// the session in there. So a client that looks for its znode sees it.
constexpr FaultClasses kCommitted = {FaultClass::late_write, FaultClass::client_clock,
                                     FaultClass::server_clock, FaultClass::lost_reply};

// No session ends under these while its client lives: the connection that replaces a broken one
// comes long before. A client's slow clock and a server's fast one together would end it.
constexpr FaultClasses kSessionsLast = {FaultClass::late_write, FaultClass::client_clock,
                                        FaultClass::lost_reply};

// For locks that request their delete once, or a few times: if no answer comes, the znode may stay
// as long as its client lives (docs/facts/failures.md C-14).
Promise not_stuck() { return {Property::not_stuck, kConnected, kEnsembleThere}; }

// For locks that look for the znode of a lost answer, and repeat the delete until it succeeds. The
// look does not see a create that is still under way, behind a partition or a pause, or that only a
// leader without followers has in its log. The create is then repeated, and one of the two znodes
// stays (scenarios/zookeeper/zk-lost-create-not-yet-seen.toml).
Promise not_stuck_if_seen() { return {Property::not_stuck, kCommitted, kEnsembleThere}; }

// Clients that do not sort by the numbers may all find themselves first. Threads that look for the
// znode of their session find each other's.
bool excludes(const LockOptions& options) {
  return options.of<QueueOptions>().order_by != OrderBy::name &&
         (options.of<SequentialOptions>().named_by != NamedBy::session ||
          options.recognise_own != RecogniseOwn::always);
}

// A paused client is not notified. And the thread that ends may be the one that keeps the session
// of its process: then no thread is left to notify.
Promise no_lost_wakeup() {
  return {Property::no_lost_wakeup,
          FaultClasses::all().without({FaultClass::pause, FaultClass::crash}), kEnsembleThere};
}

// A waiter whose session ends has lost its place. It may keep its watch, or set it again in the
// next session, beside the client that has taken that place: then one release wakes two. A failover
// may end a session too: the pings that a follower has received are lost with it.
std::vector<Promise> of_queue(const LockOptions& options, FaultClasses own_release,
                              const Promise& not_stuck) {
  std::vector<Promise> all = excluding(options);
  if (!excludes(options)) {
    without_exclusion(all);
    all.push_back(not_stuck);
    all.push_back(progress());
    return all;
  }
  all.push_back({Property::own_release, own_release, ""});
  all.push_back(not_stuck);
  all.push_back(progress());
  all.push_back(no_lost_wakeup());
  all.push_back({Property::bounded_wakeups, kSessionsLast, ""});
  all.push_back({Property::fair_order, kSessionsLast, ""});
  return all;
}

}  // namespace

// A delete whose answer was lost is sent once more, and removes the znode of the next holder: all
// have the same name.
std::vector<Promise> on_one_znode(const LockOptions& options) {
  std::vector<Promise> all = excluding(options);
  // A client takes the lock for its own if it finds the data of its machine or session.
  if (options.of<EphemeralOptions>().owner_data != OwnerData::token) {
    without_exclusion(all);
  } else {
    all.push_back(
        {Property::own_release, options.resend > 0 ? kConnected : FaultClasses::all(), kOneLock});
  }
  all.push_back(not_stuck());
  all.push_back(progress());
  if (options.of<EphemeralOptions>().retry_missing) all.push_back(no_lost_wakeup());
  return all;
}

std::vector<Promise> queued(const LockOptions& options) {
  return of_queue(options, FaultClasses::all(), not_stuck());
}

std::vector<Promise> queued_and_deleted(const LockOptions& options) {
  return of_queue(
      options, FaultClasses::all(),
      options.of<CuratorOptions>().guaranteed_delete ? not_stuck_if_seen() : not_stuck());
}

// A znode that an acquisition has left behind has the same name as the next one's, which takes it
// for its own. A client that gives up requests its delete once.
std::vector<Promise> queued_under_one_name(const LockOptions& options) {
  const bool gives_up = options.acquire_timeout > Duration::zero();
  return of_queue(options, gives_up ? kConnected : kCommitted,
                  gives_up ? not_stuck() : not_stuck_if_seen());
}

std::vector<Promise> queued_naively(const LockOptions& options) {
  std::vector<Promise> all = queued(options);
  // A waiter that leaves lets the next one in although the lock is held.
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
