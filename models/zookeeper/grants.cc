#include "models/zookeeper/grants.h"

#include <utility>
#include <vector>

#include "history/recorded_simulation.h"

namespace picklock::zookeeper {

void Grants::reset(history::RecordedSimulation& simulation, sim::ProcessId place,
                   models::Tenures& tenures, const models::NamedKey& lock, bool outlives_session) {
  simulation_ = &simulation;
  place_ = place;
  tenures_ = &tenures;
  key_ = lock.id;
  path_ = lock_path(lock.name);
  outlives_session_ = outlives_session;
  contenders_.clear();
  holder_.reset();
}

std::optional<Grants::Contender> Grants::contender(const Change& change) const {
  if (change.path == path_) return Contender{0, change.path, change.tenure, change.session};
  if (parent_of(change.path) != path_) return std::nullopt;
  const auto sequence = sequence_of(change.path);
  if (!sequence) return std::nullopt;
  return Contender{*sequence, change.path, change.tenure, change.session};
}

void Grants::committed(const Proposal& proposal, std::span<const Change> changes) {
  const bool ends = proposal.write.op == OpCode::close_session;
  for (const Change& change : changes) {
    if (change.type != EventType::created && change.type != EventType::deleted) continue;
    auto one = contender(change);
    if (!one) continue;
    if (change.type == EventType::deleted) {
      contenders_.erase(*one);
    } else if (contends(change.path, change.session)) {
      if (tenures_->arrives(change.tenure))
        note(history::What::queued, history::Cause::command, Role::acquire, change.tenure, 0);
      contenders_.insert(*std::move(one));
    }
  }
  const bool freed = outlives_session_ && proposal.tenure == 0;
  decide(ends    ? history::Cause::session_end
         : freed ? history::Cause::coordinator
                 : history::Cause::command,
         proposal.tenure);
}

void Grants::restored(const Tree& tree, bool complete) {
  std::vector<Change> nodes;
  const auto add = [&nodes](std::string path, const Node& node) {
    nodes.push_back({EventType::created, std::move(path), node.tenure, node.stat.ephemeral_owner});
  };
  if (const Node* lock = tree.find(path_)) {
    add(path_, *lock);
    for (const std::string& child : lock->children) {
      std::string path = child_of(path_, child);
      const Node& node = *tree.find(path);
      add(std::move(path), node);
    }
  }
  restored(nodes, tree, complete);
}

void Grants::restored(std::span<const Change> nodes, const Tree& tree, bool complete) {
  contenders_.clear();
  for (const Change& made : nodes) {
    auto one = contends(made.path, made.session) ? contender(made) : std::nullopt;
    if (one) contenders_.insert(*std::move(one));
  }
  // The session may have been ended by a decision that is not carried out yet; that counts as an
  // end too.
  const bool ended =
      holder_ && holder_->session != 0 && !tree.has_session(holder_->session) && complete;
  decide(ended ? history::Cause::session_end : history::Cause::restart, 0);
}

// The first contender has the entry.
void Grants::decide(history::Cause cause, history::TenureId by) {
  if (contenders_.empty() ? !holder_ : holder_ && *holder_ == *contenders_.begin()) return;
  // The number of the holder's znode may be the newcomer's too (Z62).
  const bool still_first = holder_ && contenders_.contains(*holder_) &&
                           holder_->sequence == contenders_.begin()->sequence;
  if (still_first) return;
  const bool by_command = cause == history::Cause::command;
  if (holder_) {
    note(history::What::entry_removed, cause, by_command ? Role::release : Role::none, by,
         holder_->tenure);
    tenures_->removed(holder_->tenure, key_);
  }
  holder_.reset();
  if (contenders_.empty()) return;
  holder_ = *contenders_.begin();
  tenures_->granted(holder_->tenure, key_);
  note(history::What::entry_created,
       cause == history::Cause::restart ? cause : history::Cause::command, Role::acquire,
       holder_->tenure, 0);
}

void Grants::note(history::What what, history::Cause cause, Role role, history::TenureId by,
                  history::TenureId owner) {
  simulation_->recorder.note({.at = simulation_->now(),
                              .what = what,
                              .cause = cause,
                              .role = role,
                              .process = place_,
                              .tenure = by,
                              .owner = owner,
                              .key = key_});
}

}  // namespace picklock::zookeeper
