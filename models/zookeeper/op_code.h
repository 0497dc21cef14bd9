// The requests of ZooKeeper's protocol, with their numbers on the wire.
#pragma once

#include <cstdint>

namespace picklock::zookeeper {

enum class OpCode : std::int32_t {
  error = -1,  // in the reply to a multi
  create = 1,
  remove = 2,
  exists = 3,
  get_data = 4,
  set_data = 5,
  get_children = 8,
  sync = 9,
  ping = 11,
  get_children2 = 12,  // with the parent's Stat
  check = 13,
  multi = 14,
  create2 = 15,  // with the new node's Stat
  check_watches = 17,
  remove_watches = 18,
  create_container = 19,
  remove_container = 20,  // only a leader sends it
  auth = 100,
  set_watches = 101,
  create_session = -10,
  close_session = -11,
};

}  // namespace picklock::zookeeper
