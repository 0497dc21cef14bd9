// A node's part in a Redis Cluster: it serves the slots that its group has while it leads the
// group, and redirects the commands for others. Texts are those of redis-server 7.0 (R120-R124).
#pragma once

#include <string>
#include <string_view>

#include "models/redis/commands.h"
#include "models/redis/parts.h"
#include "models/redis/slots.h"

namespace picklock::redis {

class Redirection {
 public:
  explicit Redirection(const Parts& parts)
      : service_(parts.service), replication_(parts.replication) {}

  // The map must outlive the run; nullptr: the server is no node of a cluster.
  void join(const Slots* slots) { slots_ = slots; }
  const Slots* slots() const { return slots_; }

  // Requires: it is a node of a cluster. Empty: the node serves the command. The text is valid
  // until the next call.
  std::string_view reason(const Call& call, const Command& command);
  std::string_view reason_in_script(const Command& command, Argv argv);

 private:
  // The slot of all keys so far; -1: there is none, -2: there are several.
  static void add(int& slot, const Command& command, Argv argv);
  bool serves(int slot) const;

  const sim::Service& service_;
  const Replication& replication_;
  const Slots* slots_ = nullptr;
  std::string text_;
};

}  // namespace picklock::redis
