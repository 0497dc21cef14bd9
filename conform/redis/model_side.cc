#include "conform/redis/model_side.h"

#include <chrono>

#include "models/redis/lone_server.h"

namespace picklock::conform::redis {

using namespace picklock::redis;

struct ModelSide::World {
  LoneServer alone;
  std::vector<Session*> sessions;
};

ModelSide::ModelSide() = default;
ModelSide::~ModelSide() = default;

void ModelSide::begin(const Sequence& sequence) {
  world_ = std::make_unique<World>();
  const std::string_view idle[] = {"DEBUG", "SET-ACTIVE-EXPIRE", "0"};
  world_->alone.send(idle);
  world_->sessions.resize(sequence.connections);
  for (std::uint32_t i = 0; i < sequence.connections; ++i) reconnect(i);
}

void ModelSide::reconnect(std::uint32_t connection) {
  world_->sessions[connection] = &world_->alone.connect();
  send(connection, {"CLIENT", "ID"});  // as on the real side, to learn the id
}

std::int64_t ModelSide::id(std::uint32_t connection) const {
  return static_cast<std::int64_t>(world_->sessions[connection]->id);
}

std::string ModelSide::send(std::uint32_t connection, const std::vector<std::string>& words) {
  const std::vector<std::string_view> argv(words.begin(), words.end());
  return world_->alone.send(*world_->sessions[connection], argv);
}

std::string ModelSide::pushed(std::uint32_t connection) {
  return world_->alone.pushed(*world_->sessions[connection]);
}

bool ModelSide::open(std::uint32_t connection) const {
  return world_->sessions[connection]->connected;
}

void ModelSide::pass(std::int64_t ms) { world_->alone.pass(std::chrono::milliseconds(ms)); }

bool ModelSide::paused() const { return world_->alone.server.paused() != Pause::none; }

// Looks without side effects: a dead key must stay where it is.
KeyState ModelSide::key_state(std::uint32_t connection, std::string_view key,
                              std::string_view type) const {
  Keyspace& keys = world_->alone.server.keyspace();
  const std::uint32_t database = world_->sessions[connection]->database;
  for (std::uint32_t slot = 0; slot < keys.slots(); ++slot) {
    const Entry& entry = keys.at(slot);
    if (!entry.present || entry.database != database || entry.key != key) continue;
    if (!entry.alive(keys.clock().ms())) return KeyState::expired;
    return type.empty() || name(entry.value.type()) == type ? KeyState::live : KeyState::wrong_type;
  }
  return KeyState::missing;
}

}  // namespace picklock::conform::redis
