// Redisson's locks on several servers, each of them a RedissonLock of its own, taken one after the
// other in the client's order (docs/facts/algorithms.md 1.6, 1.7): the MultiLock, which needs all
// of them, and the RedLock, which needs more than half. Each is renewed by itself; nobody looks
// again whether enough of them are still held, and a RedLock as shipped does not look whether the
// first have lapsed when the last are granted.
#pragma once

#include <memory>
#include <vector>

#include "models/locks/redisson/lock.h"

namespace picklock::models::locks::redisson {

class MultiLock : public Lock {
 public:
  using Lock::Lock;

  Acquired acquire(Client& self, std::string_view key) final;
  Acquired try_acquire(Client& self, std::string_view key) final;
  Released release(Client& self, const Lease& lease) final;
  Released force_release(Client& self, std::string_view key, bool conditional) final;

 protected:
  using Members = std::vector<std::size_t>;  // servers, in the order in which they granted

  virtual std::size_t may_fail(std::size_t) const { return 0; }
  virtual Duration share(Duration patience, std::size_t) const { return patience; }
  virtual Released unlock(Client& self, std::string_view key, const Members& members);

  void unlock_all(Client& self, std::string_view key, const Members& members);
  Released unlock_one(Client& self, std::string_view key, std::size_t member);
  RedissonLock& member(Client& self, std::size_t server);

 private:
  Acquired lock_once(Client& self, std::string_view key, const Terms& terms);
  Acquired lease_of(Client& self, std::string_view key, const Members& members, const Terms& terms,
                    Duration started);
  void set_leases(Client& self, std::string_view key, const Members& members, Duration lease);

  std::vector<std::unique_ptr<RedissonLock>> members_;  // by server, as the client orders them
  struct Held {
    std::uint32_t thread = 0;
    Lease lease;  // of the member
    std::size_t server = 0;
  };
  std::vector<Held> held_;
};

class RedLock final : public MultiLock {
 public:
  using MultiLock::MultiLock;

 private:
  std::size_t may_fail(std::size_t servers) const override { return servers - (servers / 2 + 1); }
  Duration share(Duration patience, std::size_t servers) const override;
  Released unlock(Client& self, std::string_view key, const Members& members) override;
};

const Algorithm& redisson_multilock();
const Algorithm& redisson_redlock();
const Algorithm& redisson_redlock_fixed();

}  // namespace picklock::models::locks::redisson
