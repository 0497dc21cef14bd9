// A story of replication, failover or persistence that runs on real and on simulated servers alike:
// steps over named nodes and named clients, and observations on the way. They are so coarse that
// two runs of the same real story mostly agree.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/clock.h"

namespace picklock::conform::redis::outcomes {

using Duration = std::chrono::milliseconds;
using Words = std::vector<std::string>;

inline constexpr std::string_view kGroupName = "group";  // the name that Sentinels use
inline constexpr Duration kDownAfter = std::chrono::seconds(2);
inline constexpr Duration kFailoverTimeout = std::chrono::seconds(6);

// Servers have Redis' own settings except for these. There are no save points. A replica is fed at
// once, with a snapshot that is written to the master's disk and to its own (repl-diskless-sync
// no), where it stays. More than half of the Sentinels must agree that the master is down.
//
// Nodes are called `master`, `replica-1`, `sentinel-1` and so on, and keep these names whatever
// their later roles.
struct Group {
  int replicas = 0;
  int sentinels = 0;
  Words settings = {};         // of every server: lines of its configuration file
  Words master_settings = {};  // of the master only
  bool append_only = false;
  // All wall clocks show kStart, and move only by Skew: deadlines can be compared exactly.
  bool clocks_stand = false;
};

// The time of stopped clocks, in milliseconds since the epoch. Observed values write an instant
// near it as `t+1000`.
inline constexpr std::int64_t kStart = sim::kEpoch / 1'000'000;

// Words that represent the address of a node in a command: `$host-master`, `$port-master`.
inline constexpr std::string_view kHostWord = "$host-";
inline constexpr std::string_view kPortWord = "$port-";

// A client's observations, as text:
//   OK, nil, 17, a text           a reply as it is
//   -READONLY You can't write...  an error
//   [a, b]                        an array; the name of a node replaces its host and port
//   no reply | closed | refused   none in time; the connection has ended; it was not accepted
inline constexpr std::string_view kNoReply = "no reply";
inline constexpr std::string_view kClosed = "closed";
inline constexpr std::string_view kRefused = "refused";

// Numbers and times are observed as intervals between marks, the lower mark included: `below 10`,
// `10 to 20`, `20 or more`.
using Scale = std::vector<std::int64_t>;

// Observations are recorded under the name in `as`, or not at all if that is empty.

// A command, and its reply.
struct Ask {
  std::string client;
  std::string node;
  Words words;
  std::string as = {};
  Scale scale = {};
  std::string field = {};  // of a reply to INFO, only the value of this field
  std::string time_as = {};
  Scale time_scale = {};
  Duration patience = std::chrono::seconds(5);
};

// A command whose reply is taken later, or never.
struct Send {
  std::string client;
  std::string node;
  Words words;
};
struct Receive {
  std::string client;
  std::string node;
  std::string as = {};
  Duration patience = std::chrono::seconds(5);
};

// Repeats the same command while the reply is `as_long_as`, or until it is `until`.
struct Repeat {
  std::string client;
  std::string node;
  Words words;
  std::string as_long_as = {};
  std::string until = {};
  std::string field = {};  // as in Ask
  Duration every = Duration(5);
  Duration within = std::chrono::seconds(5);
  std::string as = {};        // the last reply
  std::string count_as = {};  // how often it was another: none, some
  std::string time_as = {};
  Scale time_scale = {};
  std::string call = {};  // a further name, from now on, for the node that the last reply names
};

enum class Deed {
  stop,     // the process runs nothing; its connections stay and accept bytes
  go_on,    // it continues where it was
  kill,     // the process dies, the machine lives: bytes on their way still arrive
  restart,  // it starts again with its configuration file and its folder
  tear,     // of a dead process: its append-only file ends within the last command
  listen,   // from now on, records what this server sends its replicas
};
struct Do {
  Deed deed;
  std::string node;
};

struct Pass {
  Duration time;
};

// Sets the wall clock ahead of the true time, or of kStart if clocks are stopped.
struct Skew {
  std::string node;  // empty: all
  Duration ahead;
};

enum class Condition {
  link_up,    // according to a replica
  link_down,  // likewise
  caught_up,  // a replica has received everything from its master
  streaming,  // a master has brought all its replicas up to date and keeps feeding them
  master,
  replica,
};
struct Await {
  std::string node;
  Condition condition;
  std::string as = {};  // yes, never
  Duration within = std::chrono::seconds(10);
  std::string time_as = {};
  Scale time_scale = {};
};

// The stream of a server to its replicas since the last Heard: `SELECT 0, SET k v`, or `nothing`.
// Without the pings that only keep a connection alive.
struct Heard {
  std::string node;
  std::string as;
};

using Step = std::variant<Ask, Send, Receive, Repeat, Do, Pass, Skew, Await, Heard>;

struct Situation {
  std::string title;  // a sentence
  std::string facts;  // `R31 R32`
  Group group = {};
  std::vector<Step> steps;
  bool slow = false;  // takes more than about ten seconds
};

struct Observation {
  std::string name;
  std::string value;

  friend bool operator==(const Observation&, const Observation&) = default;
};
using Outcome = std::vector<Observation>;

// The servers on which a situation runs. All calls return; none throws because a node is gone.
class Side {
 public:
  virtual ~Side() = default;

  // The group runs from now on, empty and settled: replicas are streaming, and every Sentinel knows
  // all the others. Nothing is left of an earlier group.
  virtual void begin(const Group& group) = 0;

  // Since an arbitrary instant; not the time of a node's clock.
  virtual Duration now() = 0;
  virtual void pass(Duration time) = 0;

  // A client has one connection to each node that it uses, made when it first sends. The end of a
  // connection is received once, as kClosed; the next command opens it again. A late reply is the
  // next to be received.
  virtual void send(const std::string& client, const std::string& node, const Words& words) = 0;
  virtual std::string receive(const std::string& client, const std::string& node,
                              Duration patience) = 0;

  virtual void act(Deed deed, const std::string& node) = 0;
  virtual void skew(const std::string& node, Duration ahead) = 0;  // as in Skew
  virtual bool holds(Condition condition, const std::string& node) = 0;
  // One text for each command.
  virtual Words heard(const std::string& node) = 0;
};

Outcome run(const Situation& situation, Side& side);

// The outcomes that a situation may have: blocks of lines `name: value | value`. Every combination
// within a block is allowed.
class Allowed {
 public:
  // Sections begin with `== title (facts)`, blocks end with an empty line, `#` begins a comment.
  static std::map<std::string, Allowed> read(std::string_view text);

  bool contains(const Outcome& outcome) const;

 private:
  struct Line {
    std::string name;
    std::vector<std::string> values;
  };
  std::vector<std::vector<Line>> blocks_;
};

// Writes the outcome as a block of such a file.
std::string shown(const Outcome& outcome);

}  // namespace picklock::conform::redis::outcomes
