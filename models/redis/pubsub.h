// The subscriptions to channels, patterns and sharded channels; without a cluster the last are a
// namespace of their own. A message goes to the present subscribers, in the order of their
// subscription, and is forgotten (R88).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/parts.h"
#include "models/redis/session.h"
#include "sim/text_hash.h"

namespace picklock::redis {

// A channel or a pattern, and its subscribers. It is kept for the run even without any.
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

  // In the order of their first use.
  const std::deque<Topic>& all() const { return all_; }

 private:
  std::deque<Topic> all_;
  boost::unordered_flat_map<std::string_view, Topic*, sim::TextHash> by_name_;
};

struct PubSub {
  Topics channels;
  Topics patterns;
  Topics shards;

  void clear();
  // Ends all subscriptions of the session.
  static void forget(Session& session);
};

// Sends to the subscribers of the channel, then to those of each pattern that matches it. A
// subscriber of both gets the message twice (R87). Returns how many it was sent to.
std::int64_t publish(const Context& server, std::string_view channel, std::string_view message);

// False: the session is already subscribed, or is not.
bool listen(Session& session, std::vector<Topic*>& mine, Topic& topic);
bool stop_listening(Session& session, std::vector<Topic*>& mine, Topic& topic);

}  // namespace picklock::redis
