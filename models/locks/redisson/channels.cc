#include "models/locks/redisson/channels.h"

#include "models/locks/local_time.h"

namespace picklock::models::locks::redisson {

// A thread that is about to subscribe: it counts as a waiter, and leaves unless it succeeds.
class Channels::Joining {
 public:
  Joining(Channels& channels, Client& self, const std::string& name)
      : channels_(channels), self_(self), name_(name), channel_(channels.channels_[name]) {
    ++channel_.waiters;
  }
  Joining(const Joining&) = delete;
  Joining& operator=(const Joining&) = delete;
  ~Joining() {
    if (!joined_) channels_.leave(self_, name_);
  }
  Channel& channel() const { return channel_; }
  void joined() { joined_ = true; }

 private:
  Channels& channels_;
  Client& self_;
  const std::string& name_;
  Channel& channel_;
  bool joined_ = false;
};

// A thread's turn to subscribe; however it ends, the turn is passed on.
class Channels::Turn {
 public:
  Turn(Channel& channel, Duration patience)
      : turns_(*channel.turns), mine_(turns_.acquire(patience) == Semaphore::Woken::by_permit) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (mine_) turns_.release();
  }
  bool mine() const { return mine_; }

 private:
  Semaphore& turns_;
  bool mine_;
};

Semaphore* Channels::join(Client& self, const std::string& channel, Duration length) {
  const Patience patience(self, ClientClock::monotonic, length);
  Joining joining(*this, self, channel);
  Channel& mine = joining.channel();
  if (mine.latch == nullptr) {
    mine.latch = self.semaphore(Awaits::news);
    mine.turns = self.semaphore(Awaits::threads);
    mine.turns->release();
  }
  if (!mine.heard) {
    const Turn turn(mine, length);
    if (!turn.mine()) return nullptr;
    if (!mine.heard) mine.heard = subscribe(self, channel, mine, patience.left());
    if (!mine.heard) return nullptr;
  }
  joining.joined();
  return mine.latch.get();
}

bool Channels::subscribe(Client& self, const std::string& channel, const Channel& mine,
                         Duration patience) const {
  return patience > Duration::zero() &&
         redis::server(self, server_)
             .subscribe(
                 channel, [latch = mine.latch](std::string_view) { latch->release(); }, patience);
}

void Channels::leave(Client& self, const std::string& channel) {
  const auto found = channels_.find(channel);
  if (found == channels_.end() || --found->second.waiters > 0) return;
  if (found->second.heard) redis::server(self, server_).unsubscribe(channel);
  channels_.erase(found);
}

}  // namespace picklock::models::locks::redisson
