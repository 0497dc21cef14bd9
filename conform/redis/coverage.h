// Which replies were compared: command x class of the reply x state in which the command found its
// key. The cells that a run must fill are data; a cell left empty is a hole in the comparison.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "conform/redis/model_side.h"
#include "conform/redis/vocabulary.h"

namespace picklock::conform::redis {

// nil, status, queued, integer, bulk, array, empty-array, push, map, ..., or of an error its code
// word, where it is one of the server's. Of several frames the last one counts: those before it
// were pushed. `none`: no answer yet.
std::string reply_class(std::string_view bytes);

class Coverage {
 public:
  struct Cell {
    std::string command;
    std::string reply;
    KeyState key = KeyState::no_key;

    auto operator<=>(const Cell&) const = default;
  };

  void count(const Words& words, std::string_view reply, KeyState key);

  const std::map<Cell, std::uint64_t>& counts() const { return counts_; }
  std::uint64_t commands() const { return commands_; }
  // The cells that must be filled.
  static std::vector<Cell> expected();
  // Likewise; a server whose clock cannot be set is not asked for what takes time or changes the
  // server.
  static std::vector<Cell> expected(bool steered_clock);
  // Of those, the ones that are not.
  std::vector<Cell> empty_cells(bool steered_clock) const;

 private:
  std::map<Cell, std::uint64_t> counts_;
  std::uint64_t commands_ = 0;
};

}  // namespace picklock::conform::redis
