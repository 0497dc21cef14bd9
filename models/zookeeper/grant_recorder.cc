#include "models/zookeeper/grant_recorder.h"

#include <algorithm>
#include <utility>

namespace picklock::zookeeper {
namespace {

// Whether the znode has the very name that its client gave it: a sequential one has a longer name.
bool is_named(const Write& write, std::string_view path) {
  return write.path == path ||
         std::any_of(write.parts.begin(), write.parts.end(),
                     [path](const Write& part) { return is_named(part, path); });
}

// A znode whose creation no leader has reported. Its number was drawn from those of its parent.
bool looks_sequential(const Tree& tree, std::string_view path) {
  const auto number = sequence_of(path);
  return number && *number < tree.find(parent_of(path))->created;
}

}  // namespace

// ---------------------------------------------------------------- the locks of a scenario

void KnownLocks::reset(history::RecordedSimulation& simulation, sim::ProcessId place,
                       models::Tenures& tenures, std::span<const std::string> keys,
                       bool outlives_session) {
  locks_.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    locks_[i].reset(simulation, place, tenures, {static_cast<history::KeyId>(i), keys[i]},
                    outlives_session);
  }
  committed_ = 0;
}

void KnownLocks::committed(const Proposal& proposal, std::span<const Change> changes) {
  if (proposal.zxid <= committed_) return;
  committed_ = proposal.zxid;
  for (Grants& lock : locks_) lock.committed(proposal, changes);
}

void KnownLocks::restored(const Tree& tree, Zxid last) {
  const bool complete = last >= committed_;
  committed_ = last;
  for (Grants& lock : locks_) lock.restored(tree, complete);
}

// ---------------------------------------------------------------- any lock

void AnyLock::reset(history::RecordedSimulation& simulation, sim::ProcessId place,
                    models::Tenures& tenures, models::Keys& keys) {
  simulation_ = &simulation;
  place_ = place;
  tenures_ = &tenures;
  keys_ = &keys;
  committed_ = 0;
  locks_.clear();
  nodes_.clear();
}

Grants& AnyLock::grants_of(const std::string& lock) {
  const auto [found, added] = locks_.try_emplace(lock);
  if (added) found->second.reset(*simulation_, place_, *tenures_, {keys_->id(lock), lock}, false);
  return found->second;
}

void AnyLock::forget_if_free(const std::string& lock) {
  const auto found = locks_.find(lock);
  if (found != locks_.end() && found->second.is_free()) locks_.erase(found);
}

void AnyLock::committed(const Proposal& proposal, std::span<const Change> changes) {
  if (proposal.zxid <= committed_) return;
  committed_ = proposal.zxid;
  ByLock by_lock;
  for (const Change& change : changes) {
    if (change.session == 0) continue;
    // A connection is no tenure: it takes many locks, and arrives at none of them in particular.
    tenures_->arrives(change.tenure);
    bool sequential = false;
    if (change.type == EventType::created) {
      sequential = !is_named(proposal.write, change.path);
      nodes_[change.path] = sequential;
    } else if (const auto known = nodes_.find(change.path); known != nodes_.end()) {
      sequential = known->second;
      nodes_.erase(known);
    }
    by_lock[lock_of(change.path, sequential)].push_back(change);
  }
  for (const auto& [lock, its] : by_lock) {
    grants_of(lock).committed(proposal, its);
    forget_if_free(lock);
  }
}

void AnyLock::restored(const Tree& tree, Zxid last) {
  const bool complete = last >= committed_;
  committed_ = last;
  const auto known = std::exchange(nodes_, {});
  ByLock by_lock;
  for (const auto& [lock, grants] : locks_) by_lock[lock];
  for (const auto& [session, timeout] : tree.sessions()) {
    for (const std::string& path : tree.ephemerals_of(session)) {
      const auto before = known.find(path);
      const bool sequential = before != known.end() ? before->second : looks_sequential(tree, path);
      nodes_[path] = sequential;
      by_lock[lock_of(path, sequential)].push_back(
          {EventType::created, path, tree.find(path)->tenure, session});
    }
  }
  for (const auto& [lock, its] : by_lock) {
    grants_of(lock).restored(its, tree, complete);
    forget_if_free(lock);
  }
}

}  // namespace picklock::zookeeper
