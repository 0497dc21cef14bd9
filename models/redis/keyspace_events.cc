#include "models/redis/keyspace_events.h"

#include <algorithm>
#include <array>

#include "models/redis/config.h"
#include "models/redis/connections.h"
#include "models/redis/keyspace.h"
#include "models/redis/pubsub.h"

namespace picklock::redis {
namespace {

constexpr std::uint32_t kByKey = 1u << 12;
constexpr std::uint32_t kByEvent = 1u << 13;

constexpr std::uint32_t bit(EventClass one) { return static_cast<std::uint32_t>(one); }

struct Letter {
  char letter;
  std::uint32_t bits;
};

// In the order in which CONFIG GET reports them. `A` stands for the classes before `n`.
constexpr std::array kClasses = {
    Letter{'g', bit(EventClass::generic)}, Letter{'$', bit(EventClass::string)},
    Letter{'l', bit(EventClass::list)},    Letter{'s', bit(EventClass::set)},
    Letter{'h', bit(EventClass::hash)},    Letter{'z', bit(EventClass::sorted_set)},
    Letter{'x', bit(EventClass::expired)}, Letter{'e', bit(EventClass::evicted)},
    Letter{'t', bit(EventClass::stream)},  Letter{'d', bit(EventClass::module)},
    Letter{'n', bit(EventClass::created)},
};
constexpr std::array kOthers = {Letter{'K', kByKey}, Letter{'E', kByEvent},
                                Letter{'m', bit(EventClass::missed)}};
constexpr std::uint32_t kMost = bit(EventClass::created) - 1;

std::uint32_t bits_of(char letter) {
  if (letter == 'A') return kMost;
  const auto same = [letter](const Letter& one) { return one.letter == letter; };
  if (const auto* const found = std::find_if(kClasses.begin(), kClasses.end(), same);
      found != kClasses.end())
    return found->bits;
  const auto* const other = std::find_if(kOthers.begin(), kOthers.end(), same);
  return other == kOthers.end() ? 0 : other->bits;
}

}  // namespace

bool EventSettings::read(std::string_view letters) {
  std::uint32_t all = 0;
  for (const char letter : letters) {
    const std::uint32_t bits = bits_of(letter);
    if (bits == 0) return false;
    all |= bits;
  }
  all_ = all;
  published_ = by_key() || by_event() ? all : 0;
  return true;
}

// With all the classes of `A`, the real server does not show `n`, even if it is on.
std::string EventSettings::letters() const {
  std::string shown;
  const auto add = [&](const Letter& one) {
    if ((all_ & one.bits) != 0) shown += one.letter;
  };
  if ((all_ & kMost) == kMost) {
    shown += 'A';
  } else {
    std::for_each(kClasses.begin(), kClasses.end(), add);
  }
  std::for_each(kOthers.begin(), kOthers.end(), add);
  return shown;
}

bool EventSettings::by_key() const { return (all_ & kByKey) != 0; }
bool EventSettings::by_event() const { return (all_ & kByEvent) != 0; }

void publish_event(const Context& server, std::uint32_t database, std::string_view event,
                   std::string_view key) {
  const EventSettings& events = server.config.events();
  const std::string place = "@" + std::to_string(database) + "__:";
  if (events.by_key()) publish(server, ("__keyspace" + place).append(key), event);
  if (events.by_event()) publish(server, ("__keyevent" + place).append(event), key);
}

void publish_expired(const Context& server, Keyspace& keys, std::uint32_t database,
                     std::string_view key) {
  if (!server.config.events().include(EventClass::expired)) return;
  // The client whose command came upon the key did not cause it.
  const Actor actor = keys.recorder().act_for({});
  publish_event(server, database, "expired", key);
  keys.recorder().act_for(actor);
}

}  // namespace picklock::redis
