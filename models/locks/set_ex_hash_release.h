// One note's lock as it stands there: SET key token NX EX takes a string, and the script that
// releases looks for a hash. The script never gets further than WRONGTYPE.
// (docs/facts/failures.md A-27, docs/facts/fidelity.md R103)
#pragma once

#include "models/algorithm.h"
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
