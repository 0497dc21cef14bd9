#include "models/locks/catalogue.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "models/locks/lease_store_lock.h"
#include "models/locks/local_mutex.h"
#include "models/locks/mysql/get_lock.h"
#include "models/locks/mysql/insert_lock.h"
#include "models/locks/mysql/row_locks.h"
#include "models/locks/mysql/shedlock.h"
#include "models/locks/quorum_lock.h"
#include "models/locks/redis_py_lock.h"
#include "models/locks/redisson/kin.h"
#include "models/locks/redisson/lock.h"
#include "models/locks/redisson/multi_lock.h"
#include "models/locks/set_ex_hash_release.h"
#include "models/locks/set_px_lock.h"
#include "models/locks/setnx_lock.h"
#include "models/locks/setnx_timestamp_lock.h"
#include "models/locks/zookeeper/curator_mutex.h"
#include "models/locks/zookeeper/ephemeral_lock.h"
#include "models/locks/zookeeper/kazoo_lock.h"
#include "models/locks/zookeeper/sequential_lock.h"

namespace picklock::models::locks {

namespace {

std::vector<const Algorithm*>& listed() {
  static std::vector<const Algorithm*> algorithms = {
      &naive_setnx(),
      &setnx_expire(),
      &setnx_timestamp(),
      &set_ex_hash_release(),
      &set_px_blind_delete(),
      &set_px_check_delete(),
      &lua_check_delete(),
      &watchdog(),
      &redis_py_lock(),
      &redisson::redisson_lock(),
      &redisson::redisson_lock_fixed(),
      &redisson::redisson_spin_lock(),
      &redisson::redisson_fenced_lock(),
      &redisson::redisson_fair_lock(),
      &redisson::redisson_fair_lock_fixed(),
      &redisson::redisson_multilock(),
      &redisson::redisson_redlock(),
      &redisson::redisson_redlock_fixed(),
      &redlock(),
      &node_redlock_v4(),
      &node_redlock_v5(),
      &redsync(),
      &lease_store_lock(),
      &zookeeper::zk_ephemeral(),
      &zookeeper::zk_sequential(),
      &zookeeper::zk_sequential_naive(),
      &zookeeper::curator_mutex(),
      &zookeeper::kazoo_lock(),
      &mysql::mysql_row_lock(),
      &mysql::mysql_select_insert(),
      &mysql::mysql_probe_insert(),
      &mysql::mysql_get_lock(),
      &mysql::mysql_insert_lock(),
      &mysql::shedlock(),
  };
  return algorithms;
}

}  // namespace

std::span<const Algorithm* const> all() { return listed(); }

void add(const Algorithm& algorithm) {
  if (named(algorithm.name) != nullptr)
    throw std::invalid_argument(std::string(algorithm.name) + " is a lock already");
  listed().push_back(&algorithm);
}

const Algorithm* named(std::string_view name) {
  for (const Algorithm* algorithm : all()) {
    if (algorithm->name == name) return algorithm;
  }
  return nullptr;
}

std::unique_ptr<Lock> make_lock(const Algorithm& algorithm, const LockOptions& options) {
  std::unique_ptr<Lock> lock = algorithm.make(options);
  if (options.local_mutex == LocalMutex::none) return lock;
  return std::make_unique<LocalMutexInFront>(options, std::move(lock));
}

}  // namespace picklock::models::locks
