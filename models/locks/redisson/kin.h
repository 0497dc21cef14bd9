// Redisson's other locks on one server: the re-entrant lock with another way to wait, with a
// fencing token, or with a queue (docs/facts/algorithms.md 1.8-1.10).
#pragma once

#include "models/locks/redisson/lock.h"
#include "picklock/redis.h"

namespace picklock::models::locks::redisson {

// Sleeps between its attempts, 1 ms doubled up to 128 ms, and subscribes to no channel.
class SpinLock final : public RedissonLock {
 public:
  using RedissonLock::RedissonLock;

 private:
  Result wait_and_take(Client& self, const Taking& taking, const Patience& patience,
                       Duration left) override;
  Commands::Synced give_back(Client& self, std::string_view key, const std::string& owner,
                             const std::string& latch) override;
};

// Every acquire, also a nested one, mints a token that is larger than all before it, as long as the
// server remembers the last one.
class FencedLock final : public RedissonLock {
 public:
  using RedissonLock::RedissonLock;

 private:
  Commands::Synced take(Client& self, const Taking& taking, redis::Late late) override;
  Reader reader() const override;
};

struct FairOptions {
  Duration place_expires = std::chrono::minutes(5);  // of a waiter in the fair lock's queue
  bool refresh_place = false;                        // while it waits there
};

// First come, first served: waiters queue in a list. Each has its own channel, and a time at which
// its place expires, on the wall clock of the client that set it.
class FairLock final : public RedissonLock {
 public:
  using RedissonLock::RedissonLock;

 private:
  Commands::Synced take(Client& self, const Taking& taking, redis::Late late) override;
  Commands::Synced give_back(Client& self, std::string_view key, const std::string& owner,
                             const std::string& latch) override;
  redis::Reply force_open(Client& self, std::string_view key, std::string_view holder) override;
  void still_waits(Client& self, const Taking& taking) override;
  void gives_up(Client& self, const Taking& taking) override;
  std::string channel(std::string_view key, const std::string& owner) const override;
  Duration place_life(const Terms& terms) const;

  const FairOptions& fair_ = options().of<FairOptions>();
};

const Algorithm& redisson_spin_lock();
const Algorithm& redisson_fenced_lock();
const Algorithm& redisson_fair_lock();
const Algorithm& redisson_fair_lock_fixed();

}  // namespace picklock::models::locks::redisson
