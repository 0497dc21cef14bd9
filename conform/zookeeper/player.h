// Plays a sequence to one server over raw connections, one request after the other, and returns
// what each of them received in a comparable form: as bytes of the wire. In these, zxids count from
// the beginning of the sequence, sessions are numbered in order of creation, children are sorted,
// and times are zero.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conform/coverage.h"
#include "conform/zookeeper/sequence.h"

namespace picklock::conform::zookeeper {

// The state in which a request finds its znode; none: it names no single znode, or the state is
// unknown.
enum class Znode : std::uint8_t {
  none,
  missing,
  persistent,
  parent,
  container,
  own_ephemeral,
  others_ephemeral,
};
inline constexpr std::array<State, 7> kZnodeStates = {{{'-', "no-znode"},
                                                       {'m', "missing"},
                                                       {'p', "persistent"},
                                                       {'c', "with-children"},
                                                       {'k', "container"},
                                                       {'o', "own-ephemeral"},
                                                       {'e', "others-ephemeral"}}};

// Connections to one server; numbered from 0.
class Line {
 public:
  virtual ~Line() = default;

  virtual void dial(std::uint32_t connection) = 0;
  virtual void hang_up(std::uint32_t connection) = 0;
  virtual void send(std::uint32_t connection, std::string_view bytes) = 0;
  // The next message; none: the server has ended the connection.
  virtual std::optional<std::string> receive(std::uint32_t connection) = 0;
  virtual void sleep(std::int32_t milliseconds) = 0;
  // The state of a znode now, for that session. A real server cannot be inspected.
  virtual Znode look(std::string_view path, SessionId session) = 0;
};

// The outcome of one step.
struct Outcome {
  // For each connection, its messages, and then "EOF" if the server has ended it.
  std::vector<std::vector<std::string>> came;
  Code code = Code::ok;  // of the answer to the request
  bool answered = false;
  Znode znode = Znode::none;

  friend bool operator==(const Outcome& one, const Outcome& other) {
    return one.came == other.came;
  }
};

// Leaves nothing behind. Throws std::runtime_error if a message cannot be read, or if writing it
// again does not give the same bytes.
std::vector<Outcome> play(Line& line, const Sequence& sequence);

// A message of an outcome as text.
std::string shown(std::string_view message);

}  // namespace picklock::conform::zookeeper
