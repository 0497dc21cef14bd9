#include "models/mysql/spec.h"

#include "keys/key_kinds.h"

namespace picklock::mysql {

namespace in_files {
namespace {

using namespace keys;

template <auto member>
constexpr auto setting = [](auto& mysql) -> auto& {
  return mysql.settings.*member;
};

const Keys<Spec>& spec_keys() {
  static const Keys<Spec> keys = {
      integer<Spec>("replicas", 0, 99, at<&Spec::replicas>,
                    "how many replicas mysql-1 has: mysql-2, mysql-3 and so on"),
      integer<Spec>("primaries", 1, 9, setting<&Settings::primaries>,
                    "how many servers take writes, mysql-1 to mysql-N; each of them applies, some "
                    "time later, what the one before it has committed, and nothing looks for "
                    "conflicts"),
      needing(boolean<Spec>("spread", at<&Spec::spread>,
                            "whether each client prefers a primary of its own: client-1 mysql-1, "
                            "client-2 mysql-2 and so on; otherwise all use the first that answers"),
              {.other = "primaries",
               .met = [](const Spec& spec) { return spec.settings.primaries > 1; },
               .else_what = "while `primaries` is 1"}),
      word<Spec>("variant", {"mariadb", "mysql"}, setting<&Settings::variant>,
                 "which server is simulated where the two differ: MariaDB 10.11 or MySQL 8.0"),
      word<Spec>("isolation", {"read-committed", "repeatable-read", "serializable"},
                 setting<&Settings::isolation>, "transaction_isolation of every session"),
      duration<Spec>(
          "lock_wait_timeout", Sign::positive, setting<&Settings::lock_wait_timeout>,
          "innodb_lock_wait_timeout: a statement that waits longer for a row fails with error "
          "1205, but its transaction continues"),
      duration<Spec>("wait_timeout", Sign::positive, setting<&Settings::wait_timeout>,
                     "the server ends a session that has been idle for this long"),
      duration<Spec>(
          "keepalive", Sign::not_negative, setting<&Settings::keepalive>,
          "when a client has been silent for this long, the server's kernel starts 9 keepalive "
          "probes, 75 s apart; 0s: never"),
      duration<Spec>("fsync", Sign::not_negative, setting<&Settings::fsync>,
                     "time that a server needs to force its log to disk"),
      boolean<Spec>(
          "flush_at_commit", setting<&Settings::flush_at_commit>,
          "innodb_flush_log_at_trx_commit: whether a commit is on disk before it is acknowledged; "
          "otherwise the log is flushed once a second"),
      needing(
          duration<Spec>(
              "promote_after", Sign::not_negative, setting<&Settings::promote_after>,
              "a replica that has heard nothing from its primary for this long is promoted, and "
              "nothing stops the old primary; 0s: never"),
          {.other = "replicas",
           .met = [](const Spec& spec) { return spec.replicas > 0; },
           .else_what = "without `replicas`"}),
      duration<Spec>("service", Sign::not_negative, at<&Spec::service>,
                     "time that a server needs for one statement"),
      integer<Spec>("clock_rate_ppb", -999'000'000, 999'000'000'000, at<&Spec::clock_rate_ppb>,
                    "how much faster than true time their clocks run, in parts per billion"),
  };
  return keys;
}

}  // namespace
}  // namespace in_files

keys::Key<servers::Specs> spec_table() {
  return keys::table<servers::Specs>(
      "mysql", in_files::spec_keys(),
      [](auto& specs) -> auto& { return specs.template of<Spec>(); },
      "The server of a lock on MySQL, process `mysql-1`, and its replicas or other primaries.");
}

}  // namespace picklock::mysql
