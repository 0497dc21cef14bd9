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
  return lock(self, key, true, patience_of(options()));
}

Acquired KazooLock::try_acquire(Client& self, std::string_view key) {
  return lock(self, key, false, Patience::kEndless);
}

// Tries as often as it takes, with growing pauses, also beyond the end of a session, but not if the
// next attempt would be too late.
Acquired KazooLock::lock(Client& self, std::string_view key, bool blocking, Duration time_out) {
  const Patience patience(self, options().clock, time_out);
  const std::string directory = picklock::zookeeper::lock_path(key);
  if (prefix_.empty()) prefix_ = self.fresh_token() + "__lock__";
  doubt_ = false;
  Duration pause = options().retry_every;
  for (;;) {
    const Outcome outcome = attempt(self, directory, blocking, time_out);
    if (outcome == Outcome::granted) return granted(self, directory);
    bool over = outcome == Outcome::too_late;
    if (outcome == Outcome::failed) {
      const bool in_time = patience.endless() || patience.left() > pause;
      over = !in_time || !self.sleep_interruptibly(pause);
      pause = std::min(2 * pause, kPauseAtMost);
    }
    if (!over) continue;
    // Errors from here on are swallowed.
    return clean_up(self, directory) ? Acquired(std::nullopt) : Acquired::unknown();
  }
}

Acquired KazooLock::granted(Client& self, const std::string& directory) {
  held_ = true;
  const std::int64_t number = *picklock::zookeeper::sequence_of(path_);
  Lease lease{.key = directory,
              .token = path_,
              .ttl = ensemble(self).session_timeout(),
              .fence = options().mint == Mint::none           ? 0
                       : queue_.fence_by == FenceBy::sequence ? number + 1
                                                              : zxid_};
  guards_.start(self, lease, session_options_.stops_at);
  return lease;
}

KazooLock::Outcome KazooLock::attempt(Client& self, const std::string& directory, bool blocking,
                                      Duration time_out) {
  const Answer mine = find_or_create(self, directory);
  doubt_ = !mine.ok() && (doubt_ || mine.unknown());
  if (!mine.ok()) return Outcome::failed;
  path_ = mine.path;
  zxid_ = mine.stat.czxid != 0 ? mine.stat.czxid : mine.zxid;
  const std::string name = path_.substr(directory.size() + 1);
  for (;;) {
    Answer all = ensemble(self).get_children(directory, {}, Role::check);
    if (!all.ok()) return Outcome::failed;
    const std::vector<std::string> queue = in_order(std::move(all.children), queue_.order_by);
    const auto own = std::find(queue.begin(), queue.end(), name);
    if (own == queue.end()) return Outcome::failed;
    if (own == queue.begin()) return Outcome::granted;
    if (!blocking) return Outcome::too_late;
    const Bell bell(self);
    const Answer seen =
        ensemble(self).get_data(child_of(directory, *std::prev(own)), bell.watch(), Role::watch);
    if (seen.code == Code::no_node) continue;
    if (!seen.ok()) return Outcome::failed;
    // Waits for the whole time-out, each time anew.
    if (bell.wait(time_out) != Semaphore::Woken::by_permit) return Outcome::too_late;
  }
}

// It does not check which session the znode belongs to.
Answer KazooLock::find_or_create(Client& self, const std::string& directory) {
  if (tried_) {
    Answer all = find(self, directory);
    if (!all.path.empty() || (!all.ok() && all.code != Code::no_node)) return all;
  }
  tried_ = true;
  const std::string path = child_of(directory, prefix_);
  Answer made = ensemble(self).create(path, "", CreateMode::ephemeral_sequential);
  if (made.code != Code::no_node) return made;
  ensemble(self).create(directory, "", CreateMode::persistent, Role::upkeep);
  return ensemble(self).create(path, "", CreateMode::ephemeral_sequential);
}

// Returns no path if there is no znode. The number of its write is useful only as a token.
Answer KazooLock::find(Client& self, const std::string& directory) {
  Answer all = ensemble(self).get_children(directory, {}, Role::check);
  const auto mine = first_named(all.children, prefix_);
  if (mine == all.children.end()) return all;
  const std::string path = child_of(directory, *mine);
  if (options().mint == Mint::none || queue_.fence_by == FenceBy::sequence) {
    all.path = path;
    return all;
  }
  Answer there = ensemble(self).exists(path, {}, Role::check);
  if (there.ok()) there.path = path;
  return there;
}

// The remembered path may be of an older acquisition; then it looks no further. False: nobody knows
// whether the znode is gone.
bool KazooLock::clean_up(Client& self, const std::string& directory) {
  std::string path = path_;
  if (path.empty()) {
    const Answer found = find(self, directory);
    if (found.unknown()) return false;
    if (found.path.empty()) return true;
    path = found.path;
    doubt_ = false;
  }
  return !ensemble(self).remove(path, Role::release).unknown() && !doubt_;
}

Released KazooLock::release(Client& self, const Lease& lease) {
  if (!held_ || lease.token != path_) return Released::not_held;
  guards_.stop(self, lease);
  Duration pause = options().retry_every;
  for (;;) {
    const Answer gone = ensemble(self).remove(path_);
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

Held KazooLock::check_held(Client&, const Lease&) { return held_ ? Held::yes : Held::no; }

const Algorithm& kazoo_lock() {
  static const Algorithm algorithm{
      .name = "kazoo-lock",
      .summary =
          "kazoo's Lock: a queue of znodes whose names begin with an id that the object keeps for "
          "life",
      .source = "docs/facts/algorithms.md 6.4, docs/facts/failures.md C-13",
      .roles = {Role::acquire, Role::check, Role::watch, Role::release, Role::renew},
      .marks = {},
      .uses = {.mint = true, .server = picklock::zookeeper::kServer},
      .keys = joined({session_keys(), queue_keys()}),
      .promises = queued_under_one_name,
      .bound = session_and_one_attempt,
      .wakeup = wakes_at_once,
      .overtakes = kPassedWhileLeaving,
      .make = make<KazooLock>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks::zookeeper
