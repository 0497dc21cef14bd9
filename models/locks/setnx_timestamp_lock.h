// The historic lock whose value is the instant at which it may be taken from its holder, by the
// clients' own wall clocks: SETNX takes a free key; one whose timestamp has passed is stolen, by
// DEL and SETNX or, as the cure, by GETSET. (redis.io, SETNX, Design pattern: locking with SETNX;
// docs/facts/failures.md B-08)
#pragma once

#include "models/algorithm.h"
#include "models/configured_lock.h"

namespace picklock::models::locks {

class SetnxTimestamp final : public ConfiguredLock {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;

 private:
  Acquired steal(Client& self, std::string_view key);
  Acquired set_if_absent(Client& self, std::string_view key);
};

const Algorithm& setnx_timestamp();

}  // namespace picklock::models::locks
