// Names of keys, interned once per run so that the history can carry numbers.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"
#include "sim/text_hash.h"

namespace picklock::models {

// A key, with its number in the history.
struct NamedKey {
  history::KeyId id = 0;
  std::string_view name;
};

class Keys {
 public:
  void reset() {
    by_name_.clear();
    used_ = 0;
  }

  history::KeyId id(std::string_view name) {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second;
    if (used_ == names_.size()) names_.emplace_back();
    names_[used_].assign(name);
    const auto id = static_cast<history::KeyId>(used_++);
    by_name_.emplace(std::string_view(names_[id]), id);
    return id;
  }

  std::string_view name(history::KeyId id) const { return names_[id]; }
  std::vector<std::string> names() const {
    return {names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(used_)};
  }

 private:
  std::deque<std::string> names_;  // keeps its elements in place: the index holds views of them
  boost::unordered_flat_map<std::string_view, history::KeyId, sim::TextHash> by_name_;
  std::size_t used_ = 0;
};

}  // namespace picklock::models
