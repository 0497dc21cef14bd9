// The znodes and sessions of one ZooKeeper server. A state machine: servers that apply the same
// writes in the same order have the same tree, so that a leader proposes what clients ask for, and
// every server finds out by itself what comes of it.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"
#include "models/zookeeper/op_code.h"
#include "picklock/zookeeper.h"

namespace picklock::zookeeper {

struct Write {
  OpCode op{};
  SessionId session = 0;  // whose
  std::string path{};
  std::optional<std::string> data{};   // none is not the same as empty (Z51)
  std::int32_t version = kAnyVersion;  // of an error, which: what its leader has refused
  std::int32_t flags = 0;              // of a create: a CreateMode, if it is one
  bool has_acl = true;                 // of a create
  std::int32_t timeout = 0;            // of a session, in milliseconds
  std::vector<Write> parts{};          // of a multi
};

// When a write was proposed, and by whom.
struct Stamp {
  Zxid zxid = 0;
  std::int64_t ms = 0;
  history::TenureId tenure = 0;
};

struct Result {
  Code code = Code::ok;
  std::string path{};  // of what was created
  Stat stat{};
  std::vector<Result> parts{};  // of a multi
};

struct Node {
  std::optional<std::string> data{};
  Stat stat{};               // but for cversion, data_length and num_children
  std::int32_t created = 0;  // children so far: numbers the next sequential one (Z21)
  bool container = false;
  history::TenureId tenure = 0;  // that created it
  std::set<std::string, std::less<>> children{};
};

// What a write did, in the order in which watchers are told.
struct Change {
  EventType type{};
  std::string path{};
  history::TenureId tenure = 0;  // that had created what came or went
  SessionId session = 0;         // whose, if it is ephemeral
};

class Tree {
 public:
  Tree() { reset(); }
  void reset();

  // `changes` is appended to. A multi is done whole or not at all.
  Result apply(const Write& write, const Stamp& stamp, std::vector<Change>& changes);

  // "" is the root as well (Z51). nullptr: there is none.
  const Node* find(std::string_view path) const;
  static Stat stat_of(const Node& node);

  const std::map<SessionId, std::int32_t>& sessions() const { return sessions_; }  // time-outs, ms
  bool has_session(SessionId id) const { return sessions_.contains(id); }
  const std::set<std::string>& ephemerals_of(SessionId id) const;
  // Empty containers that have had a child: to be removed by a leader when it looks (Z53).
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
  void unlink(const std::string& path, Zxid zxid, std::vector<Change>& changes);

  boost::unordered_flat_map<std::string, Node> nodes_;
  std::map<SessionId, std::int32_t> sessions_;
  std::map<SessionId, std::set<std::string>> ephemerals_;
  std::set<std::string> containers_;
};

// Whether PathUtils lets it pass: absolute, without empty or dotted parts, a slash at its end or
// control characters.
bool is_valid_path(std::string_view path);
// "/" of "/a", "" of "/" (the root has two names).
std::string_view parent_of(std::string_view path);

}  // namespace picklock::zookeeper
