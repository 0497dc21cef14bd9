#include "models/locks/zookeeper/kazoo_lock.h"

#include <algorithm>

#include "models/locks/promises.h"
#include "models/locks/zookeeper/promises.h"

namespace picklock::models::locks::zookeeper {
namespace {

using namespace std::chrono_literals;

constexpr Duration kPauseAtMost = 60s;

}  // namespace

Acquired KazooLock::acquire(Client& self, std::string_view key) {
  return lock(self, key, patience_of(self, options()));
}

Acquired KazooLock::try_acquire(Client& self, std::string_view key) {
  return lock(self, key, Patience(self, options().clock, Duration::zero()));
}

// Tries as often as it takes, with pauses that grow, also beyond the end of a session.
Acquired KazooLock::lock(Client& self, std::string_view key, const Patience& patience) {
  const std::string directory = models::zookeeper::lock_path(key);
  if (prefix_.empty()) prefix_ = self.fresh_token() + "__lock__";
  Duration pause = options().retry_every;
  for (;;) {
    const Outcome outcome = attempt(self, directory, patience);
    if (outcome == Outcome::granted) {
      held_ = true;
      const std::int64_t number = *models::zookeeper::sequence_of(path_);
      Lease lease{.key = directory,
                  .token = path_,
                  .ttl = self.zookeeper().session_timeout(),
                  .fence = options().mint == Mint::none              ? 0
                           : options().fence_by == FenceBy::sequence ? number + 1
                                                                     : zxid_};
      guards_.start(self, lease, options().stops_at);
      return lease;
    }
    bool interrupted = outcome == Outcome::too_late;
    if (outcome == Outcome::failed) {
      interrupted = !self.sleep_interruptibly(patience.at_most(pause));
      pause = std::min(2 * pause, kPauseAtMost);
    }
    if (!interrupted && !patience.over()) continue;
    // Whatever goes wrong now is swallowed.
    return clean_up(self, directory) ? Acquired(std::nullopt) : Acquired::unknown();
  }
}

KazooLock::Outcome KazooLock::attempt(Client& self, const std::string& directory,
                                      const Patience& patience) {
  path_.clear();
  const Answer mine = find_or_create(self, directory);
  if (!mine.ok()) return Outcome::failed;
  path_ = mine.path;
  zxid_ = mine.stat.czxid != 0 ? mine.stat.czxid : mine.zxid;
  const std::string name = path_.substr(directory.size() + 1);
  for (;;) {
    Answer all = self.zookeeper().get_children(directory, {}, Role::check);
    if (!all.ok()) return Outcome::failed;
    const std::vector<std::string> queue = in_order(std::move(all.children));
    const auto own = std::find(queue.begin(), queue.end(), name);
    if (own == queue.end()) return Outcome::again;
    if (own == queue.begin()) return Outcome::granted;
    if (patience.over()) return Outcome::too_late;
    const Bell bell(self);
    const Answer seen =
        self.zookeeper().get_data(child_of(directory, *std::prev(own)), bell.watch(), Role::watch);
    if (seen.code == Code::no_node) continue;
    if (!seen.ok()) return Outcome::failed;
    const auto woken = bell.wait(patience.at_most(Semaphore::kForever));
    if (woken == Semaphore::Woken::by_interrupt || patience.over()) return Outcome::too_late;
  }
}

Answer KazooLock::find_or_create(Client& self, const std::string& directory) {
  if (tried_) {
    Answer all = self.zookeeper().get_children(directory, {}, Role::check);
    if (!all.ok() && all.code != Code::no_node) return all;
    for (const std::string& name : all.children) {
      if (!name.starts_with(prefix_)) continue;
      const std::string path = child_of(directory, name);
      Answer there = self.zookeeper().exists(path, {}, Role::check);
      if (there.code == Code::no_node) continue;
      there.path = path;
      return there;
    }
  }
  tried_ = true;
  const std::string path = child_of(directory, prefix_);
  Answer made = self.zookeeper().create(path, "", CreateMode::ephemeral_sequential);
  if (made.code != Code::no_node) return made;
  self.zookeeper().create(directory, "", CreateMode::persistent, Role::upkeep);
  return self.zookeeper().create(path, "", CreateMode::ephemeral_sequential);
}

// False: nobody knows whether its znode is gone.
bool KazooLock::clean_up(Client& self, const std::string& directory) {
  if (path_.empty()) {
    const Answer all = self.zookeeper().get_children(directory, {}, Role::check);
    if (all.unknown()) return false;
    for (const std::string& name : all.children) {
      if (name.starts_with(prefix_)) path_ = child_of(directory, name);
    }
    if (path_.empty()) return true;
  }
  return !self.zookeeper().remove(path_, Role::release).unknown();
}

Released KazooLock::release(Client& self, const Lease& lease) {
  if (!held_ || lease.token != path_) return Released::not_held;
  guards_.stop(self, lease);
  Duration pause = options().retry_every;
  for (;;) {
    const Answer gone = self.zookeeper().remove(path_);
    if (gone.unknown() || gone.code == Code::session_expired) {
      self.sleep(pause);
      pause = std::min(2 * pause, kPauseAtMost);
      continue;
    }
    held_ = false;
    path_.clear();
    return gone.ok() ? Released::ok : Released::not_held;
  }
}

Held KazooLock::look(Client&, const Lease&) { return held_ ? Held::yes : Held::no; }

const Algorithm& kazoo_lock() {
  static const Algorithm algorithm{
      .name = "kazoo-lock",
      .summary = "kazoo's Lock: a queue of znodes that bear one name for the life of the object",
      .source = "docs/facts/algorithms.md 6.4, docs/facts/failures.md C-13",
      .roles = {Role::acquire, Role::check, Role::watch, Role::release, Role::renew},
      .marks = {},
      .uses = {.tokens = false,
               .mint = true,
               .options = {"stops_at", "fence_by", "lost_after_percent"},
               .server = LockServer::zookeeper},
      .promises = queued_under_one_name,
      .bound = session_and_one_attempt,
      .wakeup = wakes_at_once,
      .overtakes = kPassedWhileLeaving,
      .make = make<KazooLock>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks::zookeeper
