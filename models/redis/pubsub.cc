#include "models/redis/pubsub.h"

#include <algorithm>

#include "models/redis/connections.h"
#include "models/redis/glob.h"

namespace picklock::redis {

Topic& Topics::get(std::string_view name) {
  if (Topic* known = find(name)) return *known;
  Topic& topic = all_.emplace_back();
  topic.name.assign(name);
  by_name_.emplace(std::string_view(topic.name), &topic);
  return topic;
}

std::size_t Topics::listened_to() const {
  return static_cast<std::size_t>(std::count_if(
      all_.begin(), all_.end(), [](const Topic& topic) { return !topic.listeners.empty(); }));
}

void PubSub::clear() {
  channels.clear();
  patterns.clear();
  shards.clear();
}

void PubSub::forget(Session& session) {
  for (std::vector<Topic*>* mine : {&session.channels, &session.patterns, &session.shards}) {
    for (Topic* topic : *mine) std::erase(topic->listeners, &session);
    mine->clear();
  }
}

std::int64_t publish(const Context& server, std::string_view channel, std::string_view message) {
  std::int64_t receivers = 0;
  if (const Topic* topic = server.pubsub.channels.find(channel)) {
    for (Session* listener : topic->listeners) {
      server.connections.push(*listener, {"message", channel, message});
      ++receivers;
    }
  }
  for (const Topic& pattern : server.pubsub.patterns.all()) {
    if (pattern.listeners.empty() || !matches_glob(pattern.name, channel)) continue;
    for (Session* listener : pattern.listeners) {
      server.connections.push(*listener, {"pmessage", pattern.name, channel, message});
      ++receivers;
    }
  }
  return receivers;
}

bool listen(Session& session, std::vector<Topic*>& mine, Topic& topic) {
  if (std::find(mine.begin(), mine.end(), &topic) != mine.end()) return false;
  mine.push_back(&topic);
  topic.listeners.push_back(&session);
  return true;
}

bool stop_listening(Session& session, std::vector<Topic*>& mine, Topic& topic) {
  if (std::erase(mine, &topic) == 0) return false;
  std::erase(topic.listeners, &session);
  return true;
}

}  // namespace picklock::redis
