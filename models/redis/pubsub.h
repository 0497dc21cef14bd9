// Who listens to what: channels, patterns, and sharded channels, which without a cluster are a
// world of their own. A message goes to those who listen at that moment, in the order in which they
// began to, and is forgotten (R88).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/session.h"

namespace picklock::redis {

// A channel or a pattern, and who listens to it. Kept for the run, listened to or not.
struct Topic {
  std::string name;
  std::vector<Session*> listeners;
};

class Topics {
 public:
  void clear() {
    by_name_.clear();
    all_.clear();
  }
  Topic* find(std::string_view name) {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }
  Topic& get(std::string_view name);
  std::size_t listened_to() const;

  // In the order in which they were first heard of.
  const std::deque<Topic>& all() const { return all_; }

 private:
  std::deque<Topic> all_;
  boost::unordered_flat_map<std::string_view, Topic*> by_name_;
};

struct PubSub {
  Topics channels;
  Topics patterns;
  Topics shards;

  void clear();
  // The session listens to nothing any more.
  static void forget(Session& session);
};

// False: it does so already, or does not.
bool listen(Session& session, std::vector<Topic*>& mine, Topic& topic);
bool stop_listening(Session& session, std::vector<Topic*>& mine, Topic& topic);

}  // namespace picklock::redis
