#include "models/zookeeper/tree.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "models/zookeeper/names.h"

namespace picklock::zookeeper {
namespace {

constexpr std::array<std::string_view, 4> kSpecial = {"/", "/zookeeper", "/zookeeper/config",
                                                      "/zookeeper/quota"};
constexpr std::string_view kConfig = "/zookeeper/config";
constexpr std::int32_t kTtl = 5;
constexpr std::int32_t kSequentialTtl = 6;

Result failed(Code code) { return {.code = code}; }

bool is_special(std::string_view path) {
  return std::find(kSpecial.begin(), kSpecial.end(), path) != kSpecial.end();
}

std::string_view root_for_empty(std::string_view path) { return path.empty() ? "/" : path; }

bool expected(std::int32_t version, const Node& node) {
  return version == kAnyVersion || version == node.stat.version;
}

bool creates(const Write& write) {
  return write.op == OpCode::create || write.op == OpCode::create2 ||
         write.op == OpCode::create_container;
}
bool has_lifetime(const Write& write) {
  return creates(write) && (write.flags == kTtl || write.flags == kSequentialTtl);
}

// Other requests in a multi are not even read (Z52).
bool may_stand_in_multi(const Write& part) {
  return creates(part) || part.op == OpCode::remove || part.op == OpCode::set_data ||
         part.op == OpCode::check;
}

bool is_dotted(std::string_view part) { return part == "." || part == ".."; }

// Whether the path continues with a forbidden code point, in UTF-8.
bool is_forbidden(std::string_view rest) {
  const auto at = [rest](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  if (at(0) < 0x20 || at(0) == 0x7f) return true;
  if (at(0) == 0xc2 && rest.size() > 1) return at(1) < 0xa0;  // U+0080 to U+009F
  if (at(0) == 0xee) return true;                             // U+E000 to U+EFFF
  if (at(0) != 0xef || rest.size() < 3) return at(0) == 0xed && rest.size() > 1 && at(1) >= 0xa0;
  return at(1) < 0xa4 || (at(1) == 0xbf && at(2) >= 0xb0);  // to U+F8FF; U+FFF0 to U+FFFF
}

}  // namespace

bool is_valid_path(std::string_view path) {
  if (path.empty() || path.front() != '/') return false;
  if (path.size() == 1) return true;
  if (path.back() == '/') return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (is_forbidden(path.substr(i))) return false;
  }
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || is_dotted(part)) return false;
    begin = end + 1;
  }
  return true;
}

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 && path.size() > 1 ? path.substr(0, 1) : path.substr(0, slash);
}

// The nodes as they were before the parts of a multi that have been done.
class Tree::Undo {
 public:
  explicit Undo(Tree& tree) : tree_(tree) {}

  void remember(std::string_view path) {
    const Node* node = tree_.find(path);
    saved_.emplace_back(root_for_empty(path),
                        node != nullptr ? std::optional<Node>(*node) : std::nullopt);
  }

  void roll_back() {
    for (; !saved_.empty(); saved_.pop_back()) {
      auto& [path, before] = saved_.back();
      if (const Node* now = tree_.find(path)) {
        if (now->stat.ephemeral_owner != 0)
          tree_.ephemerals_[now->stat.ephemeral_owner].erase(path);
        tree_.containers_.erase(path);
        tree_.nodes_.erase(path);
      }
      if (!before) continue;
      if (before->stat.ephemeral_owner != 0)
        tree_.ephemerals_[before->stat.ephemeral_owner].insert(path);
      if (before->container) tree_.containers_.insert(path);
      tree_.nodes_.emplace(path, std::move(*before));
    }
  }

 private:
  Tree& tree_;
  std::vector<std::pair<std::string, std::optional<Node>>> saved_;
};

void Tree::reset(const Numbering& numbering) {
  wraps_ = numbering.wraps;
  nodes_.clear();
  sessions_.clear();
  ephemerals_.clear();
  containers_.clear();
  // Nobody created the nodes that are always there: their parents count them as children, but not
  // as creations (Z51).
  for (const std::string_view path : kSpecial) {
    Node& made = nodes_[std::string(path)];
    made.data = "";
    if (path != "/") node(parent_of(path))->children.emplace(path.substr(path.rfind('/') + 1));
  }
  if (numbering.first == 0) return;
  for (const std::string& path : numbering.paths) begin_numbers(path, numbering.first);
}

// The znode exists from the beginning, as if its earlier children had come and gone.
void Tree::begin_numbers(const std::string& of, std::int32_t first) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = of.find('/', end + 1);
    const std::string path = of.substr(0, end);
    if (node(path) != nullptr) continue;
    nodes_[path].data = "";
    Node& above = *node(parent_of(path));
    above.children.emplace(path.substr(path.rfind('/') + 1));
    ++above.created;
  }
  nodes_[of].created = first;
}

// Once the counter has reached its end, 3.8.0 changes nothing in the parent any more (Z62).
void Tree::count_child(Node& parent, Zxid zxid) const {
  if (parent.created == std::numeric_limits<std::int32_t>::max() && !wraps_) return;
  parent.stat.pzxid = zxid;
  parent.created = static_cast<std::int32_t>(static_cast<std::uint32_t>(parent.created) + 1);
}

const Node* Tree::find(std::string_view path) const {
  const auto found = nodes_.find(root_for_empty(path));
  return found != nodes_.end() ? &found->second : nullptr;
}

Node* Tree::node(std::string_view path) {
  return const_cast<Node*>(std::as_const(*this).find(path));
}

Stat Tree::stat_of(const Node& node) {
  Stat stat = node.stat;
  stat.num_children = static_cast<std::int32_t>(node.children.size());
  const auto created = static_cast<std::uint32_t>(node.created);  // it may be the last number
  stat.cversion = static_cast<std::int32_t>(2 * created - node.children.size());
  stat.data_length = node.data ? static_cast<std::int32_t>(node.data->size()) : 0;
  return stat;
}

std::size_t Tree::count_ephemerals() const {
  std::size_t all = 0;
  for (const auto& [session, paths] : ephemerals_) all += paths.size();
  return all;
}

const std::set<std::string>& Tree::ephemerals_of(SessionId id) const {
  static const std::set<std::string> kNone;
  const auto found = ephemerals_.find(id);
  return found != ephemerals_.end() ? found->second : kNone;
}

std::vector<std::string> Tree::idle_containers() const {
  std::vector<std::string> idle;
  for (const std::string& path : containers_) {
    const Node* container = find(path);
    if (container->created > 0 && container->children.empty()) idle.push_back(path);
  }
  return idle;
}

Result Tree::apply(const Write& write, const Stamp& stamp, std::vector<Change>& changes) {
  switch (write.op) {
    case OpCode::multi:
      return multi(write, stamp, changes);
    case OpCode::create_session:
      sessions_[write.session] = write.timeout;
      return {};
    case OpCode::close_session:
      close_session(write.session, stamp, changes);
      return {};
    case OpCode::error:
      return failed(static_cast<Code>(write.version));
    default:
      return part(write, stamp, changes, nullptr);
  }
}

Result Tree::part(const Write& write, const Stamp& stamp, std::vector<Change>& changes,
                  Undo* undo) {
  switch (write.op) {
    case OpCode::create:
    case OpCode::create2:
    case OpCode::create_container:
      return create(write, stamp, changes, undo);
    case OpCode::remove:
    case OpCode::remove_container:
      return remove(write, stamp, changes, undo);
    case OpCode::set_data:
      return set_data(write, stamp, changes, undo);
    case OpCode::check:
      return check(write);
    default:
      return failed(Code::unimplemented);
  }
}

Result Tree::create(const Write& write, const Stamp& stamp, std::vector<Change>& changes,
                    Undo* undo) {
  if (has_lifetime(write)) return failed(Code::unimplemented);
  if (write.flags < 0 || write.flags > kSequentialTtl) return failed(Code::bad_arguments);
  const auto mode = static_cast<CreateMode>(write.flags);
  if (write.path.find('/') == std::string::npos) return failed(Code::bad_arguments);
  if (!write.has_acl) return failed(Code::invalid_acl);
  // A missing parent is reported before any error in the path (Z51).
  const std::string parent(root_for_empty(parent_of(write.path)));
  if (find(parent) == nullptr) return failed(Code::no_node);
  std::string path = write.path;
  if (is_sequential(mode)) path += sequence_text(find(parent)->created);
  if (!is_valid_path(path)) return failed(Code::bad_arguments);
  if (find(path) != nullptr) return failed(Code::node_exists);
  if (find(parent)->stat.ephemeral_owner != 0) return failed(Code::no_children_for_ephemerals);

  if (undo != nullptr) {
    undo->remember(parent);
    undo->remember(path);
  }
  Node& made = nodes_[path];
  made.data = write.data;
  made.stat = {.czxid = stamp.zxid,
               .mzxid = stamp.zxid,
               .ctime = stamp.ms,
               .mtime = stamp.ms,
               .ephemeral_owner = is_ephemeral(mode) ? write.session : 0,
               .pzxid = stamp.zxid};
  made.container = mode == CreateMode::container;
  made.tenure = stamp.tenure;
  const Stat stat = stat_of(made);
  if (is_ephemeral(mode)) ephemerals_[write.session].insert(path);
  if (made.container) containers_.insert(path);
  Node& above = *node(parent);
  above.children.emplace(path.substr(path.rfind('/') + 1));
  count_child(above, stamp.zxid);
  changes.push_back({EventType::created, path, stamp.tenure, stat.ephemeral_owner});
  changes.push_back({EventType::children_changed, parent});
  return {.path = std::move(path), .stat = stat};
}

Result Tree::remove(const Write& write, const Stamp& stamp, std::vector<Change>& changes,
                    Undo* undo) {
  if (write.path.find('/') == std::string::npos || is_special(write.path))
    return failed(Code::bad_arguments);
  const Node* gone = find(write.path);
  if (gone == nullptr) return failed(Code::no_node);
  if (!expected(write.version, *gone)) return failed(Code::bad_version);
  if (!gone->children.empty()) return failed(Code::not_empty);
  if (undo != nullptr) {
    undo->remember(parent_of(write.path));
    undo->remember(write.path);
  }
  unlink(write.path, stamp.zxid, changes);
  return {};
}

// Requires: the node exists and has no children.
void Tree::unlink(const std::string& path, Zxid zxid, std::vector<Change>& changes) {
  const SessionId owner = find(path)->stat.ephemeral_owner;
  const history::TenureId tenure = find(path)->tenure;
  const std::string parent(root_for_empty(parent_of(path)));
  if (owner != 0) ephemerals_[owner].erase(path);
  containers_.erase(path);
  nodes_.erase(path);
  Node& above = *node(parent);
  above.children.erase(path.substr(path.rfind('/') + 1));
  above.stat.pzxid = zxid;
  changes.push_back({EventType::deleted, path, tenure, owner});
  changes.push_back({EventType::children_changed, parent});
}

Result Tree::set_data(const Write& write, const Stamp& stamp, std::vector<Change>& changes,
                      Undo* undo) {
  if (!is_valid_path(write.path)) return failed(Code::bad_arguments);
  Node* changed = node(write.path);
  if (changed == nullptr) return failed(Code::no_node);
  if (write.path == kConfig) return failed(Code::no_auth);
  if (!expected(write.version, *changed)) return failed(Code::bad_version);
  if (undo != nullptr) undo->remember(write.path);
  changed->data = write.data;
  changed->stat.mzxid = stamp.zxid;
  changed->stat.mtime = stamp.ms;
  ++changed->stat.version;
  changes.push_back({EventType::data_changed, write.path});
  return {.stat = stat_of(*changed)};
}

Result Tree::check(const Write& write) const {
  if (!is_valid_path(write.path)) return failed(Code::bad_arguments);
  const Node* checked = find(write.path);
  if (checked == nullptr) return failed(Code::no_node);
  return failed(expected(write.version, *checked) ? Code::ok : Code::bad_version);
}

Result Tree::multi(const Write& write, const Stamp& stamp, std::vector<Change>& changes) {
  if (!std::all_of(write.parts.begin(), write.parts.end(), may_stand_in_multi))
    return failed(Code::marshalling_error);
  const std::size_t changes_before = changes.size();
  Undo undo(*this);
  Result all;
  for (const Write& one : write.parts) {
    if (has_lifetime(one)) {
      undo.roll_back();
      changes.resize(changes_before);
      return failed(Code::marshalling_error);
    }
    all.parts.push_back(part(one, stamp, changes, &undo));
    if (all.parts.back().code == Code::ok) continue;
    // The parts already done are undone, though nothing in their results says so; the later parts
    // were not tried (Z52).
    undo.roll_back();
    changes.resize(changes_before);
    all.code = all.parts.back().code;
    for (Result& done : all.parts) done = failed(done.code);
    all.parts.resize(write.parts.size(), failed(Code::runtime_inconsistency));
    break;
  }
  return all;
}

void Tree::close_session(SessionId id, const Stamp& stamp, std::vector<Change>& changes) {
  const std::set<std::string> its = ephemerals_of(id);
  for (const std::string& path : its) unlink(path, stamp.zxid, changes);
  ephemerals_.erase(id);
  sessions_.erase(id);
}

}  // namespace picklock::zookeeper
