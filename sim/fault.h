// Faults as data: one struct is one [[fault]] table of a scenario file. sim/nemesis.h says how each
// verb acts on each kind of process. Layers above name the verbs, and add verbs that only their
// programs know.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/role.h"
#include "sim/time.h"

namespace picklock::sim {

enum class Verb : std::uint8_t {
  pause,           // the process runs nothing; its kernel keeps running
  crash,           // volatile state is lost; with `lasts` it restarts afterwards
  restart,         // crash and start again at once, or after `lasts`
  end_thread,      // one thread of the process ends, the process lives
  step_clock,      // the wall clock jumps by `step`
  set_clock_rate,  // both clocks of the process run at `rate_ppb` for `lasts`
  partition,       // the target and `from` cannot talk for `lasts`
  heal,            // ends every partition and hold of the target
  hold,       // from the matched message on, its direction of the connection is held for `lasts`
  delay,      // the matched message arrives `lasts` later
  drop,       // the matched message is lost and its connection reset: outcome unknown
  duplicate,  // the matched message arrives a second time, `lasts` later
  // 12 to 14: verbs of programs, which carry them out themselves (Program::strike).
  slow = 15,  // every message the process handles takes `step` longer, for `lasts`
  interrupt,  // a thread of the process gives up its wait
};

// How far a request has come, before or after (Side) the client sends it, the server applies it, or
// the client reads its answer.
enum class Phase : std::uint8_t { sent, applied, replied };
inline constexpr std::array<std::string_view, 3> kPhaseNames = {"sent", "applied", "replied"};
static_assert(kPhaseNames.size() == static_cast<std::size_t>(Phase::replied) + 1);
constexpr std::string_view name(Phase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}

enum class Side : std::uint8_t { before, after };

struct Trigger {
  std::optional<Instant> at{};  // a time; otherwise the step below
  Side side = Side::before;
  Role role{};  // ignored for a mark; none: a message that belongs to no step
  Phase phase = Phase::sent;
  std::string mark{};     // a named mark of the algorithm, without phase
  std::uint32_t nth = 1;  // counted per process over the whole run
  std::string by{};       // whose step; empty: the target if it is a client, else any client
  std::string on{};       // narrows the step to one server, a message to its receiver
  std::string command{};  // narrows the role to one command, e.g. "DEL"
  bool operator==(const Trigger&) const = default;

  // A message that the target sends, and that neither is a client's request nor answers one.
  bool is_message() const { return !at && mark.empty() && role == Role{}; }
};

// The data that a process finds on its disk when it starts again: all that it had written, nothing,
// or only what it had fsynced, as after a loss of power.
enum class Keeps : std::uint8_t { all, none, fsynced };

struct Fault {
  Verb verb = Verb::pause;
  std::string target{};
  Trigger trigger{};
  std::optional<Duration> lasts{};  // `for` in a file
  Duration step{};                  // step-clock: the jump; slow: the extra time per message
  std::int64_t rate_ppb = 0;        // set-clock-rate: parts per billion away from true time
  std::vector<std::string> from{};  // partition: the other side; empty: all processes
  bool outbound = true;             // partition: what the target sends is held
  bool inbound = true;              // partition: what is sent to the target is held
  bool host = false;                // crash: the machine dies, not only the process
  bool silent = false;              // crash: peers see silence instead of a reset
  Keeps keeps = Keeps::none;        // restart
  std::string to{};   // a verb of a program: a second process; empty: the program chooses
  std::string key{};  // a verb of a program: what of it; empty: the program chooses
  int line = 0;       // of its table in the file; 0: not from a file
  bool operator==(const Fault&) const = default;
};

using Plan = std::vector<Fault>;

// Clients outside write the same command in letters of either size.
constexpr bool is_same_command(std::string_view one, std::string_view other) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace picklock::sim
