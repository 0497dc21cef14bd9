// Subscribers that do not read what is pushed to them: the server closes the connection of one that
// has left too much unread, or a lot of it for too long (client-output-buffer-limit, R91).
#pragma once

#include <cstdint>
#include <vector>

#include "models/redis/parts.h"
#include "models/redis/session.h"
#include "sim/service.h"

namespace picklock::redis {

class SlowReaders {
 public:
  explicit SlowReaders(const Parts& parts)
      : service_(parts.service), config_(parts.config), connections_(parts.connections) {}

  void reset();  // for a new run
  void halted();

  // Looks at how much a connection has not read, once something was pushed to it.
  void look_at(Session& session);
  // The connection is to be closed after the command under way.
  void close_later(Session& session);
  // Closes those that are to be closed.
  void close_due() {
    if (!due_.empty()) close_all_due();
  }

 private:
  bool has_left_too_much(Session& session) const;
  void close_all_due();
  void await_limit();
  void on_limit();

  const sim::Service& service_;
  const Config& config_;
  Connections& connections_;
  std::vector<Session*> due_;
  sim::Timer timer_;
};

}  // namespace picklock::redis
