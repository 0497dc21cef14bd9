// State that the waiting threads of a client process share: one subscription for each channel, and
// a latch with one permit for each message, which wakes one of them (docs/facts/algorithms.md 1.2).
// Permits that no thread has waited for are kept and cause attempts that fail. Threads try to
// subscribe one after the other until one succeeds; a thread that is out of patience, or dies,
// takes nothing from the others.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "picklock/client.h"

namespace picklock::models::locks::redisson {

class Channels : public std::enable_shared_from_this<Channels> {
 public:
  explicit Channels(std::size_t server) : server_(server) {}

  // Returns the latch of the channel once the server has confirmed the subscription; nullptr: not
  // in time.
  Semaphore* join(Client& self, const std::string& channel, Duration length);
  void leave(Client& self, const std::string& channel);

 private:
  struct Channel {
    std::shared_ptr<Semaphore> latch;
    std::unique_ptr<Semaphore> turns;  // turns to subscribe
    std::uint32_t waiters = 0;
    bool heard = false;
  };
  class Joining;
  class Turn;

  bool subscribe(Client& self, const std::string& channel, const Channel& mine,
                 Duration patience) const;

  std::size_t server_;
  std::map<std::string, Channel> channels_;
};

}  // namespace picklock::models::locks::redisson
