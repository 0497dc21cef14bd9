#include "models/redis/redirection.h"

#include <vector>

#include "models/redis/group.h"
#include "models/redis/replication.h"
#include "sim/service.h"

namespace picklock::redis {
namespace {

constexpr int kNoSlot = -1;
constexpr int kSeveralSlots = -2;
constexpr std::string_view kCrossSlot = "CROSSSLOT Keys in request don't hash to the same slot";

}  // namespace

void Redirection::add(int& slot, const Command& command, Argv argv) {
  const KeyWords keys = key_words(command, argv);
  for (std::size_t i = keys.first; i <= keys.last && i < argv.size(); i += keys.step) {
    const int own = slot_of(argv[i]);
    slot = slot == kNoSlot || slot == own ? own : kSeveralSlots;
  }
}

bool Redirection::serves(int slot) const {
  const Group& group = slots_->serving(static_cast<std::uint16_t>(slot));
  return &group == replication_.group() && &group.at_address().process() == &service_.process();
}

std::string_view Redirection::reason(const Call& call, const Command& command) {
  int slot = kNoSlot;
  if (call.session.in_multi && command.is(kRunsQueue)) {
    std::vector<std::string_view> words;
    call.session.queued.each(words,
                             [&slot](Argv queued) { add(slot, *command_called(queued), queued); });
  } else {
    add(slot, command, call.argv);
  }
  if (slot == kNoSlot) return {};
  if (slot == kSeveralSlots) return kCrossSlot;
  if (serves(slot)) return {};
  const Group& group = slots_->serving(static_cast<std::uint16_t>(slot));
  const Node& node = *group.directory().of(group.at_address().process());
  text_ = "MOVED " + std::to_string(slot) + " " + node.host() + ":" + std::to_string(node.port);
  return text_;
}

std::string_view Redirection::reason_in_script(const Command& command, Argv argv) {
  int slot = kNoSlot;
  add(slot, command, argv);
  if (slot == kNoSlot || (slot != kSeveralSlots && serves(slot))) return {};
  return "ERR Script attempted to access a non local key in a cluster node";
}

}  // namespace picklock::redis
