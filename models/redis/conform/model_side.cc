#include "models/redis/conform/model_side.h"

#include <chrono>

#include "models/redis/lone_server.h"

namespace picklock::models::redis::conform {

struct ModelSide::World {
  LoneServer server{std::chrono::milliseconds(kEpochMs)};
};

ModelSide::ModelSide() = default;
ModelSide::~ModelSide() = default;

void ModelSide::begin(const Sequence&) { world_ = std::make_unique<World>(); }
void ModelSide::reconnect(std::uint32_t) {}
std::int64_t ModelSide::id(std::uint32_t connection) { return connection + 1; }

std::string ModelSide::send(std::uint32_t, const std::vector<std::string>& words) {
  const std::vector<std::string_view> argv(words.begin(), words.end());
  return world_->server.send(argv);
}
std::string ModelSide::pushed(std::uint32_t) { return {}; }
bool ModelSide::open(std::uint32_t) const { return true; }
void ModelSide::pass(std::int64_t ms) { world_->server.pass(std::chrono::milliseconds(ms)); }
KeyState ModelSide::key_state(std::uint32_t, const std::vector<std::string>&,
                              std::string_view) const {
  return KeyState::no_key;
}

}  // namespace picklock::models::redis::conform
