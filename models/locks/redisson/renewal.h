// The watchdog (docs/facts/algorithms.md 1.4): renews the locks of a client process's threads every
// third of the lease, counted from the end of the pass before. It knows owners by name, but not
// whether their threads still live. It forgets lost locks silently, unless `tell_loss` is set. Each
// lock may have a timer of its own instead, as before version 3.44.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/locks/redisson/commands.h"
#include "picklock/lock.h"

namespace picklock::models::locks::redisson {

// Called after a renewal: with the time on the client's clock until which `thread` now holds the
// lock, or without one if it is lost.
using OnRenewal = std::function<void(Client& self, std::uint32_t thread, const Lease& lease,
                                     std::optional<Duration> until)>;
// The callback that `tell_loss` and `deadline` require.
OnRenewal as_told(const LockOptions& options);

class Watchdog : public std::enable_shared_from_this<Watchdog> {
 public:
  Watchdog(const LockOptions& options, std::size_t server, OnRenewal on_renewal)
      : options_(options), commands_(options, server), on_renewal_(std::move(on_renewal)) {}

  // Call it from a thread of the process before the first renewal.
  void start(Client& self);
  // A thread has acquired. May be called between the steps of threads.
  void add(const Lease& lease, std::uint32_t thread, Tenancy tenancy);
  // A thread has released once. Does nothing if it holds nothing.
  void remove(std::string_view key, std::uint32_t thread);

 private:
  struct Hold {
    std::uint32_t thread = 0;
    std::uint32_t count = 0;
    Lease lease;
    Tenancy tenancy{};
  };
  // The holds of one name, in the order in which its threads came; only the first is renewed.
  struct Entry {
    std::string key;
    std::deque<Hold> holds;
    std::uint64_t number = 0;
    bool timed = false;  // has its own timer
  };

  void run(Client& self);
  void run_one(Client& self, const std::string& key, std::uint64_t number);
  bool renew(Client& self, std::span<Entry* const> batch);
  void forget(std::string_view key);
  Entry* find(std::string_view key);
  Entry* find(std::string_view key, std::uint64_t number);

  LockOptions options_;
  const RedissonOptions& redisson_ = options_.of<RedissonOptions>();
  Commands commands_;
  OnRenewal on_renewal_;
  std::vector<Entry> entries_;
  std::uint64_t entries_made_ = 0;
  std::unique_ptr<Semaphore> wake_;
};

}  // namespace picklock::models::locks::redisson
