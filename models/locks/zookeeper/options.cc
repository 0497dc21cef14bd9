#include "models/locks/zookeeper/options.h"

#include "keys/key_kinds.h"

namespace picklock::models::locks::zookeeper {

using keys::at;
using keys::integer;
using keys::word;

OptionKeys session_keys() {
  return joined({patience_keys(), clock_keys(), lease_keys(), polling_keys(), client_session_keys(),
                 own_keys<SessionOptions>({
                     word<SessionOptions>(
                         "stops_at", {"never", "lost", "suspended"}, at<&SessionOptions::stops_at>,
                         "when a holder stops believing that it holds the lock: never, when its "
                         "session is lost, "
                         "or as soon as it has no connection"),
                 })});
}

OptionKeys resending_session_keys() {
  return joined({session_keys(), resend_keys(), resend_delay_keys()});
}

OptionKeys client_session_keys() {
  return own_keys<SessionOptions>({
      integer<SessionOptions>(
          "lost_after_percent", 0, 1000, at<&SessionOptions::lost_after_percent>,
          "a client without a connection gives up its session after this percentage of the session "
          "timeout; 0: it waits until the server tells it"),
  });
}

OptionKeys queue_keys() {
  return own_keys<QueueOptions>({
      word<QueueOptions>(
          "fence_by", {"zxid", "sequence"}, at<&QueueOptions::fence_by>,
          "what the fencing token is: the zxid that created the holder's znode, or the number in "
          "its name"),
      word<QueueOptions>(
          "order_by", {"number", "suffix", "name"}, at<&QueueOptions::order_by>,
          "how a client sorts the znodes of the queue: by their numbers, by the text of the "
          "numbers, or by their whole names"),
  });
}

}  // namespace picklock::models::locks::zookeeper
