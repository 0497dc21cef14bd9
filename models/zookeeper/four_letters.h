// The four-letter words: a client sends one in place of its first record, and the server answers
// with text and closes the connection (Z68).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "picklock/zookeeper.h"

namespace picklock::zookeeper {

// The facts that a server tells of itself.
struct Condition {
  std::string_view host{};
  bool serves = false;
  std::string_view mode{};  // standalone, leader or follower
  Zxid zxid = 0;
  std::size_t nodes = 0;
  std::size_t ephemerals = 0;
  std::size_t sessions = 0;
  std::size_t connections = 0;
  std::size_t outstanding = 0;
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::size_t watches = 0;
  std::size_t watched_paths = 0;  // by exists and getData, as are the next two
  std::size_t watching_connections = 0;
  std::size_t path_watches = 0;
};

// Whether the bytes are a word that a server knows, allowed or not.
bool is_four_letter_word(std::string_view bytes);

std::string answer_to_word(std::string_view word, const Condition& server);

}  // namespace picklock::zookeeper
