// The settings of a MySQL server.
#pragma once

#include "picklock/mysql.h"
#include "sim/time.h"

namespace picklock::mysql {

// The product, where they differ: MariaDB 10.11 or MySQL 8.0.
enum class Variant : std::uint8_t { mariadb, mysql };

struct Settings {
  Variant variant = Variant::mariadb;
  Isolation isolation = Isolation::repeatable_read;            // transaction_isolation
  sim::Duration lock_wait_timeout = std::chrono::seconds(50);  // innodb_lock_wait_timeout; M15
  sim::Duration wait_timeout = std::chrono::seconds(28'800);   // of an idle session; M21
  // The kernel probes a client that was silent for so long; 0: never. (SO_KEEPALIVE, which the
  // server sets; net.ipv4.tcp_keepalive_time)
  sim::Duration keepalive = std::chrono::seconds(7200);
  sim::Duration fsync = std::chrono::microseconds(500);
  // Whether a commit waits until its log is on disk; otherwise the log is flushed once a second.
  // (innodb_flush_log_at_trx_commit 1 or 2)
  bool flush_at_commit = true;
  std::uint32_t rows = 1;  // of the lock
  // The servers that take writes; each applies what the one before it has committed.
  std::uint32_t primaries = 1;
  // A replica whose primary was silent for so long is promoted; 0: never.
  sim::Duration promote_after{};
};

}  // namespace picklock::mysql
