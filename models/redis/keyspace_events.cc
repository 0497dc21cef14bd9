#include "models/redis/keyspace_events.h"

#include <string>

#include "models/redis/config.h"
#include "models/redis/connections.h"
#include "models/redis/keyspace.h"
#include "models/redis/pubsub.h"

namespace picklock::redis {

void publish_expired(const Context& server, Keyspace& keys, std::uint32_t database,
                     std::string_view key) {
  const Config::Events& events = server.config.events();
  if (!events.expired) return;
  // The client whose command came upon the key did not cause it.
  const Actor actor = keys.recorder().act_for({});
  const std::string place = "@" + std::to_string(database) + "__:";
  if (events.by_key) publish(server, "__keyspace" + place + std::string(key), "expired");
  if (events.by_event) publish(server, "__keyevent" + place + "expired", key);
  keys.recorder().act_for(actor);
}

}  // namespace picklock::redis
