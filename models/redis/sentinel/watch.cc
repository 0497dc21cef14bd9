// How a Sentinel stays in contact with the instances that it watches and uses their answers.
#include <algorithm>

#include "models/redis/sentinel/sentinel.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

constexpr unsigned kTagBits = 8;  // the kind of the request; the instance's serial is above

}  // namespace

// ---------------------------------------------------------------- connections

Contact::Contact(Sentinel& sentinel, Milliseconds now)
    : commands(*this),
      pubsub(*this),
      unanswered_since(now),
      last_available_at(now),
      last_pong_at(now),
      sentinel_(sentinel) {}

void Contact::close_commands() {
  if (!commands.dialled()) return;
  commands.close();
  disconnected = true;
}

void Contact::close_pubsub() {
  if (!pubsub.dialled()) return;
  pubsub.close();
  disconnected = true;
}

void Contact::on_lost(Link&) { disconnected = true; }

void Contact::on_reply(Link& link, std::uint64_t tag, std::string_view reply) {
  // The confirmation of the subscription counts as a message.
  if (&link == &pubsub) {
    last_heard_at = sentinel_.now();
    return;
  }
  sentinel_.answered(tag, reply);
}

void Contact::on_pushed(Link&, std::string_view message) {
  last_heard_at = sentinel_.now();
  sentinel_.heard(message);
}

const std::string& Sentinel::password_of(const Instance& instance) const {
  if (instance.kind == InstanceKind::sentinel) return password_;
  const Instance& master = instance.master == nullptr ? instance : *instance.master;
  return std::find_if(configs_.begin(), configs_.end(),
                      [&master](const SentinelConfig& one) { return one.name == master.name; })
      ->password;
}

void Sentinel::connect(Instance& instance) {
  Contact& contact = *instance.contact;
  const Milliseconds time = now();
  if (!contact.disconnected || time - contact.last_dialled_at < kPingPeriod) return;
  contact.last_dialled_at = time;
  const Node* node = directory_->find(instance.address.host, instance.address.port);
  const std::string name = "sentinel-" + id_.substr(0, 8);
  const std::string& password = password_of(instance);
  if (!contact.commands.dialled()) {
    contact.commands_dialled_at = time;
    contact.commands.dial(simulation(), process(), node, ++dials_);
    if (!password.empty()) send(instance, {"AUTH", password});
    send(instance, {"CLIENT", "SETNAME", name + "-cmd"});
    ping(instance);
  }
  const bool has_channels = instance.kind != InstanceKind::sentinel;
  if (has_channels && !contact.pubsub.dialled()) {
    contact.pubsub_dialled_at = time;
    contact.pubsub.dial(simulation(), process(), node, ++dials_);
    if (!password.empty()) contact.pubsub.send({"AUTH", password});
    contact.pubsub.send({"CLIENT", "SETNAME", name + "-pubsub"});
    contact.pubsub.send({"SUBSCRIBE", kHelloChannel});
  }
  contact.disconnected = false;
}

// ---------------------------------------------------------------- questions

void Sentinel::send(Instance& instance, std::initializer_list<std::string_view> argv, Asked asked) {
  instance.contact->commands.send(
      argv, std::uint64_t{instance.serial} << kTagBits | static_cast<std::uint64_t>(asked));
}

void Sentinel::ping(Instance& instance) {
  Contact& contact = *instance.contact;
  send(instance, {"PING"}, Asked::ping);
  contact.last_ping_at = now();
  // The oldest unanswered PING counts.
  if (contact.unanswered_since == 0) contact.unanswered_since = contact.last_ping_at;
}

void Sentinel::ask_periodically(Instance& instance) {
  Contact& contact = *instance.contact;
  const auto sharers = static_cast<std::size_t>(instance.contact.use_count());
  if (contact.disconnected || contact.commands.pending() >= kMaxPending * sharers) return;
  const Milliseconds time = now();
  // A replica that may become a master, or has lost its own, is watched closely.
  const bool closely = instance.kind == InstanceKind::replica &&
                       (instance.master->objectively_down ||
                        instance.master->failover_in_progress || instance.link_down_ms != 0);
  const Milliseconds info_period = closely ? kPingPeriod : kInfoPeriod;
  const Milliseconds ping_period =
      instance.down_after < kPingPeriod ? instance.down_after : kPingPeriod;
  if (instance.kind != InstanceKind::sentinel &&
      (instance.info_at == 0 || time - instance.info_at > info_period))
    send(instance, {"INFO"}, Asked::info);
  if (time - contact.last_pong_at > ping_period && time - contact.last_ping_at > ping_period / 2)
    ping(instance);
  if (time - instance.last_published_at > kPublishPeriod) say_hello(instance);
}

// ---------------------------------------------------------------- answers

void Sentinel::answered(std::uint64_t tag, std::string_view reply) {
  Instance* const instance = find(static_cast<std::uint32_t>(tag >> kTagBits));
  if (instance == nullptr) return;
  switch (static_cast<Asked>(tag & ((1u << kTagBits) - 1))) {
    case Asked::nothing:
      return;
    case Asked::ping:
      ping_answered(*instance, reply);
      return;
    case Asked::info:
      info_answered(*instance, reply);
      return;
    case Asked::publish:
      // A refused hello is sent again at the next tick.
      if (!reply.starts_with('-')) instance->last_published_at = now();
      return;
    case Asked::is_master_down:
      is_master_down_answered(*instance, reply);
      return;
  }
}

void Sentinel::ping_answered(Instance& instance, std::string_view reply) {
  Contact& contact = *instance.contact;
  const std::string_view text = reply.substr(1);
  if (text.starts_with("PONG") || text.starts_with("LOADING") || text.starts_with("MASTERDOWN")) {
    contact.last_available_at = now();
    contact.unanswered_since = 0;
  } else if (text.starts_with("BUSY") && instance.subjectively_down && !instance.script_kill_sent) {
    send(instance, {"SCRIPT", "KILL"});
    instance.script_kill_sent = true;
  }
  contact.last_pong_at = now();
}

void Sentinel::is_master_down_answered(Instance& other, std::string_view reply) {
  const bool well_formed = read_reply(reply, reply_) && reply_.kind == Reply::Kind::array &&
                           reply_.elements.size() == 3 &&
                           reply_.elements[0].kind == Reply::Kind::integer &&
                           reply_.elements[1].kind == Reply::Kind::bulk &&
                           reply_.elements[2].kind == Reply::Kind::integer;
  if (!well_formed) return;
  other.last_down_reply_at = now();
  other.finds_master_down = reply_.elements[0].integer == 1;
  const std::string& leader = reply_.elements[1].text;
  if (leader == "*") return;
  const auto epoch = static_cast<std::uint64_t>(reply_.elements[2].integer);
  if (other.leader_epoch != epoch)
    log(other.name + " voted for " + leader + ' ' + std::to_string(epoch));
  other.leader = leader;
  other.leader_epoch = epoch;
}

void Sentinel::info_answered(Instance& instance, std::string_view reply) {
  if (!reply.starts_with('$') || reply.starts_with("$-1")) return;
  reply.remove_prefix(reply.find("\r\n") + 2);
  reply.remove_suffix(2);
  read_info(reply, info_);
  take_info(instance);
  take_role(instance);
  if (!tilt_ && instance.kind == InstanceKind::replica) watch_replica(instance);
}

void Sentinel::take_info(Instance& instance) {
  if (!info_.run_id.empty() && instance.run_id != info_.run_id) {
    if (!instance.run_id.empty()) event("+reboot", instance);
    instance.run_id.assign(info_.run_id);
  }
  if (instance.kind == InstanceKind::master) {
    for (const ServerInfo::Replica& told : info_.replicas) {
      const Instance* replica = add_replica(instance, {std::string(told.host), told.port});
      if (replica == nullptr) continue;
      event("+slave", *replica);
      save();
    }
  }
  const Milliseconds time = now();
  instance.link_down_ms = info_.link_down_ms;
  if (info_.master_host && *info_.master_host != instance.master_host) {
    instance.master_host.assign(*info_.master_host);
    instance.replica_config_changed_at = time;
  }
  if (info_.master_port && *info_.master_port != instance.master_port) {
    instance.master_port = *info_.master_port;
    instance.replica_config_changed_at = time;
  }
  if (info_.link_up) instance.link_up = *info_.link_up;
  if (info_.priority) instance.priority = *info_.priority;
  if (info_.offset) instance.offset = *info_.offset;
  instance.info_at = time;
}

void Sentinel::take_role(Instance& instance) {
  const InstanceKind role = info_.is_replica ? InstanceKind::replica : InstanceKind::master;
  if (!info_.tells_role || role == instance.role_reported) return;
  instance.role_reported_at = now();
  instance.role_reported = role;
  if (role == InstanceKind::replica) instance.replica_config_changed_at = now();
  event(instance.kind == role ? "+role-change" : "-role-change",
        described(instance) + " new reported role is " +
            (role == InstanceKind::master ? "master" : "slave"),
        false);
}

bool Sentinel::looks_sane(const Instance& master) const {
  return master.role_reported == InstanceKind::master && !master.subjectively_down &&
         !master.objectively_down && now() - master.info_at < 2 * kInfoPeriod;
}

void Sentinel::watch_replica(Instance& replica) {
  if (replica.role_reported == InstanceKind::master) {
    watch_claim(replica);
    return;
  }
  const Instance& master = *replica.master;
  const bool follows_master =
      replica.master_port == master.address.port && replica.master_host == master.address.host;
  if (!follows_master && looks_sane(master) &&
      replica.not_down_for(master.failover_timeout, now()) &&
      now() - replica.replica_config_changed_at > master.failover_timeout) {
    send_replicaof(replica, &master.address);
    event("+fix-slave-config", replica);
  }
  watch_reconfiguration(replica);
}

// A replica says that it is a master. If it was not promoted, it is an old master and gets time to
// learn of a newer configuration before it is made a replica. Its INFO is requested only every ten
// seconds, so it accepts writes for that long after its return (R64, R65).
void Sentinel::watch_claim(Instance& replica) {
  Instance& master = *replica.master;
  if (replica.promoted && master.failover_in_progress &&
      master.failover_state == FailoverState::wait_promotion) {
    promotion_seen(replica);
    return;
  }
  constexpr Milliseconds kPatience = 4 * kPublishPeriod;
  if (replica.promoted || !looks_sane(master) || !replica.not_down_for(kPatience, now()) ||
      now() - replica.role_reported_at <= kPatience)
    return;
  send_replicaof(replica, &master.address);
  event("+convert-to-slave", replica);
  tell("orders " + process_at(replica.address) + " to follow " + process_at(master.address));
}

void Sentinel::watch_reconfiguration(Instance& replica) {
  const Instance* promoted = replica.master->promoted_replica;
  if (replica.reconf_sent && promoted != nullptr && replica.master_host == promoted->address.host &&
      replica.master_port == promoted->address.port) {
    replica.reconf_sent = false;
    replica.reconf_in_progress = true;
    event("+slave-reconf-inprog", replica);
  }
  if (replica.reconf_in_progress && replica.link_up) {
    replica.reconf_in_progress = false;
    replica.reconf_done = true;
    event("+slave-reconf-done", replica);
  }
}

}  // namespace picklock::redis
