#include "models/locks/redisson/commands.h"

#include <charconv>
#include <string>
#include <vector>

#include "models/locks/local_time.h"

namespace picklock::models::locks::redisson {
namespace {

std::vector<std::string_view> by_sha(const Call& call, const std::string& count) {
  std::vector<std::string_view> argv = {"EVALSHA", call.script.sha(), count};
  argv.insert(argv.end(), call.keys.begin(), call.keys.end());
  argv.insert(argv.end(), call.args.begin(), call.args.end());
  return argv;
}

bool load(redis::Client& redis, const redis::Script& script) {
  const std::string_view argv[] = {"SCRIPT", "LOAD", script.body()};
  return redis.call(Role::upkeep, argv).kind == redis::Reply::Kind::bulk;
}

}  // namespace

redis::Reply Commands::run(Client& self, const Call& call, redis::Late late) const {
  const std::string count = std::to_string(call.keys.size());
  const std::vector<std::string_view> argv = by_sha(call, count);
  redis::Reply reply = redis(self).call_interruptibly(Role::none, argv, resend_, late);
  if (!reply.is_unknown_script() || !load(redis(self), call.script)) return reply;
  return redis(self).call_interruptibly(Role::none, argv, resend_, std::move(late));
}

redis::Reply Commands::run_freely(Client& self, const Call& call, Role role) const {
  const std::string count = std::to_string(call.keys.size());
  const std::vector<std::string_view> argv = by_sha(call, count);
  redis::Reply reply = redis(self).call(role, argv);
  if (!reply.is_unknown_script() || !load(redis(self), call.script)) return reply;
  return redis(self).call(role, argv);
}

Commands::Synced Commands::run_synced(Client& self, const Call& call, redis::Late late) {
  if (!sync_replicas_) return {run(self, call, std::move(late))};
  const std::optional<std::int64_t> connected = replicas(self);
  if (connected.value_or(0) == 0) return {run(self, call, std::move(late))};
  const std::string count = std::to_string(call.keys.size());
  const std::vector<std::string_view> argv = by_sha(call, count);
  const std::string wanted = std::to_string(*connected);
  const std::string patience = milliseconds(sync_timeout_);
  const std::string_view wait[] = {"WAIT", wanted, patience};
  // In a batch the script is sent again after a time-out, whatever the rule for scripts (1.3).
  const auto send = [&] {
    return redis(self).call_both(Role::none, argv, wait, redis::Resend::unanswered);
  };
  std::array<redis::Reply, 2> replies = send();
  if (replies[0].is_unknown_script() && load(redis(self), call.script)) replies = send();
  const bool answered = replies[0].answered() && !replies[0].is_error();
  const bool missed = answered && !(replies[1].integer > 0);
  // Another server may lead by now, with its own replicas.
  if (!answered || missed) replicas_.reset();
  return {std::move(replies[0]), missed};
}

// Asks each server only once: a later change of the number goes unnoticed.
std::optional<std::int64_t> Commands::replicas(Client& self) {
  if (replicas_) return replicas_;
  const std::string_view argv[] = {"INFO", "replication"};
  const redis::Reply info = redis(self).call(Role::upkeep, argv);
  constexpr std::string_view kField = "connected_slaves:";
  const std::size_t at = info.text.find(kField);
  if (info.kind != redis::Reply::Kind::bulk || at == std::string::npos) return std::nullopt;
  std::int64_t count = 0;
  const char* from = info.text.data() + at + kField.size();
  std::from_chars(from, info.text.data() + info.text.size(), count);
  replicas_ = count;
  return replicas_;
}

}  // namespace picklock::models::locks::redisson
