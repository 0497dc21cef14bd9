#include "models/redis/refusals.h"

#include "models/redis/authentication.h"
#include "models/redis/key_counts.h"
#include "models/redis/pause_gate.h"
#include "models/redis/persistence.h"
#include "models/redis/redirection.h"
#include "models/redis/replication.h"
#include "models/redis/script_runner.h"

namespace picklock::redis {
namespace {

std::string unknown_command(Argv argv) {
  const Command* container = command_named(argv[0]);
  if (container != nullptr && container->known() && !container->subcommands.empty()) {
    std::string text = "ERR unknown subcommand '";
    return text.append(shown(argv[1])).append("'. Try ").append(upper(argv[0])).append(" HELP.");
  }
  std::string words;
  for (std::string_view word : argv.subspan(1)) {
    if (words.size() >= kLongestShown) break;
    const std::string_view part = shown(word, kLongestShown - words.size());
    words.append("'").append(part).append("' ");
  }
  std::string text = "ERR unknown command '";
  text.append(shown(argv[0])).append("', with args beginning with: ").append(words);
  return text;
}

std::string wrong_number(const Command& command) {
  return "ERR wrong number of arguments for '" + std::string(command.name) + "' command";
}

std::string not_while_subscribed(const Command& command) {
  return "ERR Can't execute '" + std::string(command.name) +
         "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
         "context";
}

}  // namespace

// A script does not notice, nor does a server whose clients are paused.
void Refusals::compare_memory() {
  if (scripts_.running()) return;
  short_of_memory_ = pause_.open() && used_memory(keys_) > config_.max_memory();
  is_rare_ = short_of_memory_ || redirection_.slots() != nullptr;
}

void Refusals::halted() {
  short_of_memory_ = false;
  is_rare_ = redirection_.slots() != nullptr;
}

std::string_view Refusals::rare_reason(const Call& call, const Command& command,
                                       std::uint32_t flags) {
  if (redirection_.slots() != nullptr) {
    const std::string_view text = redirection_.reason(call, command);
    if (!text.empty()) return text;
  }
  const bool grows = (flags & kMayGrow) != 0 || (call.session.in_multi && !command.is(kEndsMulti));
  return short_of_memory() && !scripts_.running() && grows ? kOutOfMemory : std::string_view();
}

std::string_view Refusals::reason(const Call& call, const Command* command, std::uint32_t flags) {
  const Session& session = call.session;
  if (command == nullptr || !command->known()) return text_ = unknown_command(call.argv);
  if (!command->takes(call.words())) return text_ = wrong_number(*command);
  if (!session.authenticated && !config_.password().empty() && !command->is(kUngated))
    return kNoAuth;
  if (session.in_multi && command->is(kNotInMulti))
    return "ERR Command not allowed inside a transaction";
  if (is_rare_) {
    const std::string_view text = rare_reason(call, *command, flags);
    if (!text.empty()) return text;
  }
  if ((flags & kWrite) != 0 && !scripts_.running()) {
    if (replication_.replicas().too_few()) return kTooFewReplicas;
    if (replication_.is_replica()) return kReadOnly;  // R50: before the next but one
  }
  if (session.protocol == 2 && session.subscribed() && !command->is(kSubscribed))
    return text_ = not_while_subscribed(*command);
  // A script may run on stale data if it says so.
  const bool stale_is_fine =
      (flags & kStale) != 0 && (!command->is(kRunsScript) || flags != command->flags);
  if (replication_.is_replica() && replication_.link() != Replication::Link::connected &&
      !config_.serves_stale_data() && !stale_is_fine) {
    return "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.";
  }
  if (persistence_.loading() && !command->is(kLoading))
    return "LOADING Redis is loading the dataset in memory";  // R100
  if (scripts_.too_long() && !command->is(kWhileBusy)) return kBusy;
  if (session.monitors && (flags & (kRead | kWrite | kMayReplicate)) != 0)
    return "ERR Replica can't interact with the keyspace";
  return {};
}

}  // namespace picklock::redis
