#include "models/locks/redisson/channels.h"

namespace picklock::models::locks::redisson {

Semaphore* Channels::join(Client& self, const std::string& channel, Duration patience) {
  Channel& mine = channels_[channel];
  if (mine.latch == nullptr) mine.latch = self.semaphore(Awaits::news);
  ++mine.waiters;
  if (!mine.heard) {
    const bool heard = self.redis(server_).subscribe(
        channel, [latch = mine.latch](std::string_view) { latch->release(); }, patience);
    if (!heard) {
      leave(self, channel);
      return nullptr;
    }
    mine.heard = true;
  }
  return mine.latch.get();
}

void Channels::leave(Client& self, const std::string& channel) {
  const auto found = channels_.find(channel);
  if (found == channels_.end() || --found->second.waiters > 0) return;
  if (found->second.heard) self.redis(server_).unsubscribe(channel);
  channels_.erase(found);
}

}  // namespace picklock::models::locks::redisson
