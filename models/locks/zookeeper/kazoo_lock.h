// kazoo's Lock (docs/facts/algorithms.md 6.4): the queue of ephemeral sequential znodes. The object
// has one name for its life, and looks for a znode of that name before it creates one, whichever
// session the znode belongs to. Not re-entrant.
#pragma once

#include <string>

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"
#include "models/locks/local_time.h"
#include "models/locks/zookeeper/options.h"
#include "models/locks/zookeeper/session.h"

namespace picklock::models::locks::zookeeper {

class KazooLock final : public ConfiguredLock, public HolderCheck {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired acquire(Client& self, std::string_view key) override;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
  Held check_held(Client& self, const Lease& lease) override;

 private:
  enum class Outcome : std::uint8_t { granted, failed, too_late };

  Acquired lock(Client& self, std::string_view key, bool blocking, Duration time_out);
  Acquired granted(Client& self, const std::string& directory);
  Outcome attempt(Client& self, const std::string& directory, bool blocking, Duration time_out);
  Answer find_or_create(Client& self, const std::string& directory);
  Answer find(Client& self, const std::string& directory);
  bool clean_up(Client& self, const std::string& directory);

  std::string prefix_;
  bool tried_ = false;  // whether it ever tried to create one
  std::string path_;    // the last one that it learned of
  std::int64_t zxid_ = 0;
  bool doubt_ = false;  // it may have one without knowing
  bool held_ = false;
  const SessionOptions& session_options_ = options().of<SessionOptions>();
  const QueueOptions& queue_ = options().of<QueueOptions>();
  Guards guards_;
};

const Algorithm& kazoo_lock();

}  // namespace picklock::models::locks::zookeeper
