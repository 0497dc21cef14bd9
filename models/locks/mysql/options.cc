#include "models/locks/mysql/options.h"

#include "keys/key_kinds.h"

namespace picklock::models::locks::mysql {

using keys::at;
using keys::boolean;
using keys::common;
using keys::duration;
using keys::integer;
using keys::needing;
using keys::Sign;
using keys::word;

OptionKeys connection_keys() {
  return joined({command_keys(), pool_size_keys(), connects_keys(),
                 own_keys<ConnectionOptions>({
                     duration<ConnectionOptions>(
                         "connect_timeout", Sign::positive, at<&ConnectionOptions::connect_timeout>,
                         "timeout of a client for each MySQL server that it connects to"),
                 })});
}

OptionKeys reconnect_keys() {
  return own_keys<ConnectionOptions>({
      boolean<ConnectionOptions>(
          "reconnect", at<&ConnectionOptions::reconnect>,
          "whether the driver silently opens another session when one is lost"),
  });
}

OptionKeys pool_keys() {
  return own_keys<ConnectionOptions>({
      boolean<ConnectionOptions>(
          "pool_resets", at<&ConnectionOptions::pool_resets>,
          "whether the pool rolls back the open transaction of a connection that is returned to "
          "it"),
  });
}

OptionKeys if_locked_keys() {
  return own_keys<RowOptions>({
      word<RowOptions>(
          "if_locked", {"wait", "nowait", "skip"}, at<&RowOptions::if_locked>,
          "what an attempt does if another client has the row or name: wait for it, or give up at "
          "once (NOWAIT, SKIP LOCKED)"),
  });
}

OptionKeys ends_by_keys() {
  return own_keys<RowOptions>({
      word<RowOptions>("ends_by", {"commit", "rollback"}, at<&RowOptions::ends_by>,
                       "how a holder ends the transaction that holds its lock"),
  });
}

OptionKeys several_rows_keys() {
  const keys::Needs<RowOptions> several = {
      .other = "rows",
      .met = [](const RowOptions& options) { return options.rows > 1; },
      .else_what = "while `rows` is 1"};
  return own_keys<RowOptions>({
      common(integer<RowOptions>("rows", 1, 9, at<&RowOptions::rows>,
                                 "how many rows a client must have to hold the lock, all in one "
                                 "transaction"),
             "must be the same for all clients: it is what the lock is"),
      needing(word<RowOptions>("row_order", {"same", "alternating"}, at<&RowOptions::row_order>,
                               "whether all clients take the rows in one order, or every second "
                               "client in reverse order"),
              several),
      needing(word<RowOptions>(
                  "after_error", {"rollback", "repeat", "commit"}, at<&RowOptions::after_error>,
                  "what a client does after error 1205 or 1213: it rolls back; it repeats the "
                  "statement up to twice, whatever has become of the transaction; or it commits "
                  "what it has done before"),
              several),
  });
}

}  // namespace picklock::models::locks::mysql
