#include "models/locks/minting.h"

namespace picklock::models::locks {

const redis::Script& take_and_mint() {
  static const redis::Script script(
      "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return "
      "redis.call('incr', KEYS[2]) else return 0 end");
  return script;
}

}  // namespace picklock::models::locks
