// Curator's InterProcessMutex, version 5 (docs/facts/algorithms.md 6.3): the queue of ephemeral
// sequential znodes under a container. Each znode has a unique name, so that a lost create can be
// found. A thread that holds the lock is granted it again from memory, without a request to the
// server. One object serves the threads of its process.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"
#include "models/locks/local_time.h"
#include "models/locks/zookeeper/options.h"
#include "models/locks/zookeeper/session.h"

namespace picklock::models::locks::zookeeper {

struct CuratorOptions {
  bool guaranteed_delete = true;  // a failed delete of a znode is repeated until it succeeds
};

class CuratorMutex final : public ConfiguredLock, public HolderCheck {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired acquire(Client& self, std::string_view key) override;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
  Held check_held(Client& self, const Lease& lease) override;

 private:
  struct Node {
    std::string path;
    std::int64_t zxid = 0;
  };
  struct Hold {
    Lease lease;
    std::uint32_t count = 1;
  };
  // The outcome of a loop of the library: the lock, its time, or an exception.
  enum class Outcome : std::uint8_t { granted, too_late, failed, node_gone };

  Acquired lock(Client& self, std::string_view key, const Patience& patience);
  template <typename Ask>
  Answer retried(Client& self, Ask ask) const;
  void back_off(Client& self, std::uint32_t tries) const;
  std::optional<Node> create(Client& self, const std::string& directory, bool& doubt);
  Answer find(Client& self, const std::string& directory, const std::string& id, SessionId& session,
              std::optional<Node>& found);
  Outcome wait_for_turn(Client& self, const std::string& directory, const Node& node,
                        const Patience& patience);
  // Deletes in the foreground, and if that fails in the background until it succeeds.
  Answer remove(Client& self, const std::string& path, Role role);
  static void remove_in_background(Client& self, const std::string& path);

  std::map<std::uint32_t, Hold> holds_;  // by thread
  const SessionOptions& session_options_ = options().of<SessionOptions>();
  const QueueOptions& queue_ = options().of<QueueOptions>();
  const CuratorOptions& own_ = options().of<CuratorOptions>();
  Guards guards_;
};

const Algorithm& curator_mutex();

}  // namespace picklock::models::locks::zookeeper
