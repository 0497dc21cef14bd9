// The model's side of a comparison, and its only file that knows the model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conform/redis/sequence.h"

namespace picklock::conform::redis {

// The state of a command's key.
enum class KeyState : std::uint8_t { no_key, missing, live, expired, wrong_type };

class ModelSide {
 public:
  ModelSide();
  ModelSide(const ModelSide&) = delete;
  ModelSide& operator=(const ModelSide&) = delete;
  ~ModelSide();

  // Begins with an empty keyspace and fresh connections, at kEpochMs.
  void begin(const Sequence& sequence);
  void reconnect(std::uint32_t connection);
  std::int64_t id(std::uint32_t connection) const;

  // The bytes of the answer, and of messages pushed to the same connection with it.
  std::string send(std::uint32_t connection, const std::vector<std::string>& words);
  // Messages pushed to a connection since the last call.
  std::string pushed(std::uint32_t connection);
  bool open(std::uint32_t connection) const;
  void pass(std::int64_t ms);
  bool paused() const;  // by CLIENT PAUSE

  // The state that a command would find; `type` is the type, as TYPE names it, on which the command
  // works (empty: any type).
  KeyState key_state(std::uint32_t connection, std::string_view key, std::string_view type) const;

 private:
  struct World;
  std::unique_ptr<World> world_;
};

}  // namespace picklock::conform::redis
