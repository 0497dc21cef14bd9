// Which answers were compared: command x class of the answer x state in which the command found
// what it names. The cells that a run must fill are data; an empty cell is a hole in the
// comparison.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::conform {

// A state of what a command names: a key, a znode, a row. Each server has a list of them.
struct State {
  char letter;  // in an ExpectedRow
  std::string_view name;
};

struct Cell {
  std::string command;
  std::string reply;
  std::uint8_t state = 0;  // its place in the server's list

  auto operator<=>(const Cell&) const = default;
};

class Coverage {
 public:
  void count(Cell cell) { ++counts_[std::move(cell)]; }
  void count_command() { ++commands_; }
  void add(const Coverage& other);

  const std::map<Cell, std::uint64_t>& counts() const { return counts_; }
  // The number of commands that were answered. A command may fill several cells, and one that
  // others caused.
  std::uint64_t commands() const { return commands_; }
  // Those of `expected` that are not filled.
  std::vector<Cell> empty(std::span<const Cell> expected) const;

 private:
  std::map<Cell, std::uint64_t> counts_;
  std::uint64_t commands_ = 0;
};

// The cells of one command that a run of the default length fills, whatever its seed: the classes
// of its answers, and behind each colon the letters of the states.
struct ExpectedRow {
  std::string_view command;
  std::string_view cells;  // `ERR:ml integer:mle`
};

std::vector<Cell> cells_of(std::span<const ExpectedRow> rows, std::span<const State> states);

}  // namespace picklock::conform
