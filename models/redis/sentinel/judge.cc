// Judges whether an instance is down, in a Sentinel's own view and in that of enough Sentinels, and
// elects the leader of a failover.
#include <utility>

#include "models/redis/numbers.h"
#include "models/redis/sentinel/sentinel.h"

namespace picklock::redis {

void Sentinel::check_subjectively_down(Instance& instance) {
  Contact& contact = *instance.contact;
  const Milliseconds time = now();
  Milliseconds silent_for = 0;
  if (contact.unanswered_since != 0) {
    silent_for = time - contact.unanswered_since;
  } else if (contact.disconnected) {
    silent_for = time - contact.last_available_at;
  }

  // A connection that seems dead is replaced.
  const Milliseconds half = instance.down_after / 2;
  if (contact.commands.dialled() && time - contact.commands_dialled_at > kMinReconnectPeriod &&
      contact.unanswered_since != 0 && time - contact.unanswered_since > half &&
      time - contact.last_pong_at > half)
    contact.close_commands();
  if (contact.pubsub.dialled() && time - contact.pubsub_dialled_at > kMinReconnectPeriod &&
      time - contact.last_heard_at > 3 * kPublishPeriod)
    contact.close_pubsub();

  const bool long_a_replica =
      instance.kind == InstanceKind::master && instance.role_reported == InstanceKind::replica &&
      time - instance.role_reported_at > instance.down_after + 2 * kInfoPeriod;
  const bool down = silent_for > instance.down_after || long_a_replica;
  if (down == instance.subjectively_down) return;
  event(down ? "+sdown" : "-sdown", instance);
  instance.subjectively_down = down;
  if (down) {
    instance.subjectively_down_since = time;
  } else {
    instance.script_kill_sent = false;
  }
}

void Sentinel::check_objectively_down(Instance& master) {
  std::uint32_t agreeing = 0;
  if (master.subjectively_down) {
    agreeing = 1;
    for (const auto& other : master.sentinels) agreeing += other->finds_master_down ? 1u : 0u;
  }
  const bool down = master.subjectively_down && agreeing >= master.quorum;
  if (down == master.objectively_down) return;
  if (down) {
    tell("and others find " + process_at(master.address) + " down");
    event("+odown", described(master) + " #quorum " + std::to_string(agreeing) + '/' +
                        std::to_string(master.quorum));
    master.objectively_down_since = now();
  } else {
    event("-odown", master);
  }
  master.objectively_down = down;
}

void Sentinel::ask_others(Instance& master, bool forced) {
  const Milliseconds time = now();
  for (const auto& other : master.sentinels) {
    const Milliseconds since_reply = time - other->last_down_reply_at;
    if (since_reply > 5 * kAskPeriod) {
      other->finds_master_down = false;
      other->leader.clear();
    }
    if (!master.subjectively_down || other->contact->disconnected) continue;
    if (!forced && since_reply < kAskPeriod) continue;
    const Digits port(master.address.port);
    const Digits epoch(static_cast<std::int64_t>(epoch_));
    const bool wants_vote = master.failover_state != FailoverState::none;
    send(*other,
         {"SENTINEL", "is-master-down-by-addr", master.address.host, port.view(), epoch.view(),
          wants_vote ? std::string_view(id_) : std::string_view("*")},
         Asked::is_master_down);
  }
}

void Sentinel::raise_epoch(std::uint64_t epoch) {
  if (epoch <= epoch_) return;
  epoch_ = epoch;
  save();
  event("+new-epoch", std::to_string(epoch_));
}

// Gives one vote in an epoch, to the first candidate that requests it.
std::string_view Sentinel::vote(Instance& master, std::uint64_t epoch, std::string_view candidate) {
  raise_epoch(epoch);
  if (master.leader_epoch < epoch && epoch_ <= epoch) {
    master.leader.assign(candidate);
    master.leader_epoch = epoch_;
    save();
    event("+vote-for-leader", master.leader + ' ' + std::to_string(master.leader_epoch));
    // The other candidate gets time before this Sentinel tries (R69).
    if (master.leader != id_) {
      const auto delay = static_cast<Milliseconds>(random_.below(kMaxDesync));
      master.failover_started_at = now() + delay;
    }
  }
  return master.leader;
}

// The candidate with the votes of a majority of the known Sentinels and of at least the quorum;
// empty: none.
std::string Sentinel::leader_of(Instance& master, std::uint64_t epoch) {
  std::vector<std::pair<std::string, std::uint32_t>> votes;
  const auto count = [&](std::string_view candidate) {
    for (auto& [name, number] : votes) {
      if (name == candidate) return ++number;
    }
    votes.emplace_back(candidate, 1);
    return std::uint32_t{1};
  };
  for (const auto& other : master.sentinels) {
    if (!other->leader.empty() && other->leader_epoch == epoch_) count(other->leader);
  }
  std::string winner;
  std::uint32_t most = 0;
  for (const auto& [name, number] : votes) {
    if (number <= most) continue;
    winner = name;
    most = number;
  }
  const std::string mine(vote(master, epoch, winner.empty() ? id_ : winner));
  if (!mine.empty() && master.leader_epoch == epoch) {
    const std::uint32_t number = count(mine);
    if (number > most) {
      winner = mine;
      most = number;
    }
  }
  const std::size_t majority = (master.sentinels.size() + 1) / 2 + 1;
  if (most < majority || most < master.quorum) winner.clear();
  return winner;
}

}  // namespace picklock::redis
