#include "models/redis/sharded_client.h"

#include <algorithm>
#include <charconv>

#include "models/redis/group.h"

namespace picklock::redis {
namespace {

// As the Java clients do (JedisCluster: maxAttempts).
constexpr int kMostRedirections = 5;

}  // namespace

void ShardedClient::reset(const Slots& slots, std::deque<SimClient>& shards, FirstMap map,
                          std::size_t seed) {
  slots_ = &slots;
  shards_ = &shards;
  map_ = map;
  seed_ = last_ = seed;
  learned_.clear();
}

SimClient& ShardedClient::shard_of_slot(std::uint16_t slot) {
  const auto known = std::find_if(learned_.begin(), learned_.end(),
                                  [slot](const auto& one) { return one.first == slot; });
  if (known != learned_.end()) {
    last_ = known->second;
  } else {
    last_ = map_ == FirstMap::whole ? slots_->group_of(slot) : seed_;
  }
  return (*shards_)[last_];
}

SimClient& ShardedClient::shard_of(Argv argv) {
  const Command* const command = command_called(argv);
  const KeyWords keys = command == nullptr ? KeyWords{} : key_words(*command, argv);
  if (keys.none() || keys.first >= argv.size()) return (*shards_)[last_];
  return shard_of_slot(slot_of(argv[keys.first]));
}

bool ShardedClient::learn(const Reply& reply) {
  constexpr std::string_view kMoved = "MOVED ";
  if (!reply.is_error() || !reply.text.starts_with(kMoved)) return false;
  const std::string_view text = std::string_view(reply.text).substr(kMoved.size());
  const std::size_t space = text.find(' ');
  const std::size_t colon = text.rfind(':');
  if (space == std::string_view::npos || colon == std::string_view::npos) return false;
  std::uint16_t slot = 0;
  std::uint16_t port = 0;
  std::from_chars(text.data(), text.data() + space, slot);
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
  const Node* const node =
      slots_->groups().front().directory().find(text.substr(space + 1, colon - space - 1), port);
  if (node == nullptr) return false;
  for (std::size_t i = 0; i < slots_->groups().size(); ++i) {
    if (!slots_->groups()[i].has(*node->process)) continue;
    std::erase_if(learned_, [slot](const auto& one) { return one.first == slot; });
    learned_.emplace_back(slot, i);
    (*shards_)[i].follow(*node);
    return true;
  }
  return false;
}

// `exchange` returns the reply that may be a redirection.
template <typename Exchange>
void ShardedClient::redirected(Argv argv, Exchange exchange) {
  for (int redirections = 0; learn(exchange(shard_of(argv)));) {
    if (++redirections > kMostRedirections) return;
  }
}

Reply ShardedClient::call(Role role, Argv argv) {
  Reply reply;
  redirected(argv,
             [&](SimClient& shard) -> const Reply& { return reply = shard.call(role, argv); });
  return reply;
}

Reply ShardedClient::call_interruptibly(Role role, Argv argv, Resend resend, Late late) {
  Reply reply;
  redirected(argv, [&](SimClient& shard) -> const Reply& {
    return reply = shard.call_interruptibly(role, argv, resend, late);
  });
  return reply;
}

std::array<Reply, 2> ShardedClient::call_both(Role role, Argv first, Argv second, Resend resend) {
  std::array<Reply, 2> replies;
  redirected(first, [&](SimClient& shard) -> const Reply& {
    replies = shard.call_both(role, first, second, resend);
    return replies[0];
  });
  return replies;
}

void ShardedClient::post(Role role, Argv argv) { shard_of(argv).post(role, argv); }

// A channel belongs to no slot, but its messages come from the server that runs the lock's scripts.
// Libraries give it the hash tag of the lock for this reason.
bool ShardedClient::subscribe(std::string_view channel, Listener listener, Duration patience) {
  return shard_of_slot(slot_of(channel)).subscribe(channel, std::move(listener), patience);
}

void ShardedClient::unsubscribe(std::string_view channel) {
  shard_of_slot(slot_of(channel)).unsubscribe(channel);
}

}  // namespace picklock::redis
