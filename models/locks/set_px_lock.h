// The locks that acquire a key with `SET key token NX PX ttl` and differ in how they release it:
// the seed's two broken ways, and the atomic one. (redis.io, Distributed Locks with Redis;
// docs/facts/algorithms.md 2.1)
#pragma once

#include "models/locks/algorithm.h"
#include "models/locks/token_lock.h"

namespace picklock::models::locks {

class SetPxLock : public TokenLock, public ForcedRelease {
 public:
  using TokenLock::TokenLock;

  Released force_release(Client& self, std::string_view key, bool conditional) final;

 protected:
  Taken take(Client& self, std::string_view key, std::string_view token) final;
  Taken adopt(Client& self, std::string_view key, std::string_view token) final;
};

// DEL, even if another client holds the key by now.
class SetPxBlindDelete final : public SetPxLock {
 public:
  using SetPxLock::SetPxLock;

 private:
  Released give_back(Client& self, const Lease& lease) override;
};

// GET, compare in the client, DEL: two round trips with a gap between them.
class SetPxCheckDelete final : public SetPxLock {
 public:
  using SetPxLock::SetPxLock;

 private:
  Released give_back(Client& self, const Lease& lease) override;
};

// Compares and deletes in one script on the server.
class LuaCheckDelete final : public SetPxLock {
 public:
  using SetPxLock::SetPxLock;

 private:
  Released give_back(Client& self, const Lease& lease) override;
};

const Algorithm& set_px_blind_delete();
const Algorithm& set_px_check_delete();
const Algorithm& lua_check_delete();
// The same, renewed every third of its lease.
const Algorithm& watchdog();

}  // namespace picklock::models::locks
