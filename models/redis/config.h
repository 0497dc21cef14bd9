// The configuration parameters of a server, as CONFIG GET and CONFIG SET see them. Parameters that
// the model obeys can be set. The others accept only the value that the model has.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/keyspace_events.h"
#include "models/redis/value.h"
#include "picklock/redis.h"

namespace picklock::redis {

class Config {
 public:
  Config() { reset(); }
  void reset();  // to the values of a server just started

  // Replies with the parameters that match any of the patterns.
  void get(std::span<const std::string_view> patterns, Reply& reply) const;
  // Sets all parameters or none; `pairs` alternates names and values, and the reply has the
  // outcome.
  void set(std::span<const std::string_view> pairs, Reply& reply);

  std::uint64_t max_memory() const { return max_memory_; }  // bytes; 0: no limit
  std::int64_t busy_after_ms() const { return busy_after_ms_; }
  const std::string& password() const { return password_; }  // empty: none is needed

  const CompactLimits& compact() const { return compact_; }
  const EventSettings& events() const { return events_; }  // notify-keyspace-events

  // --- replication
  const std::string& password_of_master() const { return password_of_master_; }  // empty: none
  bool serves_stale_data() const { return serves_stale_data_; }
  std::int64_t fewest_replicas() const { return fewest_replicas_; }    // min-replicas-to-write
  std::int64_t most_lag_seconds() const { return most_lag_seconds_; }  // min-replicas-max-lag
  bool syncs_from_disk() const { return syncs_from_disk_; }
  std::int64_t sync_delay_seconds() const { return syncs_from_disk_ ? 0 : sync_delay_seconds_; }
  std::int64_t replication_timeout_seconds() const { return replication_timeout_seconds_; }
  std::int64_t replica_ping_seconds() const { return replica_ping_seconds_; }
  std::int64_t replica_priority() const { return replica_priority_; }

  // --- persistence
  bool keeps_log() const { return keeps_log_; }  // appendonly
  enum class Fsync : std::uint8_t { always, every_second, never };
  Fsync fsync() const { return fsync_; }
  struct SavePoint {
    std::int64_t seconds = 0;
    std::int64_t changes = 0;
  };
  const std::vector<SavePoint>& save_points() const { return save_points_; }
  std::int64_t key_load_delay_us() const { return key_load_delay_us_; }

  // Limits of the output that a subscriber leaves unread (R91).
  struct OutputLimit {
    std::uint64_t hard = 0;  // bytes; 0: no limit
    std::uint64_t soft = 0;
    std::int64_t soft_seconds = 0;
  };
  const OutputLimit& subscriber_limit() const { return subscriber_limit_; }

 private:
  bool assign(std::size_t parameter, std::string_view value, std::string& error);
  void take_over();
  const std::string& value_of(std::string_view name) const;

  bool altered_ = true;
  std::vector<std::string> values_;  // as CONFIG GET reports them, except the letters of events
  std::uint64_t max_memory_ = 0;
  std::int64_t busy_after_ms_ = 0;
  std::string password_;
  CompactLimits compact_;
  EventSettings events_;
  std::string password_of_master_;
  bool serves_stale_data_ = true;
  std::int64_t fewest_replicas_ = 0;
  std::int64_t most_lag_seconds_ = 0;
  bool syncs_from_disk_ = false;
  std::int64_t sync_delay_seconds_ = 0;
  std::int64_t replication_timeout_seconds_ = 0;
  std::int64_t replica_ping_seconds_ = 0;
  std::int64_t replica_priority_ = 0;
  bool keeps_log_ = false;
  Fsync fsync_ = Fsync::every_second;
  std::vector<SavePoint> save_points_;
  std::int64_t key_load_delay_us_ = 0;
  OutputLimit subscriber_limit_;
};

}  // namespace picklock::redis
