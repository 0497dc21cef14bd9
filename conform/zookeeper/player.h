// Plays a sequence to one server over raw connections, one request after the other, and tells what
// came back to each of them, in a form in which two servers can be compared: bytes of the wire, in
// which zxids count from the beginning of the sequence, sessions are numbered as they came to be,
// children are sorted, and times are zero.
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

// In which state a request finds the znode that it names; none: it names no one znode, or nobody
// can tell.
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
  // As it is now, seen by that session. A real server cannot be looked into.
  virtual Znode look(std::string_view path, SessionId session) = 0;
};

// What one step came to.
struct Outcome {
  // Of each connection, what came to it, and then, where the server has ended it, "EOF".
  std::vector<std::vector<std::string>> came;
  Code code = Code::ok;  // of the answer to what was asked
  bool answered = false;
  Znode znode = Znode::none;

  friend bool operator==(const Outcome& one, const Outcome& other) {
    return one.came == other.came;
  }
};

// Leaves nothing behind it. Throws std::runtime_error where a message cannot be read, or does not
// come out again as the bytes that it was.
std::vector<Outcome> play(Line& line, const Sequence& sequence);

// How a message of an outcome reads.
std::string shown(std::string_view message);

}  // namespace picklock::conform::zookeeper
