#include "models/redis/pubsub.h"

#include <algorithm>

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
