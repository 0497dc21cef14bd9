#include "models/locks/catalogue.h"

#include <array>

#include "models/locks/lease_store_lock.h"
#include "models/locks/set_ex_hash_release.h"
#include "models/locks/set_px_lock.h"
#include "models/locks/setnx_lock.h"
#include "models/locks/setnx_timestamp_lock.h"

namespace picklock::models::locks {

std::span<const Algorithm* const> all() {
  static const std::array kAll = {
      &naive_setnx(),         &setnx_expire(),        &setnx_timestamp(),  &set_ex_hash_release(),
      &set_px_blind_delete(), &set_px_check_delete(), &lua_check_delete(), &lease_store_lock()};
  return kAll;
}

const Algorithm* named(std::string_view name) {
  for (const Algorithm* algorithm : all()) {
    if (algorithm->name == name) return algorithm;
  }
  return nullptr;
}

}  // namespace picklock::models::locks
