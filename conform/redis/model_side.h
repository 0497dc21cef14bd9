// The model's side of a comparison, and the one file of it that knows the model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conform/redis/sequence.h"

namespace picklock::conform::redis {

// What a command finds where its key should be.
enum class KeyState : std::uint8_t { no_key, missing, live, expired, wrong_type };

class ModelSide {
 public:
  ModelSide();
  ModelSide(const ModelSide&) = delete;
  ModelSide& operator=(const ModelSide&) = delete;
  ~ModelSide();

  // Empty, with fresh connections, at kEpochMs.
  void begin(const Sequence& sequence);
  void reconnect(std::uint32_t connection);
  std::int64_t id(std::uint32_t connection) const;

  // The bytes of the answer, and of what is pushed to the same connection with it.
  std::string send(std::uint32_t connection, const std::vector<std::string>& words);
  // What has come to a connection unasked since the last look.
  std::string pushed(std::uint32_t connection);
  bool open(std::uint32_t connection) const;
  void pass(std::int64_t ms);
  bool paused() const;  // by CLIENT PAUSE

  // What a command would find there; `type` is what TYPE must say for the command to work on it
  // (empty: any type will do).
  KeyState key_state(std::uint32_t connection, std::string_view key, std::string_view type) const;

 private:
  struct World;
  std::unique_ptr<World> world_;
};

}  // namespace picklock::conform::redis
