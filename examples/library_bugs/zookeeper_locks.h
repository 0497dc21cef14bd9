// Locks of libraries on ZooKeeper, before and after a fix. `kFixed` is the fix: everything else is
// the same in both versions.
#pragma once

#include <picklock/scenario.h>
#include <picklock/zookeeper.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace library_bugs {

using namespace picklock;
using namespace std::chrono_literals;

inline zookeeper::Client& ensemble(Client& self) { return self.connection<zookeeper::Client>(); }

// Sends a request until it is answered.
template <typename Request>
zookeeper::Answer insist(Client& self, const Request& request) {
  while (true) {
    zookeeper::Answer answer = request();
    if (!answer.unknown()) return answer;
    self.sleep(100ms);
  }
}

// The queue of ephemeral sequential znodes, the lowest of which holds the lock. A holder stops when
// its session is lost.
class QueueLock : public Lock {
 public:
  using Lock::Lock;
  static constexpr LockServer server = zookeeper::kServer;

  Released release(Client& self, const Lease& lease) override {
    stop_guard(self, lease);
    return removed(insist(self, [&] { return ensemble(self).remove(lease.token); }));
  }

 protected:
  enum class Turn : std::uint8_t { mine, not_yet, gone, unknown };

  static std::string folder_of(std::string_view key) { return "/" + std::string(key); }
  static std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }
  static std::string number_of(const std::string& name) { return name.substr(name.size() - 10); }

  // The path of the client's own znode, whose name begins with a token so that it is found after a
  // create without an answer. Empty: there is none.
  std::string join(Client& self, std::string_view key) {
    const std::string prefix = self.fresh_token() + "-lock-";
    const std::string folder = folder_of(key);
    const auto made = create_in(self, folder, prefix);
    if (!made.unknown()) return made.ok() ? made.path : "";
    // The create may still be on its way through the ensemble.
    insist(self, [&] { return ensemble(self).sync(folder, Role::check); });
    const auto all =
        insist(self, [&] { return ensemble(self).get_children(folder, {}, Role::check); });
    for (const std::string& name : all.children) {
      if (name.starts_with(prefix)) return folder + "/" + name;
    }
    return "";
  }

  static zookeeper::Answer create_in(Client& self, const std::string& folder,
                                     const std::string& prefix) {
    const auto create = [&] {
      return ensemble(self).create(folder + "/" + prefix, "",
                                   zookeeper::CreateMode::ephemeral_sequential);
    };
    zookeeper::Answer made = create();
    while (made.code == zookeeper::Code::no_node) {
      ensemble(self).create(folder, "", zookeeper::CreateMode::persistent, Role::upkeep);
      made = create();
    }
    return made;
  }

  // Whether the znode of this path is the lowest, or else which one is next before it.
  Turn turn(Client& self, const std::string& path, std::string& before) const {
    const std::string folder = path.substr(0, path.rfind('/'));
    auto all = ensemble(self).get_children(folder, {}, Role::check);
    if (all.unknown()) return Turn::unknown;
    std::vector<std::string>& queue = all.children;
    std::sort(queue.begin(), queue.end(), [](const std::string& one, const std::string& other) {
      return number_of(one) < number_of(other);
    });
    const auto mine = std::find(queue.begin(), queue.end(), name_of(path));
    if (mine == queue.end()) return Turn::gone;
    if (mine == queue.begin()) return Turn::mine;
    before = folder + "/" + *std::prev(mine);
    return Turn::not_yet;
  }

  Acquired granted(Client& self, std::string_view key, const std::string& path) {
    Lease lease{.key = std::string(key), .token = path, .ttl = ensemble(self).session_timeout()};
    start_guard(self, lease);
    return lease;
  }

  static Released removed(const zookeeper::Answer& answer) {
    return answer.ok() ? Released::ok : Released::not_held;
  }

  void stop_guard(Client& self, const Lease& lease) {
    const auto found = guards_.find(lease.token);
    if (found == guards_.end()) return;
    ensemble(self).forget(found->second->listener);
    found->second->over = true;
    found->second->alarm->release();
    guards_.erase(found);
  }

 private:
  struct Guard {
    std::shared_ptr<Semaphore> alarm;
    std::uint64_t listener = 0;
    bool over = false;
  };

  void start_guard(Client& self, const Lease& lease) {
    auto guard = std::make_shared<Guard>();
    guard->alarm = self.semaphore(Awaits::threads);
    guard->listener = ensemble(self).listen([alarm = guard->alarm](zookeeper::State state) {
      if (state == zookeeper::State::lost) alarm->release();
    });
    if (ensemble(self).state() == zookeeper::State::lost) guard->alarm->release();
    guards_[lease.token] = guard;
    self.spawn([guard, lease](Client& thread) {
      guard->alarm->acquire(Semaphore::kForever);
      if (!guard->over) thread.witness().record_loss(lease);
    });
  }

  std::map<std::string, std::shared_ptr<Guard>> guards_;
};

// A queue whose waiters watch the znode before their own.
class WatchingLock : public QueueLock {
 public:
  using QueueLock::QueueLock;

  Acquired try_acquire(Client& self, std::string_view key) override { return acquire(self, key); }

  Acquired acquire(Client& self, std::string_view key) override {
    std::string path;
    zookeeper::SessionId session = 0;
    while (true) {
      if (session != ensemble(self).session()) path.clear();  // its znode has ended with it
      if (path.empty()) path = join(self, key);
      session = ensemble(self).session();
      std::string before;
      const Turn now = path.empty() ? Turn::unknown : turn(self, path, before);
      if (now == Turn::mine) return granted(self, key, path);
      if (now == Turn::gone) path.clear();
      if (now == Turn::unknown && gives_up_without_answer()) path.clear();
      const bool patient = now == Turn::not_yet   ? wait_for(self, before)
                           : now == Turn::unknown ? self.sleep_interruptibly(settings().retry_every)
                                                  : true;
      if (patient) continue;
      if (!path.empty()) insist(self, [&] { return ensemble(self).remove(path); });
      return std::nullopt;
    }
  }

 protected:
  // Whether to wait for a znode that was gone when the watch was set.
  virtual bool waits_for_missing() const { return false; }
  // Whether a request without an answer ends an acquire. The next one begins anew.
  virtual bool gives_up_without_answer() const { return false; }

 private:
  // Returns as soon as the znode is gone or the connection changes. False: interrupted.
  bool wait_for(Client& self, const std::string& path) {
    const std::shared_ptr<Semaphore> news = self.semaphore(Awaits::news);
    const auto there = ensemble(self).exists(
        path, [news](const zookeeper::Told&) { news->release(); }, Role::watch);
    if (there.unknown()) return self.sleep_interruptibly(settings().retry_every);
    if (!there.ok() && !waits_for_missing()) return true;
    return news->acquire(Semaphore::kForever) == Semaphore::Woken::by_permit;
  }
};

// Helix: a waiter whose predecessor has left before the watch is set waits all the same.
template <bool kFixed>
class HelixLock final : public WatchingLock {
 public:
  using WatchingLock::WatchingLock;

 protected:
  bool waits_for_missing() const override { return !kFixed; }
};

// aiozk: a waiter whose connection is lost gives up, and forgets the znode that waits for it.
template <bool kFixed>
class AiozkLock final : public WatchingLock {
 public:
  using WatchingLock::WatchingLock;

 protected:
  bool gives_up_without_answer() const override { return !kFixed; }
};

// zk: a waiter that gives up leaves its znode in the queue.
template <bool kFixed>
class ZkRubyLock final : public QueueLock {
 public:
  using QueueLock::QueueLock;

  Acquired try_acquire(Client& self, std::string_view key) override { return acquire(self, key); }

  Acquired acquire(Client& self, std::string_view key) override {
    const Duration gives_up_at = self.monotonic_now() + settings().acquire_timeout;
    const std::string path = join(self, key);
    if (path.empty()) return std::nullopt;
    while (true) {
      std::string before;
      const Turn now = turn(self, path, before);
      if (now == Turn::mine) return granted(self, key, path);
      if (now == Turn::gone) return std::nullopt;
      const bool patient =
          settings().acquire_timeout == Duration::zero() || self.monotonic_now() < gives_up_at;
      if (patient && self.sleep_interruptibly(settings().retry_every)) continue;
      if constexpr (kFixed) insist(self, [&] { return ensemble(self).remove(path); });
      return std::nullopt;
    }
  }
};

// kazoo: an acquire that does not block deletes its znode if it is refused, once, and does not care
// for the answer.
template <bool kFixed>
class KazooLock final : public QueueLock {
 public:
  using QueueLock::QueueLock;

  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string path = join(self, key);
    if (path.empty()) return std::nullopt;
    std::string before;
    if (turn(self, path, before) == Turn::mine) return granted(self, key, path);
    const auto remove = [&] { return ensemble(self).remove(path, Role::release); };
    if constexpr (kFixed) {
      insist(self, remove);
    } else {
      remove();
    }
    return std::nullopt;
  }
};

}  // namespace library_bugs
