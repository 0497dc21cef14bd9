#include "models/locks/mysql/options.h"

#include "keys/key_kinds.h"

namespace picklock::models::locks::mysql {

using keys::at;
using keys::boolean;
using keys::duration;
using keys::Sign;
using keys::word;

OptionKeys connection_keys() {
  return joined({command_keys(), pool_size_keys(), connects_keys(),
                 own_keys<ConnectionOptions>({
                     duration<ConnectionOptions>(
                         "connect_timeout", Sign::positive, at<&ConnectionOptions::connect_timeout>,
                         "timeout of a client for each MySQL server that it connects to"),
                     boolean<ConnectionOptions>(
                         "reconnect", at<&ConnectionOptions::reconnect>,
                         "whether the driver silently opens another session when one is lost"),
                 })});
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

}  // namespace picklock::models::locks::mysql
