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

// A version of a lock's library, with its default options.
struct VersionWords {
  std::string name;
  models::LockOptions preset;
};

struct AlgorithmWords {
  std::string name;
  std::vector<Role> roles;  // of its own commands; `write` is the client's and not listed
  std::vector<std::string> marks;
  models::Uses uses;
  keys::Keys<models::LockOptions> keys;  // of [lock] that it has, beside `algorithm` and `key`
  models::LockOptions preset{};          // its default options
  std::vector<VersionWords> versions{};  // that can be chosen
  // A user's own lock: its marks are not known, so none is refused.
  const models::Algorithm* own = nullptr;

  // Its default options in this version; empty, or not a version of it: the newest.
  const models::LockOptions& preset_of(std::string_view version) const {
    for (const VersionWords& one : versions) {
      if (one.name == version) return one.preset;
    }
    return preset;
  }
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
