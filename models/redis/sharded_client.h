// redis::Client for a Redis Cluster: sends each command to the server of its key's slot, by a map
// that the process keeps, and follows the redirections of servers that do not serve the slot.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "models/redis/sim_client.h"
#include "models/redis/slots.h"
#include "picklock/redis.h"

namespace picklock::redis {

// The map that a client has when it begins: all of it, or none, so that its first command goes to
// the server it was configured with.
enum class FirstMap : std::uint8_t { whole, none };

class ShardedClient final : public Client {
 public:
  // `shards`: a client for each group. `seed`: the group of the server it was configured with.
  void reset(const Slots& slots, std::deque<SimClient>& shards, FirstMap map, std::size_t seed);

  Reply call(Role role, Argv argv) override;
  Reply call_interruptibly(Role role, Argv argv, Resend resend, Late late) override;
  std::array<Reply, 2> call_both(Role role, Argv first, Argv second, Resend resend) override;
  void post(Role role, Argv argv) override;
  bool subscribe(std::string_view channel, Listener listener, Duration patience) override;
  void unsubscribe(std::string_view channel) override;

 private:
  template <typename Exchange>
  void redirected(Argv argv, Exchange exchange);
  // The client for the slot of these words.
  SimClient& shard_of(Argv argv);
  SimClient& shard_of_slot(std::uint16_t slot);
  // Learns from the reply where a slot is. False: it is no redirection.
  bool learn(const Reply& reply);

  const Slots* slots_ = nullptr;
  std::deque<SimClient>* shards_ = nullptr;
  FirstMap map_{};
  std::size_t seed_ = 0;
  std::size_t last_ = 0;  // the group of the last command: one without keys follows it
  std::vector<std::pair<std::uint16_t, std::size_t>> learned_;  // slots and their groups
};

}  // namespace picklock::redis
