// Names of keys, interned once per run so that the history can carry numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/history.h"

namespace picklock::models {

class Keys {
 public:
  void reset() { used_ = 0; }

  // Linear: a run has a handful of keys that matter, and servers ask once per key.
  sim::KeyId id(std::string_view name) {
    for (std::size_t i = 0; i < used_; ++i) {
      if (names_[i] == name) return static_cast<sim::KeyId>(i);
    }
    if (used_ == names_.size()) names_.emplace_back();
    names_[used_].assign(name);
    return static_cast<sim::KeyId>(used_++);
  }

  std::vector<std::string> names() const {
    return {names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(used_)};
  }

 private:
  std::vector<std::string> names_;
  std::size_t used_ = 0;
};

}  // namespace picklock::models
