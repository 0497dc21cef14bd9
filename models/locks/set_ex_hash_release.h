// A lock from a published note, as written: SET key token NX EX stores a string, but the release
// script expects a hash, so it always fails with WRONGTYPE. (docs/facts/failures.md A-27,
// docs/facts/fidelity.md R103)
#pragma once

#include "models/locks/algorithm.h"
#include "models/locks/token_lock.h"

namespace picklock::models::locks {

class SetExHashRelease final : public TokenLock {
 public:
  explicit SetExHashRelease(LockOptions options);

 private:
  Taken take(Client& self, std::string_view key, std::string_view token) override;
  Released give_back(Client& self, const Lease& lease) override;
};

const Algorithm& set_ex_hash_release();

}  // namespace picklock::models::locks
