// A Sentinel's knowledge of the instances that it watches: masters, their replicas, and the other
// Sentinels of the same master. Times are milliseconds of the Sentinel's wall clock; 0: never.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/sentinel/config.h"
#include "models/redis/sentinel/link.h"

namespace picklock::redis {

class Sentinel;
struct Instance;

using Milliseconds = std::int64_t;

inline constexpr Milliseconds kInfoPeriod = 10'000;
inline constexpr Milliseconds kPingPeriod = 1'000;
inline constexpr Milliseconds kAskPeriod = 1'000;
inline constexpr Milliseconds kPublishPeriod = 2'000;
inline constexpr Milliseconds kTiltTrigger = 2'000;
inline constexpr Milliseconds kTiltPeriod = 30'000;
inline constexpr Milliseconds kReconfTimeout = 10'000;
inline constexpr Milliseconds kMinReconnectPeriod = 15'000;
inline constexpr Milliseconds kElectionTimeout = 10'000;
inline constexpr std::uint64_t kMaxDesync = 1'000;
inline constexpr std::size_t kMaxPending = 100;
inline constexpr std::int64_t kDefaultPriority = 100;
inline constexpr std::string_view kHelloChannel = "__sentinel__:hello";

// The connections to one address, and the health that they show. For another Sentinel there is one
// contact for all the masters that both monitor.
class Contact final : public LinkListener {
 public:
  Contact(Sentinel& sentinel, Milliseconds now);

  void close_commands();
  void close_pubsub();
  void close() {
    close_commands();
    close_pubsub();
  }
  void forget() {
    commands.forget();
    pubsub.forget();
  }

  void on_reply(Link& link, std::uint64_t tag, std::string_view reply) override;
  void on_pushed(Link& link, std::string_view message) override;
  void on_lost(Link& link) override;

  Link commands;
  Link pubsub;
  bool disconnected = true;  // at least one connection is missing
  Milliseconds commands_dialled_at = 0;
  Milliseconds pubsub_dialled_at = 0;
  Milliseconds last_dialled_at = 0;
  Milliseconds last_heard_at = 0;  // on the pub/sub connection
  // Since when a PING is unanswered; before there is a connection, since it was first wanted.
  Milliseconds unanswered_since;
  Milliseconds last_ping_at = 0;
  Milliseconds last_available_at;  // the last answer of an instance that is up
  Milliseconds last_pong_at;       // the last answer of any kind

 private:
  Sentinel& sentinel_;
};

enum class InstanceKind : std::uint8_t { master, replica, sentinel };

enum class FailoverState : std::uint8_t {
  none,
  wait_start,
  select_replica,
  send_no_one,
  wait_promotion,
  reconfigure_replicas,
  update_config,
};

struct Instance {
  std::uint32_t serial = 0;  // never given twice by one Sentinel
  InstanceKind kind = InstanceKind::master;
  std::string name;
  std::string run_id;  // of a Sentinel, its id; empty: not known yet
  Address address;
  std::shared_ptr<Contact> contact;
  Instance* master = nullptr;  // of a replica or a Sentinel

  bool subjectively_down = false;
  bool objectively_down = false;
  bool finds_master_down = false;  // a Sentinel has said so
  bool failover_in_progress = false;
  bool forced = false;  // the failover was asked for: no election
  bool promoted = false;
  bool reconf_sent = false;
  bool reconf_in_progress = false;
  bool reconf_done = false;
  bool script_kill_sent = false;

  Milliseconds last_published_at = 0;
  Milliseconds last_hello_at = 0;
  Milliseconds last_down_reply_at = 0;
  Milliseconds subjectively_down_since = 0;
  Milliseconds objectively_down_since = 0;
  Milliseconds down_after = 0;
  Milliseconds info_at = 0;

  InstanceKind role_reported = InstanceKind::master;
  Milliseconds role_reported_at = 0;
  Milliseconds replica_config_changed_at = 0;

  // --- of a master
  std::uint64_t config_epoch = 0;
  std::vector<std::unique_ptr<Instance>> replicas;  // in the order of their discovery
  std::vector<std::unique_ptr<Instance>> sentinels;
  std::uint32_t quorum = 0;
  std::uint32_t parallel_syncs = 1;
  std::uint64_t failover_epoch = 0;
  FailoverState failover_state = FailoverState::none;
  Milliseconds failover_state_at = 0;
  Milliseconds failover_started_at = 0;  // or to be started at
  Milliseconds failover_delay_logged = 0;
  Milliseconds failover_timeout = 0;
  Instance* promoted_replica = nullptr;

  // For a master: the candidate that this Sentinel voted for. For a Sentinel: its vote. Empty:
  // none.
  std::string leader;
  std::uint64_t leader_epoch = 0;

  // --- of a replica
  Milliseconds link_down_ms = 0;
  std::int64_t priority = kDefaultPriority;
  std::string master_host;  // as it says itself
  std::uint16_t master_port = 0;
  bool link_up = false;
  std::uint64_t offset = 0;
  Milliseconds reconf_sent_at = 0;

  // Clients and other Sentinels are told of the promoted replica as soon as its INFO shows that it
  // is a master (R62).
  const Address& current_address() const {
    const bool told = failover_in_progress && promoted_replica != nullptr &&
                      failover_state >= FailoverState::reconfigure_replicas;
    return told ? promoted_replica->address : address;
  }
  bool not_down_for(Milliseconds length, Milliseconds now) const {
    const Milliseconds last = subjectively_down_since > objectively_down_since
                                  ? subjectively_down_since
                                  : objectively_down_since;
    return last == 0 || now - last > length;
  }
};

}  // namespace picklock::redis
