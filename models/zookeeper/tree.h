// The znodes and sessions of one ZooKeeper server. A state machine: servers that apply the same
// writes in the same order have the same tree. So a leader proposes the requests of clients, and
// every server works out their results itself.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"
#include "models/zookeeper/op_code.h"
#include "picklock/zookeeper.h"
#include "sim/text_hash.h"

namespace picklock::zookeeper {

struct Write {
  OpCode op{};
  SessionId session = 0;  // its session
  std::string path{};
  std::optional<std::string> data{};   // null is not the same as empty (Z51)
  std::int32_t version = kAnyVersion;  // of an error: the Code of the leader's refusal
  std::int32_t flags = 0;              // of a create: its CreateMode, if valid
  bool has_acl = true;                 // of a create
  std::int32_t timeout = 0;            // of a session, in milliseconds
  std::vector<Write> parts{};          // of a multi
};

// The position, time and tenure of a proposed write.
struct Stamp {
  Zxid zxid = 0;
  std::int64_t ms = 0;
  history::TenureId tenure = 0;
};

struct Result {
  Code code = Code::ok;
  std::string path{};  // of the created node
  Stat stat{};
  std::vector<Result> parts{};  // of a multi
};

struct Node {
  std::optional<std::string> data{};
  Stat stat{};               // without cversion, data_length and num_children
  std::int32_t created = 0;  // children created so far: the number of the next sequential one (Z21)
  bool container = false;
  history::TenureId tenure = 0;  // the one that created it
  std::set<std::string, std::less<>> children{};
};

// A change made by a write, in the order in which watchers are notified.
struct Change {
  EventType type{};
  std::string path{};
  history::TenureId tenure = 0;  // that had created the node
  SessionId session = 0;         // the owner's, if the node is ephemeral
};

// How a server numbers sequential znodes. `first`: of the next child of each of `paths`, which
// exist when a run begins; 0: they are created like any other.
struct Numbering {
  bool wraps = false;  // after 2147483647 comes -2147483648; otherwise 2147483647 again (Z62)
  std::int32_t first = 0;
  std::vector<std::string> paths{};
};

class Tree {
 public:
  Tree() { reset(); }
  void reset(const Numbering& numbering = {});

  // Appends to `changes`. A multi is done completely or not at all.
  Result apply(const Write& write, const Stamp& stamp, std::vector<Change>& changes);

  // "" is the root too (Z51). nullptr: no such node.
  const Node* find(std::string_view path) const;
  static Stat stat_of(const Node& node);

  const std::map<SessionId, std::int32_t>& sessions() const { return sessions_; }  // time-outs, ms
  bool has_session(SessionId id) const { return sessions_.contains(id); }
  const std::set<std::string>& ephemerals_of(SessionId id) const;
  // As the server counts its znodes: the root has two names.
  std::size_t count() const { return nodes_.size() + 1; }
  std::size_t count_ephemerals() const;
  // Empty containers that have had a child; a leader removes them when it checks (Z53).
  std::vector<std::string> idle_containers() const;

 private:
  class Undo;

  Result create(const Write& write, const Stamp& stamp, std::vector<Change>& changes, Undo* undo);
  Result remove(const Write& write, const Stamp& stamp, std::vector<Change>& changes, Undo* undo);
  Result set_data(const Write& write, const Stamp& stamp, std::vector<Change>& changes, Undo* undo);
  Result check(const Write& write) const;
  Result multi(const Write& write, const Stamp& stamp, std::vector<Change>& changes);
  Result part(const Write& write, const Stamp& stamp, std::vector<Change>& changes, Undo* undo);
  void close_session(SessionId id, const Stamp& stamp, std::vector<Change>& changes);

  Node* node(std::string_view path);
  void begin_numbers(const std::string& of, std::int32_t first);
  void count_child(Node& parent, Zxid zxid) const;
  void unlink(const std::string& path, Zxid zxid, std::vector<Change>& changes);

  boost::unordered_flat_map<std::string, Node, sim::TextHash, std::equal_to<>> nodes_;
  std::map<SessionId, std::int32_t> sessions_;
  std::map<SessionId, std::set<std::string>> ephemerals_;
  std::set<std::string> containers_;
  bool wraps_ = false;
};

// Whether PathUtils accepts it: absolute, without empty or dotted parts, control characters or a
// slash at its end.
bool is_valid_path(std::string_view path);
// "/" of "/a", "" of "/" (the root has two names).
std::string_view parent_of(std::string_view path);

}  // namespace picklock::zookeeper
