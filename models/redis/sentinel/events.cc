// The events of a Sentinel: they go to its log, and to clients that have subscribed to the kind of
// event.
#include "models/redis/glob.h"
#include "models/redis/sentinel/sentinel.h"
#include "models/redis/wire.h"

namespace picklock::redis {

// `slave 10.0.0.5:6379 10.0.0.5 6379 @ redis-1 10.0.0.4 6379`
std::string Sentinel::described(const Instance& instance) {
  std::string text(instance.kind == InstanceKind::master    ? "master "
                   : instance.kind == InstanceKind::replica ? "slave "
                                                            : "sentinel ");
  text.append(instance.name).append(1, ' ').append(instance.address.host).append(1, ' ');
  text.append(std::to_string(instance.address.port));
  if (const Instance* master = instance.master) {
    text.append(" @ ").append(master->name).append(1, ' ').append(master->address.host);
    text.append(1, ' ').append(std::to_string(master->address.port));
  }
  return text;
}

// The process name that readers know.
std::string Sentinel::process_at(const Address& address) const {
  const Node* node = directory_->find(address.host, address.port);
  return node != nullptr ? node->process->name() : address.host;
}

void Sentinel::event(std::string_view name, std::string_view text, bool logged) {
  if (logged) log(std::string(name).append(1, ' ').append(text));
  if (const Topic* channel = pubsub_.channels.find(name)) {
    for (Session* listener : channel->listeners) push(*listener, {"message", name, text});
  }
  for (const Topic& pattern : pubsub_.patterns.all()) {
    if (pattern.listeners.empty() || !matches_glob(pattern.name, name)) continue;
    for (Session* listener : pattern.listeners)
      push(*listener, {"pmessage", pattern.name, name, text});
  }
}

void Sentinel::log(std::string line) {
  if (keeps_events_) events_.push_back({simulation().now(), std::move(line)});
}

void Sentinel::push(Session& session, std::initializer_list<std::string_view> words) {
  sim::Message& message = simulation().network.make(*session.connection, 1);
  write_push(message.payload, words.size(), session.protocol);
  for (std::string_view word : words) write_bulk(message.payload, word);
  simulation().network.send_unasked(message);
}

}  // namespace picklock::redis
