#include "models/zookeeper/spec.h"

#include <limits>

#include "keys/key_kinds.h"

namespace picklock::zookeeper {

namespace in_files {
namespace {

using namespace keys;

const Keys<Spec>& spec_keys() {
  static const Keys<Spec> keys = {
      integer<Spec>(
          "servers", 1, 9, at<&Spec::servers>,
          "how many servers the ensemble has: zookeeper-1, which leads at first, and so on"),
      duration<Spec>("tick", Sign::positive, at<&Spec::tick>,
                     "tickTime: a session lasts 2 to 20 ticks and ends at a multiple of a tick"),
      integer<Spec>("init_limit", 1, 1000, at<&Spec::init_limit>,
                    "initLimit: ticks within which a server must catch up with a new leader"),
      integer<Spec>("sync_limit", 1, 1000, at<&Spec::sync_limit>,
                    "syncLimit: ticks after which a silent leader or follower is considered lost"),
      duration<Spec>("fsync", Sign::not_negative, at<&Spec::fsync>,
                     "time that a server needs to force its log to disk"),
      boolean<Spec>("force_sync", at<&Spec::force_sync>,
                    "forceSync: whether a write is on disk before it is acknowledged"),
      integer<Spec>(
          "max_connections", 0, 100'000, at<&Spec::max_connections>,
          "maxClientCnxns: connections that one client may have to one server; 0: any number"),
      boolean<Spec>("wall_clock_expiry", at<&Spec::wall_clock_expiry>,
                    "whether session timeouts are counted on the wall clock, as in old releases"),
      needing(boolean<Spec>("log_before_ack", at<&Spec::log_before_ack>,
                            "whether a server that joins a new leader has the leader's log on disk "
                            "before it acknowledges the leader; 3.8.0 does not wait "
                            "(ZOOKEEPER-4646)"),
              {.other = "servers",
               .met = [](const Spec& spec) { return spec.servers > 1 && spec.force_sync; },
               .else_what = "on a single server, or while `force_sync` is false"}),
      integer<Spec>("first_sequence", std::numeric_limits<std::int32_t>::min(),
                    std::numeric_limits<std::int32_t>::max(), at<&Spec::first_sequence>,
                    "the number of the first sequential znode under the lock's, as if so many had "
                    "been created before; other than 0, the lock's znode exists at the beginning"),
      needing(boolean<Spec>("sequence_wraps", at<&Spec::sequence_wraps>,
                            "whether -2147483648 follows the number 2147483647, as in old "
                            "releases; otherwise every later znode gets 2147483647 as well"),
              {.other = "first_sequence",
               .met = [](const Spec& spec) { return spec.first_sequence != 0; },
               .else_what = "while `first_sequence` is 0"}),
      duration<Spec>("service", Sign::not_negative, at<&Spec::service>,
                     "time that a server needs for one message"),
      integer<Spec>("clock_rate_ppb", -999'000'000, 999'000'000'000, at<&Spec::clock_rate_ppb>,
                    "how much faster than true time their clocks run, in parts per billion"),
      table<Spec>("gc", servers::gc_keys(), at<&Spec::gc>, "Stop-the-world pauses of the servers."),
  };
  return keys;
}

}  // namespace
}  // namespace in_files

keys::Key<servers::Specs> spec_table() {
  return keys::table<servers::Specs>(
      "zookeeper", in_files::spec_keys(),
      [](auto& specs) -> auto& { return specs.template of<Spec>(); },
      "The ensemble of a lock on ZooKeeper, processes `zookeeper-1` to `zookeeper-N`.");
}

}  // namespace picklock::zookeeper
