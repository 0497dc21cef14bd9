// Commands about the slots of a Redis Cluster.
#include <array>

#include "models/redis/commands.h"
#include "models/redis/group.h"
#include "models/redis/redirection.h"
#include "models/redis/slots.h"

namespace picklock::redis {
namespace of_cluster {
namespace {

// The map of slots. nullptr: the server is no node of a cluster, and the reply says so.
const Slots* slots_for(Call& call) {
  const Slots* const slots = call.server.redirection.slots();
  if (slots == nullptr) call.reply.set_error("ERR This instance has cluster support disabled");
  return slots;
}

// In the place of the random id that a real node draws.
std::string id_of(const Server& server) { return sha1_hex(server.process().name()); }

void keyslot(Call& call) {
  if (slots_for(call) != nullptr) call.reply.set_integer(slot_of(call[2]));
}

void add_node(Reply& range, const Group& group, const Server& server) {
  const Node& node = *group.directory().of(server.process());
  Reply& entry = range.add();
  entry.set(Reply::Kind::array);
  entry.add().set_bulk(node.host());
  entry.add().set_integer(node.port);
  entry.add().set_bulk(id_of(server));
  entry.add().set(Reply::Kind::array);
}

void slots(Call& call) {
  const Slots* const slots = slots_for(call);
  if (slots == nullptr) return;
  call.reply.set(Reply::Kind::array);
  for (const SlotRange& range : slots->ranges()) {
    const Group& group = slots->groups()[range.group];
    Reply& entry = call.reply.add();
    entry.set(Reply::Kind::array);
    entry.add().set_integer(range.first);
    entry.add().set_integer(range.last);
    add_node(entry, group, group.at_address());
    for (std::size_t i = 0; i < group.replicas(); ++i) {
      const Server& replica = group.replica(i);
      if (&replica != &group.at_address() && !replica.process().down())
        add_node(entry, group, replica);
    }
  }
}

constexpr std::array kSubcommands = {Command{"cluster|keyslot", 3, kStale, keyslot},
                                     Command{"cluster|slots", 2, kStale, slots}};

constexpr std::array kCommands = {Command{"cluster", -2, 0, nullptr, {}, kSubcommands}};

}  // namespace
}  // namespace of_cluster

std::span<const Command> cluster_commands() { return of_cluster::kCommands; }

}  // namespace picklock::redis
