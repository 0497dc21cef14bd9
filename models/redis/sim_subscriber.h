// The connection on which a client process receives channels. When it is lost, a thread of the
// process dials again and resubscribes; messages published meanwhile are lost (R88).
#pragma once

#include <map>
#include <string>

#include "history/history.h"
#include "models/redis/server_link.h"
#include "picklock/redis.h"

namespace picklock::redis {

class SimSubscriber {
 public:
  // Dialled with the first subscription.
  void reset(sim::Simulation& simulation, sim::Process& self, const Node& server,
             Discovery* discovery, Duration patience, Duration redial_every);
  void forget();
  ServerLink& link() { return link_; }

  bool subscribe(std::string_view channel, Listener listener, Duration patience);
  void unsubscribe(std::string_view channel);

  history::TenureId speaker() const { return speaker_; }

 private:
  class Asking;

  // The server has `patience` to accept the connection and again to confirm, a Sentinel has that of
  // a command; all together have `left`.
  bool ask_for(std::string_view channel, Duration patience, const sim::TimeLeft& left);
  void remake();
  static void came(void* self, std::string_view bytes, history::TenureId from);
  static void lost(void* self);

  sim::Simulation* simulation_ = nullptr;
  sim::Process* self_ = nullptr;
  Duration patience_{};
  Duration redial_every_{};
  bool remaking_ = false;
  history::TenureId speaker_ = 0;
  ServerLink link_;
  std::map<std::string, Listener, std::less<>> listeners_;
};

}  // namespace picklock::redis
