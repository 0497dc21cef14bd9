// How a MySQL server is set up.
#pragma once

#include "picklock/mysql.h"
#include "sim/time.h"

namespace picklock::mysql {

// The product, where the two differ: MariaDB 10.11 or MySQL 8.0.
enum class Variant : std::uint8_t { mariadb, mysql };

struct Settings {
  Variant variant = Variant::mariadb;
  Isolation isolation = Isolation::repeatable_read;            // transaction_isolation
  sim::Duration lock_wait_timeout = std::chrono::seconds(50);  // innodb_lock_wait_timeout; M15
  sim::Duration wait_timeout = std::chrono::seconds(28'800);   // of an idle session; M21
  // So long after it last heard of a client its kernel begins to ask whether that is still there;
  // 0: never. (SO_KEEPALIVE, which the server sets; net.ipv4.tcp_keepalive_time)
  sim::Duration keepalive = std::chrono::seconds(7200);
  sim::Duration fsync = std::chrono::microseconds(500);
  // Whether a commit waits until it is on disk; else the log is forced once a second.
  // (innodb_flush_log_at_trx_commit 1 or 2)
  bool flush_at_commit = true;
  // A replica that has heard nothing of its primary for so long is made one; 0: nobody does so.
  sim::Duration promote_after{};
};

}  // namespace picklock::mysql
