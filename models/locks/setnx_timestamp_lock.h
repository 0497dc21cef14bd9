// The historic lock whose value is its expiry, on the clients' own wall clocks. SETNX acquires a
// free key; an expired one is stolen, by DEL and SETNX or, in the corrected version, by GETSET.
// (redis.io, SETNX, Design pattern: locking with SETNX; docs/facts/failures.md B-08)
#pragma once

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"

namespace picklock::models::locks {

// How a key whose timestamp has passed is taken from its holder: by DEL and SETNX, or by GETSET and
// a check of the value that it replaced (docs/facts/failures.md B-08).
enum class Steal : std::uint8_t { del, getset };

struct SetnxTimestampOptions {
  Steal steal = Steal::del;
};

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
