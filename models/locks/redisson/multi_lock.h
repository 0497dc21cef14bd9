// Redisson's locks on several servers, acquired one after the other in the client's order; on each
// server it is a RedissonLock of its own (docs/facts/algorithms.md 1.6, 1.7). The MultiLock needs
// all of them, the RedLock more than half. Each is renewed separately, and nothing checks again
// whether enough of them are still held. The shipped RedLock does not check whether the first have
// expired when the last are granted. With `validity`, `deadline` and `tell_loss` a holder relies on
// the servers that it needs: until when each of them is held, according to its last renewal.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "models/locks/configured_lock.h"
#include "models/locks/quorum_options.h"
#include "models/locks/redisson/lock.h"

namespace picklock::models::locks::redisson {

class MultiLock : public ConfiguredLock, public ForcedRelease {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired acquire(Client& self, std::string_view key) final;
  Acquired try_acquire(Client& self, std::string_view key) final;
  Released release(Client& self, const Lease& lease) final;
  // As the lease that a call passes, which the watchdogs do not renew.
  void set_lease(Duration ttl) final { lease_ = ttl; }
  Released force_release(Client& self, std::string_view key, bool conditional) final;

 protected:
  using Members = std::vector<std::size_t>;  // servers, in the order in which they granted

  virtual std::size_t may_fail(std::size_t /*servers*/) const { return 0; }
  virtual Duration share(Duration patience, std::size_t) const { return patience; }
  virtual Released unlock(Client& self, std::string_view key);

  Released unlock_one(Client& self, std::string_view key, std::size_t member);
  RedissonLock& member(Client& self, std::size_t server);

 private:
  // The state of a thread.
  struct Whole {
    Lease lease;
    std::uint32_t holds = 0;
    std::vector<Duration> until{};  // on each server, on the client's clock
  };

  Acquired lock_once(Client& self, std::string_view key, const Terms& terms);
  Acquired lease_of(Client& self, std::string_view key, const Members& members, const Terms& terms);
  void roll_back(Client& self, std::string_view key, const Members& members);
  void set_leases(Client& self, std::string_view key, const Members& members, Duration lease);
  void renewed(Client& self, std::uint32_t thread, std::size_t server,
               std::optional<Duration> until);
  // Until when enough of them are held.
  Duration lasts(const Whole& whole) const;

  const QuorumOptions& quorum_ = options().of<QuorumOptions>();
  Duration lease_ = explicit_lease(options());          // of the calls to come
  std::vector<std::unique_ptr<RedissonLock>> members_;  // by server, as the client orders them
  std::map<std::uint32_t, Whole> wholes_;               // by thread
};

class RedLock final : public MultiLock {
 public:
  using MultiLock::MultiLock;

 private:
  std::size_t may_fail(std::size_t servers) const override { return servers - (servers / 2 + 1); }
  Duration share(Duration patience, std::size_t servers) const override;
  Released unlock(Client& self, std::string_view key) override;
};

const Algorithm& redisson_multilock();
const Algorithm& redisson_redlock();
const Algorithm& redisson_redlock_fixed();

}  // namespace picklock::models::locks::redisson
