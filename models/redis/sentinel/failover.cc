// A failover, from the attempt to be elected to the switch to the promoted replica.
#include <array>

#include "models/redis/numbers.h"
#include "models/redis/sentinel/promotion.h"
#include "models/redis/sentinel/sentinel.h"

namespace picklock::redis {
namespace {

// `Sat Jan  4 10:20:30 2025`, of an instant in milliseconds since 1970.
std::string calendar_time(Milliseconds at) {
  using namespace std::chrono;
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                     "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const sys_seconds second{seconds(at / 1000)};
  const sys_days day = floor<days>(second);
  const year_month_day date(day);
  const hh_mm_ss clock(second - day);
  const auto padded = [](auto number, char with) {
    const std::string digits = std::to_string(number);
    return digits.size() < 2 ? with + digits : digits;
  };
  std::string text(kDays[weekday(day).c_encoding()]);
  text.append(1, ' ').append(kMonths[static_cast<unsigned>(date.month()) - 1]);
  text += ' ' + padded(static_cast<unsigned>(date.day()), ' ') + ' ';
  text += padded(clock.hours().count(), '0') + ':' + padded(clock.minutes().count(), '0') + ':' +
          padded(clock.seconds().count(), '0');
  return text + ' ' + std::to_string(static_cast<int>(date.year()));
}

}  // namespace

void Sentinel::enter(Instance& master, FailoverState state) {
  master.failover_state = state;
  master.failover_state_at = now();
}

bool Sentinel::start_failover_if_needed(Instance& master) {
  if (!master.objectively_down || master.failover_in_progress) return false;
  // An attempt must not follow soon after another, either its own or that of the Sentinel that it
  // voted for (R69).
  const Milliseconds not_before = master.failover_started_at + 2 * master.failover_timeout;
  if (now() < not_before) {
    if (master.failover_delay_logged != master.failover_started_at) {
      master.failover_delay_logged = master.failover_started_at;
      log("Next failover delay: I will not start a failover before " + calendar_time(not_before));
    }
    return false;
  }
  start_failover(master);
  return true;
}

void Sentinel::start_failover(Instance& master) {
  master.failover_in_progress = true;
  master.failover_epoch = ++epoch_;
  event("+new-epoch", std::to_string(epoch_));
  event("+try-failover", master);
  const auto delay = static_cast<Milliseconds>(random_.below(kMaxDesync));
  master.failover_started_at = now() + delay;
  enter(master, FailoverState::wait_start);
}

void Sentinel::drive_failover(Instance& master) {
  if (!master.failover_in_progress) return;
  switch (master.failover_state) {
    case FailoverState::wait_start:
      wait_start(master);
      return;
    case FailoverState::select_replica:
      select_replica(master);
      return;
    case FailoverState::send_no_one:
      send_no_one(master);
      return;
    case FailoverState::wait_promotion:
      wait_promotion(master);
      return;
    case FailoverState::reconfigure_replicas:
      reconfigure_replicas(master);
      return;
    case FailoverState::none:
    case FailoverState::update_config:
      return;
  }
}

void Sentinel::wait_start(Instance& master) {
  const bool elected = leader_of(master, master.failover_epoch) == id_;
  if (!elected && !master.forced) {
    const Milliseconds patience =
        kElectionTimeout < master.failover_timeout ? kElectionTimeout : master.failover_timeout;
    if (now() - master.failover_started_at > patience)
      abort_failover(master, "-failover-abort-not-elected");
    return;
  }
  event("+elected-leader", master);
  tell("is elected to replace " + process_at(master.address));
  enter(master, FailoverState::select_replica);
  event("+failover-state-select-slave", master);
}

void Sentinel::select_replica(Instance& master) {
  Instance* const replica = best_for_promotion(master, now());
  if (replica == nullptr) {
    abort_failover(master, "-failover-abort-no-good-slave");
    return;
  }
  event("+selected-slave", *replica);
  replica->promoted = true;
  master.promoted_replica = replica;
  enter(master, FailoverState::send_no_one);
  event("+failover-state-send-slaveof-noone", *replica);
}

void Sentinel::send_no_one(Instance& master) {
  Instance& replica = *master.promoted_replica;
  if (replica.contact->disconnected) {
    if (now() - master.failover_state_at > master.failover_timeout)
      abort_failover(master, "-failover-abort-slave-timeout");
    return;
  }
  send_replicaof(replica, nullptr);
  event("+failover-state-wait-promotion", replica);
  enter(master, FailoverState::wait_promotion);
}

// The replica's INFO will show the promotion (promotion_seen).
void Sentinel::wait_promotion(Instance& master) {
  if (now() - master.failover_state_at > master.failover_timeout)
    abort_failover(master, "-failover-abort-slave-timeout");
}

void Sentinel::promotion_seen(Instance& replica) {
  Instance& master = *replica.master;
  master.config_epoch = master.failover_epoch;
  enter(master, FailoverState::reconfigure_replicas);
  save();
  event("+promoted-slave", replica);
  event("+failover-state-reconf-slaves", master);
  say_hello_soon(master);
}

void Sentinel::reconfigure_replicas(Instance& master) {
  std::uint32_t under_way = 0;
  for (const auto& replica : master.replicas)
    under_way += replica->reconf_sent || replica->reconf_in_progress ? 1u : 0u;
  for (const auto& replica : master.replicas) {
    if (under_way >= master.parallel_syncs) break;
    if (replica->promoted || replica->reconf_done) continue;
    // A replica that makes no progress is skipped; its wrong configuration is found and corrected
    // later.
    if (replica->reconf_sent && now() - replica->reconf_sent_at > kReconfTimeout) {
      event("-slave-reconf-sent-timeout", *replica);
      replica->reconf_sent = false;
      replica->reconf_done = true;
    }
    if (replica->reconf_sent || replica->reconf_in_progress || replica->contact->disconnected)
      continue;
    replica->reconf_sent_at = now();
    reconfigure(*replica, "+slave-reconf-sent");
    ++under_way;
  }
  detect_end(master);
}

void Sentinel::reconfigure(Instance& replica, std::string_view name) {
  send_replicaof(replica, &replica.master->promoted_replica->address);
  replica.reconf_sent = true;
  event(name, replica);
}

void Sentinel::detect_end(Instance& master) {
  if (master.promoted_replica == nullptr || master.promoted_replica->subjectively_down) return;
  bool all_done = true;
  for (const auto& replica : master.replicas)
    all_done =
        all_done && (replica->promoted || replica->reconf_done || replica->subjectively_down);
  const bool timed_out = now() - master.failover_state_at > master.failover_timeout;
  if (timed_out) event("+failover-end-for-timeout", master);
  if (all_done || timed_out) {
    event("+failover-end", master);
    enter(master, FailoverState::update_config);
  }
  if (!timed_out) return;
  for (const auto& replica : master.replicas) {
    const bool done = replica->promoted || replica->reconf_done || replica->reconf_sent;
    if (!done && !replica->contact->disconnected) reconfigure(*replica, "+slave-reconf-sent-be");
  }
}

void Sentinel::abort_failover(Instance& master, std::string_view name) {
  event(name, master);
  master.failover_in_progress = master.forced = false;
  enter(master, FailoverState::none);
  if (master.promoted_replica == nullptr) return;
  master.promoted_replica->promoted = false;
  master.promoted_replica = nullptr;
}

void Sentinel::switch_to_promoted(Instance& master) {
  const Address to =
      master.promoted_replica != nullptr ? master.promoted_replica->address : master.address;
  switch_address(master, to);
}

// From here on another server is the master, and the old one is a replica like the rest.
void Sentinel::switch_address(Instance& master, const Address& address) {
  event("+switch-master", master.name + ' ' + master.address.host + ' ' +
                              std::to_string(master.address.port) + ' ' + address.host + ' ' +
                              std::to_string(address.port));
  tell("knows " + process_at(address) + " as the primary");
  std::vector<Address> others;
  for (const auto& replica : master.replicas) {
    if (replica->address != address) others.push_back(replica->address);
  }
  if (master.address != address) others.push_back(master.address);
  retire_if(master.replicas, [](const Instance&) { return true; });

  Contact& contact = *master.contact;
  contact.close();
  const Milliseconds time = now();
  contact.unanswered_since = contact.last_available_at = contact.last_pong_at = time;
  contact.last_ping_at = 0;
  master.subjectively_down = master.objectively_down = false;
  master.failover_in_progress = master.forced = master.script_kill_sent = false;
  master.leader.clear();
  master.failover_state = FailoverState::none;
  master.failover_state_at = 0;
  master.failover_started_at = 0;  // it may fail over again at once (R69)
  master.promoted_replica = nullptr;
  master.run_id.clear();
  master.master_host.clear();
  master.role_reported = InstanceKind::master;
  master.role_reported_at = time;
  master.address = address;
  master.subjectively_down_since = master.objectively_down_since = 0;
  for (const Address& other : others) {
    if (const Instance* replica = add_replica(master, other)) event("+slave", *replica);
  }
  save();
}

// Disconnects clients, so that they look up the master again (R66). The result shows in INFO.
void Sentinel::send_replicaof(Instance& instance, const Address* master) {
  const Digits port(master != nullptr ? master->port : 0);
  send(instance, {"MULTI"});
  if (master != nullptr) {
    send(instance, {"SLAVEOF", master->host, port.view()});
  } else {
    send(instance, {"SLAVEOF", "NO", "ONE"});
  }
  send(instance, {"CONFIG", "REWRITE"});
  send(instance, {"CLIENT", "KILL", "TYPE", "normal"});
  send(instance, {"CLIENT", "KILL", "TYPE", "pubsub"});
  send(instance, {"EXEC"});
}

}  // namespace picklock::redis
