// redis::Client over the simulated network. The threads of a client process share its connections:
// one for all commands, or a pool, from which each command has a connection of its own until it is
// answered or given up. A connection on which a command has timed out is given up and dialed again,
// or kept, as the library does. A command without an answer may be sent again: this is the same
// operation with one effect for each copy (architecture "Unknown").
#pragma once

#include <deque>

#include "history/history.h"
#include "models/client/pool.h"
#include "models/locks/lock_options.h"
#include "models/redis/server_link.h"
#include "models/redis/sim_subscriber.h"
#include "picklock/redis.h"

namespace picklock::redis {

class SimClient final : public Client {
 public:
  // `options`: timeout, resends and connections. `discovery` nullptr: it is always this server.
  void reset(sim::Simulation& simulation, sim::Process& self, const Node& server,
             const models::LockOptions& options, Discovery* discovery = nullptr);
  void reset(sim::Simulation& simulation, sim::Process& self, Server& server,
             const models::LockOptions& options, Discovery* discovery = nullptr) {
    reset(simulation, self, Node{.process = &server.process(), .endpoint = &server}, options,
          discovery);
  }
  void forget();
  // Looks up the leader and follows it.
  void refresh();
  // This server leads now.
  void follow(const Node& leader);

  Reply call(Role role, Argv argv) override;
  Reply call_interruptibly(Role role, Argv argv, Resend resend, Late late) override;
  std::array<Reply, 2> call_both(Role role, Argv first, Argv second, Resend resend) override;
  void post(Role role, Argv argv) override;
  bool subscribe(std::string_view channel, Listener listener, Duration patience) override;
  void unsubscribe(std::string_view channel) override;

  // The tenure whose message a listener of this client is handling.
  history::TenureId speaker() const { return subscriber_.speaker(); }

 private:
  class Borrowed;  // one of the connections, for a command

  template <typename Exchange>
  Reply repeatedly(Resend resend, Exchange exchange);
  bool may_send_again(std::uint32_t copies, bool left, Resend resend);
  void distrust_a_demoted(ServerLink& link, const Reply& reply);

  sim::Simulation* simulation_ = nullptr;
  sim::Process* self_ = nullptr;
  Discovery* discovery_ = nullptr;
  Duration patience_{};
  std::uint32_t resend_ = 0;
  Duration resend_delay_{};
  Duration resend_delay_most_{};
  sim::Random chance_;
  std::uint32_t connections_ = 1;
  std::deque<ServerLink> links_;  // the first is connected, the others are dialed when needed
  models::Pool pool_;
  SimSubscriber subscriber_;
};

}  // namespace picklock::redis
