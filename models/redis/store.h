// The keyspace of one Redis server. A key with deadline D lives while the server's wall clock, in
// whole milliseconds, shows D or less, and is dead from D + 1 on (R13); setting a deadline that is
// not in the future deletes at once (R14). A dead key is forgotten when something touches it, and
// looks absent until then (R16).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "sim/history.h"

namespace picklock::models::redis {

inline constexpr std::int64_t kNoDeadline = INT64_MAX;

struct Entry {
  std::string key;
  std::string value;
  std::int64_t deadline_ms = kNoDeadline;
  bool present = false;
  bool mourned = false;  // its death by expiry is in the history already
  sim::TenureId owner = 0;
  sim::KeyId id = 0;
  std::uint32_t slot = 0;

  bool alive(std::int64_t now_ms) const { return present && now_ms <= deadline_ms; }
};

class Store {
 public:
  void clear() {
    index_.clear();
    used_ = 0;
  }

  // The slot of a key, present or not; slots are kept for the run, so that a lock taken and
  // released over and over allocates nothing.
  Entry& slot(std::string_view key) {
    const auto found = index_.find(key);
    if (found != index_.end()) return entries_[found->second];
    const auto at = static_cast<std::uint32_t>(used_++);
    if (at == entries_.size()) entries_.emplace_back();
    Entry& entry = entries_[at];
    entry.key.assign(key);
    entry.present = entry.mourned = false;
    entry.deadline_ms = kNoDeadline;
    entry.owner = 0;
    entry.slot = at;
    // The deque keeps its elements in place, so the key can be indexed by a view into its entry.
    index_.emplace(std::string_view(entry.key), at);
    return entry;
  }

  Entry* find(std::string_view key) {
    const auto found = index_.find(key);
    return found != index_.end() && entries_[found->second].present ? &entries_[found->second]
                                                                    : nullptr;
  }

  Entry& at(std::uint32_t slot) { return entries_[slot]; }
  std::uint32_t slots() const { return static_cast<std::uint32_t>(used_); }

 private:
  std::deque<Entry> entries_;
  std::size_t used_ = 0;
  boost::unordered_flat_map<std::string_view, std::uint32_t> index_;
};

}  // namespace picklock::models::redis
