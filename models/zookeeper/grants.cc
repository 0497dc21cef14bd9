#include "models/zookeeper/grants.h"

namespace picklock::zookeeper {
void Grants::reset(sim::Simulation& simulation, sim::ProcessId place, models::Tenures& tenures,
                   std::string_view lock_key, bool outlives_session) {
  simulation_ = &simulation;
  place_ = place;
  tenures_ = &tenures;
  path_ = lock_path(lock_key);
  outlives_session_ = outlives_session;
  contenders_.clear();
  holder_.reset();
  committed_ = 0;
}

std::optional<Grants::Contender> Grants::contender(const Change& change) const {
  if (change.path == path_) return Contender{0, change.path, change.tenure, change.session};
  if (parent_of(change.path) != path_) return std::nullopt;
  const auto sequence = sequence_of(change.path);
  if (!sequence) return std::nullopt;
  return Contender{*sequence, change.path, change.tenure, change.session};
}

void Grants::committed(const Proposal& proposal, std::span<const Change> changes) {
  committed_ = proposal.zxid;
  const bool ends = proposal.write.op == OpCode::close_session;
  for (const Change& change : changes) {
    if (change.type != EventType::created && change.type != EventType::deleted) continue;
    auto one = contender(change);
    if (!one) continue;
    if (change.type == EventType::deleted) {
      contenders_.erase(*one);
    } else if (contends(change.path, change.session)) {
      if (tenures_->arrives(change.tenure))
        note(sim::What::queued, sim::Cause::command, Role::acquire, change.tenure, 0);
      contenders_.insert(*std::move(one));
    }
  }
  const bool freed = outlives_session_ && proposal.tenure == 0;
  decide(ends    ? sim::Cause::session_end
         : freed ? sim::Cause::coordinator
                 : sim::Cause::command,
         proposal.tenure);
}

void Grants::restored(const Tree& tree, Zxid last) {
  contenders_.clear();
  const auto add = [this](std::string_view path, const Node& node) {
    const Change made{EventType::created, std::string(path), node.tenure,
                      node.stat.ephemeral_owner};
    auto one = contends(path, made.session) ? contender(made) : std::nullopt;
    if (one) contenders_.insert(*std::move(one));
  };
  if (const Node* lock = tree.find(path_)) {
    add(path_, *lock);
    for (const std::string& child : lock->children) {
      const std::string path = child_of(path_, child);
      add(path, *tree.find(path));
    }
  }
  // An end of its session that was decided on but not yet carried out is one all the same.
  const bool ended =
      holder_ && holder_->session != 0 && !tree.has_session(holder_->session) && last >= committed_;
  committed_ = last;
  decide(ended ? sim::Cause::session_end : sim::Cause::restart, 0);
}

// Whoever is first now has the entry.
void Grants::decide(sim::Cause cause, sim::TenureId by) {
  if (contenders_.empty() ? !holder_ : holder_ && *holder_ == *contenders_.begin()) return;
  const bool by_command = cause == sim::Cause::command;
  if (holder_) {
    note(sim::What::entry_removed, cause, by_command ? Role::release : Role::none, by,
         holder_->tenure);
    tenures_->removed(holder_->tenure, tenures_->lock_key());
  }
  holder_.reset();
  if (contenders_.empty()) return;
  holder_ = *contenders_.begin();
  tenures_->granted(holder_->tenure, tenures_->lock_key());
  note(sim::What::entry_created, cause == sim::Cause::restart ? cause : sim::Cause::command,
       Role::acquire, holder_->tenure, 0);
}

void Grants::note(sim::What what, sim::Cause cause, Role role, sim::TenureId by,
                  sim::TenureId owner) {
  simulation_->scheduler.recorder().note({.at = simulation_->now(),
                                          .what = what,
                                          .cause = cause,
                                          .role = static_cast<std::uint8_t>(role),
                                          .process = place_,
                                          .tenure = by,
                                          .owner = owner,
                                          .key = tenures_->lock_key()});
}

}  // namespace picklock::zookeeper
