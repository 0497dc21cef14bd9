// Keyspace notifications: messages about keys, on channels of their own (R125). They are off until
// `notify-keyspace-events` names classes of events and at least one of the two kinds of channels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/redis/parts.h"

namespace picklock::redis {

// The classes, one bit each.
enum class EventClass : std::uint32_t {
  generic = 1u << 0,
  string = 1u << 1,
  list = 1u << 2,
  set = 1u << 3,
  hash = 1u << 4,
  sorted_set = 1u << 5,
  expired = 1u << 6,  // the server has forgotten a dead key
  evicted = 1u << 7,
  stream = 1u << 8,  // accepted, but the model has no streams
  module = 1u << 9,  // accepted, but the model has no modules
  created = 1u << 10,
  missed = 1u << 11,  // a key was read that there is not
};

// The classes that are on, and the channels on which their events are published.
class EventSettings {
 public:
  // Reads the letters of `notify-keyspace-events`. False: one of them is unknown.
  bool read(std::string_view letters);
  // The letters as CONFIG GET reports them.
  std::string letters() const;

  // Whether events of this class are published at all.
  bool include(EventClass one) const { return (published_ & static_cast<std::uint32_t>(one)) != 0; }
  bool by_key() const;    // on the channel of the key
  bool by_event() const;  // on the channel of the event

 private:
  std::uint32_t all_ = 0;        // classes and channels
  std::uint32_t published_ = 0;  // the same, but nothing without a channel
};

// Publishes an event about a key, first on the channel of the key, then on that of the event.
// Requires its class to be on.
void publish_event(const Context& server, std::uint32_t database, std::string_view event,
                   std::string_view key);
// Publishes that the server has forgotten a dead key, if that class is on. The key's deadline is
// over by then.
void publish_expired(const Context& server, Keyspace& keys, std::uint32_t database,
                     std::string_view key);

}  // namespace picklock::redis
