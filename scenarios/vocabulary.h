// The words of a scenario file that other layers define: algorithms, their step roles and their
// marks. The caller passes them in, so that the loader can check every name without knowing any
// lock.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keys/key.h"
#include "models/locks/algorithm.h"
#include "picklock/client.h"

namespace picklock::scenarios {

struct AlgorithmWords {
  std::string name;
  std::vector<Role> roles;  // of its own commands; `write` is the client's and not listed
  std::vector<std::string> marks;
  models::Uses uses;
  keys::Keys<models::LockOptions> keys;  // of [lock] that it has, beside `algorithm` and `key`
  models::LockOptions preset{};          // its default options
  // A user's own lock: its marks are not known, so none is refused.
  const models::Algorithm* own = nullptr;
};

struct Vocabulary {
  std::vector<AlgorithmWords> algorithms;

  const AlgorithmWords* find(std::string_view name) const {
    for (const AlgorithmWords& algorithm : algorithms) {
      if (algorithm.name == name) return &algorithm;
    }
    return nullptr;
  }
};

}  // namespace picklock::scenarios
