// Options that only some algorithms have, one struct for each set of them. A lock finds its own by
// their type; nobody else needs to know that they exist.
#pragma once

#include <any>
#include <utility>
#include <vector>

namespace picklock::models {

class OwnOptions {
 public:
  OwnOptions() = default;
  // From structs of options: `.own = {RedissonOptions{..}, FairOptions{..}}`.
  template <typename... Sets>
  OwnOptions(Sets... sets) : sets_{std::any(std::move(sets))...} {}  // NOLINT: a struct converts

  // The defaults if nothing has set one of them.
  template <typename Set>
  const Set& of() const {
    for (const std::any& one : sets_) {
      if (const Set* found = std::any_cast<Set>(&one)) return *found;
    }
    static const Set defaults;
    return defaults;
  }

  template <typename Set>
  Set& of() {
    for (std::any& one : sets_) {
      if (Set* found = std::any_cast<Set>(&one)) return *found;
    }
    return sets_.emplace_back().emplace<Set>();
  }

 private:
  std::vector<std::any> sets_;  // each type once
};

}  // namespace picklock::models
