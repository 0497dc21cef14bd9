#include "models/redis/group.h"

#include <algorithm>

namespace picklock::redis {

void Group::reset(std::string_view name, Server& primary, const Directory& directory) {
  name_.assign(name);
  directory_ = &directory;
  members_.assign(1, &primary);
  sentinels_.clear();
  leader_ = &primary;
  primary.join_group(*this);
}

void Group::add_replica(Server& replica) {
  members_.push_back(&replica);
  replica.join_group(*this);
  replica.replication().configure(directory_->of(primary().process()));
  replica.replication().join(primary().replication());
}

bool Group::has(const sim::Process& process) const {
  return std::any_of(members_.begin(), members_.end(),
                     [&process](const Server* member) { return &member->process() == &process; });
}

bool Group::replicates(const sim::Process& process) const {
  return std::any_of(members_.begin(), members_.end(), [&process](Server* member) {
    return &member->process() == &process && member->replication().is_replica();
  });
}

void Group::fail_over(const Server& lost, const sim::Process* to) {
  if (leader_ != &lost) return;
  Server* next = nullptr;
  for (Server* member : members_) {
    if (member == &lost || member->process().down()) continue;
    if (to != nullptr && &member->process() != to) continue;
    if (next == nullptr ||
        member->replication().stream().offset > next->replication().stream().offset)
      next = member;
  }
  if (next == nullptr) return;
  leader_ = next;
  // Otherwise it would start again as a replica of the lost one.
  next->replication().configure(nullptr);
  next->replication().lead();
  const Node& node = *directory_->of(next->process());
  for (Server* member : members_) {
    if (member == next || member == &lost) continue;
    member->replication().configure(&node);
    if (!member->process().down()) member->replication().follow(node);
  }
}

void Group::promoted(const sim::Process& server) {
  const auto next = std::find_if(members_.begin(), members_.end(), [&server](Server* member) {
    return &member->process() == &server;
  });
  for (Server* member : members_) {
    if (member != *next && member->process().down())
      member->keyspace().source().renounce(&(*next)->keyspace().source());
  }
}

}  // namespace picklock::redis
