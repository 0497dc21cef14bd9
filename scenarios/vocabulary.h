// The words that other layers own and a scenario file uses: algorithms, their step roles and their
// marks. The caller hands them in, so that the loader checks every name without knowing any lock.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/algorithm.h"
#include "picklock/client.h"

namespace picklock::scenarios {

struct AlgorithmWords {
  std::string name;
  std::vector<Role> roles;  // of its own commands; `write` is the client's and not listed
  std::vector<std::string> marks;
  models::Uses uses;           // which options it has a use for
  models::LockOptions preset;  // as it comes
  // Of the keys of [lock] that most locks look at, those that it does not.
  std::vector<std::string_view> ignores{};
  // A user's own lock: which marks it passes and which options it looks at, it alone knows.
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
