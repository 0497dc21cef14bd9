// The locks that take a key with `SET key token NX PX ttl` and differ in how they give it back: the
// seed's two broken ways, and the atomic one. (redis.io, Distributed Locks with Redis;
// docs/facts/algorithms.md 2.1)
#pragma once

#include <string>

#include "models/algorithm.h"

namespace picklock::models::locks {

class SetPxLock : public Lock {
 public:
  using Lock::Lock;

  Acquired acquire(Client& self, std::string_view key) final;
  Acquired try_acquire(Client& self, std::string_view key) final;

 private:
  std::string token_;  // of the present acquisition, or of the client for life
};

// DEL, whoever holds the key by now.
class SetPxBlindDelete final : public SetPxLock {
 public:
  using SetPxLock::SetPxLock;
  Released release(Client& self, const Lease& lease) override;
};

// GET, compare in the client, DEL: two round trips with a gap between them.
class SetPxCheckDelete final : public SetPxLock {
 public:
  using SetPxLock::SetPxLock;
  Released release(Client& self, const Lease& lease) override;
};

// Compare and delete in one script on the server.
class LuaCheckDelete final : public SetPxLock {
 public:
  using SetPxLock::SetPxLock;
  Released release(Client& self, const Lease& lease) override;
};

const Algorithm& set_px_blind_delete();
const Algorithm& set_px_check_delete();
const Algorithm& lua_check_delete();

}  // namespace picklock::models::locks
