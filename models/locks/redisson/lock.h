// Redisson's re-entrant lock, `RLock` (docs/facts/algorithms.md 1.2): a hash that counts how often
// its owner, a thread of a client process, holds it. Waiters subscribe to a channel. Without an
// explicit lease (`renew`) the watchdog renews it. A holder never checks the lock again: it learns
// of a loss when it releases. One object serves the threads of its process.
//
// Names are those of Redisson; tokens are not: a client's id is as long as our tokens are.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"
#include "models/locks/local_time.h"
#include "models/locks/redisson/channels.h"
#include "models/locks/redisson/commands.h"
#include "models/locks/redisson/options.h"
#include "models/locks/redisson/renewal.h"

namespace picklock::models::locks::redisson {

// The arguments of a call of tryLock or lock.
struct Terms {
  Duration patience{};  // 0: one attempt; negative: forever
  Duration lease{};     // 0: the watchdog renews it
};

// The answer of one script.
struct Attempt {
  enum class Outcome : std::uint8_t { granted, held, refused, unknown, interrupted, unsynced };
  Outcome outcome = Outcome::unknown;
  Duration left{};  // rest of the holder's lease; negative: no end
  std::int64_t fence = 0;
  Duration sent{};  // when it was sent, on the client's clock
};

// The lease that a call passes: only a lock without a watchdog has one.
inline Duration explicit_lease(const LockOptions& options) {
  return options.renew == Renew::none ? options.ttl : Duration{};
}

class RedissonLock : public ConfiguredLock, public HolderCheck, public ForcedRelease {
 public:
  // `on_renewal` replaces what `options` say about losses and deadlines.
  explicit RedissonLock(const LockOptions& options, std::size_t server = 0,
                        OnRenewal on_renewal = {});

  Acquired acquire(Client& self, std::string_view key) override;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
  // As the lease that a call passes, which the watchdog does not renew.
  void set_lease(Duration ttl) override { lease_ = ttl; }
  Held check_held(Client& self, const Lease& lease) override;
  Released force_release(Client& self, std::string_view key, bool conditional) override;

  // The name of the calling thread on the server.
  std::string owner(Client& self);
  // `timed_out`: an exception, because a script got no answer in time.
  struct Result {
    Acquired acquired;
    bool timed_out = false;
  };
  Result lock_within(Client& self, std::string_view key, const Terms& terms);

 protected:
  struct Taking {
    std::string_view key;
    const std::string& owner;
    Duration lease;
    const Terms& terms;
  };

  virtual Commands::Synced take(Client& self, const Taking& taking, redis::Late late);
  // Parses the answer of take().
  using Reader = Attempt (*)(const redis::Reply& reply);
  virtual Reader reader() const { return read; }
  // Waits until there is a reason to try again.
  virtual Result wait_and_take(Client& self, const Taking& taking, const Patience& patience,
                               Duration left);
  virtual Commands::Synced give_back(Client& self, std::string_view key, const std::string& owner,
                                     const std::string& latch);
  // Takes the lock from `holder`, or from any holder if that is empty.
  virtual redis::Reply force_open(Client& self, std::string_view key, std::string_view holder);
  // The caller gives up: removes its place on the server.
  virtual void gives_up(Client&, const Taking&) {}
  virtual void still_waits(Client&, const Taking&) {}
  virtual std::string channel(std::string_view key, const std::string& owner) const;

  Attempt attempt(Client& self, const Taking& taking);
  std::optional<Result> settled(Client& self, const Taking& taking, const Attempt& attempt);
  static Attempt read(const redis::Reply& reply);
  const Commands& commands() const { return commands_; }
  Commands& commands() { return commands_; }
  std::string latch_life() const;
  std::string wall_milliseconds(Client& self) const;

 private:
  Lease lease(const Taking& taking, std::int64_t fence, Duration sent) const;
  Attempt attempt_once(Client& self, const Taking& taking);
  Acquired granted(Client& self, const Taking& taking, const Attempt& attempt);
  Commands::Synced unlock(Client& self, std::string_view key, const std::string& owner,
                          const std::string& latch);
  void pause_before_next(Client& self, std::uint32_t copies) const;

  const RedissonOptions& redisson_ = options().of<RedissonOptions>();
  Duration lease_ = explicit_lease(options());  // of the calls to come
  std::string id_;                              // of the client process
  Commands commands_;
  std::shared_ptr<Watchdog> watchdog_;
  std::shared_ptr<Channels> channels_;
};

const Algorithm& redisson_lock();
const Algorithm& redisson_lock_fixed();

}  // namespace picklock::models::locks::redisson
