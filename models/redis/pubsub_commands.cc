// Publish and subscribe (R86-R92). A subscription is confirmed once per channel, by frames like
// those of messages.
#include <array>

#include "models/redis/commands.h"
#include "models/redis/connections.h"
#include "models/redis/effects.h"
#include "models/redis/executor.h"
#include "models/redis/glob.h"
#include "models/redis/pubsub.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace of_pubsub {
namespace {

// One of the three kinds of subscription.
struct Kind {
  std::string_view subscribed;  // first words of the frames
  std::string_view unsubscribed;
  Topics PubSub::*topics;
  std::vector<Topic*> Session::*mine;
};

constexpr Kind kChannels{"subscribe", "unsubscribe", &PubSub::channels, &Session::channels};
constexpr Kind kPatterns{"psubscribe", "punsubscribe", &PubSub::patterns, &Session::patterns};
constexpr Kind kShards{"ssubscribe", "sunsubscribe", &PubSub::shards, &Session::shards};

// Channels and patterns are counted together, shards separately.
std::size_t subscriptions(const Session& session, const Kind& kind) {
  return kind.mine == &Session::shards ? session.shards.size()
                                       : session.channels.size() + session.patterns.size();
}

void confirm(Call& call, const Kind& kind, std::string_view word, const std::string_view* topic) {
  sim::Payload& out = call.server.executor.answer_to(call);
  if (call.session.closing) return;
  write_push(out, 3, call.session.protocol);
  write_bulk(out, word);
  if (topic != nullptr) {
    write_bulk(out, *topic);
  } else {
    write_nil(out, call.session.protocol);
  }
  write_integer(out, static_cast<std::int64_t>(subscriptions(call.session, kind)));
}

template <const Kind& kind>
void subscribe(Call& call) {
  if (kind.mine == &Session::shards && call.session.in_multi) {
    call.reply.set_error("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client");
    return;
  }
  for (std::string_view name : call.argv.subspan(1)) {
    Topic& topic = (call.server.pubsub.*kind.topics).get(name);
    listen(call.session, call.session.*kind.mine, topic);
    confirm(call, kind, kind.subscribed, &name);
  }
}

template <const Kind& kind>
void unsubscribe(Call& call) {
  std::vector<Topic*>& mine = call.session.*kind.mine;
  if (call.words() == 1) {
    if (mine.empty()) confirm(call, kind, kind.unsubscribed, nullptr);
    while (!mine.empty()) {
      Topic& topic = *mine.front();
      stop_listening(call.session, mine, topic);
      const std::string_view name = topic.name;
      confirm(call, kind, kind.unsubscribed, &name);
    }
    return;
  }
  for (std::string_view name : call.argv.subspan(1)) {
    if (Topic* topic = (call.server.pubsub.*kind.topics).find(name))
      stop_listening(call.session, mine, *topic);
    confirm(call, kind, kind.unsubscribed, &name);
  }
}

void publish(Call& call) {
  const std::int64_t receivers = redis::publish(call.server, call[1], call[2]);
  call.server.effects.add_for_replicas(call.session.database, call.argv);
  call.reply.set_integer(receivers);
}

void spublish(Call& call) {
  std::int64_t receivers = 0;
  if (const Topic* topic = call.server.pubsub.shards.find(call[1])) {
    for (Session* listener : topic->listeners) {
      call.server.connections.push(*listener, {"smessage", call[1], call[2]});
      ++receivers;
    }
  }
  call.server.effects.add_for_replicas(call.session.database, call.argv);
  call.reply.set_integer(receivers);
}

// ---------------------------------------------------------------- PUBSUB

void list_channels(Call& call, const Topics& topics) {
  if (call.words() > 3) {
    wrong_subcommand(call);
    return;
  }
  call.reply.set(Reply::Kind::array);
  for (const Topic& topic : topics.all()) {
    if (topic.listeners.empty()) continue;
    if (call.words() == 3 && !matches_glob(call[2], topic.name)) continue;
    call.reply.add().set_bulk(topic.name);
  }
}

void count_listeners(Call& call, Topics& topics) {
  call.reply.set(Reply::Kind::array);
  for (std::string_view name : call.argv.subspan(2)) {
    const Topic* topic = topics.find(name);
    call.reply.add().set_bulk(name);
    call.reply.add().set_integer(
        topic == nullptr ? 0 : static_cast<std::int64_t>(topic->listeners.size()));
  }
}

void channels(Call& call) { list_channels(call, call.server.pubsub.channels); }
void shardchannels(Call& call) { list_channels(call, call.server.pubsub.shards); }
void numsub(Call& call) { count_listeners(call, call.server.pubsub.channels); }
void shardnumsub(Call& call) { count_listeners(call, call.server.pubsub.shards); }
void numpat(Call& call) {
  call.reply.set_integer(static_cast<std::int64_t>(call.server.pubsub.patterns.listened_to()));
}

constexpr std::string_view kShardChannels =
    "    Return the currently active shard level channels matching a <pattern> (default: '*').";

void help(Call& call) {
  set_help(
      call.reply,
      {"PUBSUB <subcommand> [<arg> [value] [opt] ...]. Subcommands are:", "CHANNELS [<pattern>]",
       "    Return the currently active channels matching a <pattern> (default: '*').", "NUMPAT",
       "    Return number of subscriptions to patterns.", "NUMSUB [<channel> ...]",
       "    Return the number of subscribers for the specified channels, excluding",
       "    pattern subscriptions(default: no channels).", "SHARDCHANNELS [<pattern>]",
       kShardChannels, "SHARDNUMSUB [<shardchannel> ...]",
       "    Return the number of subscribers for the specified shard level channel(s)", "HELP",
       "    Prints this help."});
}

constexpr std::uint32_t kListening = kPubsub | kNoScript | kLoading | kStale | kSubscribed;
constexpr std::uint32_t kPublishing = kPubsub | kLoading | kStale | kFast | kMayReplicate;
constexpr std::uint32_t kAsking = kPubsub | kLoading | kStale;

constexpr std::array kPubsubSubcommands = {
    Command{"pubsub|channels", -2, kAsking, channels},
    Command{"pubsub|numsub", -2, kAsking, numsub},
    Command{"pubsub|numpat", 2, kAsking, numpat},
    Command{"pubsub|shardchannels", -2, kAsking, shardchannels},
    Command{"pubsub|shardnumsub", -2, kAsking, shardnumsub},
    Command{"pubsub|help", 2, kLoading | kStale, help},
};

constexpr std::array kCommands = {
    Command{"subscribe", -2, kListening, subscribe<kChannels>},
    Command{"unsubscribe", -1, kListening, unsubscribe<kChannels>},
    Command{"psubscribe", -2, kListening, subscribe<kPatterns>},
    Command{"punsubscribe", -1, kListening, unsubscribe<kPatterns>},
    Command{"ssubscribe", -2, kListening, subscribe<kShards>, {1, -1, 1}},
    Command{"sunsubscribe", -1, kListening, unsubscribe<kShards>, {1, -1, 1}},
    Command{"publish", 3, kPublishing, publish},
    Command{"spublish", 3, kPublishing, spublish, {1, 1, 1}},
    Command{"pubsub", -2, 0, nullptr, {}, kPubsubSubcommands},
};

}  // namespace
}  // namespace of_pubsub

std::span<const Command> pubsub_commands() { return of_pubsub::kCommands; }

}  // namespace picklock::redis
