#include "models/locks/redisson/renewal.h"

#include <algorithm>

#include "models/locks/local_time.h"
#include "models/locks/redisson/scripts.h"

namespace picklock::models::locks::redisson {
namespace {

constexpr std::size_t kBatch = 100;  // names renewed by one script

}  // namespace

void Watchdog::start(Client& self) {
  if (wake_ != nullptr) return;
  wake_ = self.semaphore(Awaits::threads);
  self.spawn([watchdog = shared_from_this()](Client& thread) { watchdog->run(thread); });
}

Watchdog::Entry* Watchdog::find(std::string_view key) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [key](const Entry& entry) { return entry.key == key; });
  return found == entries_.end() ? nullptr : &*found;
}

void Watchdog::add(const Lease& lease, std::uint32_t thread, Tenancy tenancy) {
  Entry* entry = find(lease.key);
  if (entry == nullptr) entry = &entries_.emplace_back(Entry{.key = lease.key, .holds = {}});
  for (Hold& hold : entry->holds) {
    if (hold.thread != thread) continue;
    ++hold.count;
    return;
  }
  entry->holds.push_back({thread, 1, lease, tenancy});
  wake_->release();
}

void Watchdog::remove(std::string_view key, std::uint32_t thread) {
  Entry* entry = find(key);
  if (entry == nullptr) return;
  for (auto hold = entry->holds.begin(); hold != entry->holds.end(); ++hold) {
    if (hold->thread != thread) continue;
    if (--hold->count == 0) entry->holds.erase(hold);
    break;
  }
  if (entry->holds.empty()) forget(key);
}

void Watchdog::forget(std::string_view key) {
  std::erase_if(entries_, [key](const Entry& entry) { return entry.key == key; });
}

void Watchdog::run(Client& self) {
  for (;;) {
    wake_->acquire(Semaphore::kForever);
    if (options_.timer_per_lock) {
      for (Entry& entry : entries_) {
        if (std::exchange(entry.timed, true)) continue;
        self.spawn([watchdog = shared_from_this(), key = entry.key](Client& thread) {
          watchdog->run_one(thread, key);
        });
      }
      continue;
    }
    while (!entries_.empty()) {
      self.sleep(options_.ttl / 3);
      // A batch without answer ends the pass; the next one comes as ever.
      for (std::size_t from = 0; from < entries_.size(); from += kBatch) {
        std::vector<Entry*> batch;
        for (std::size_t i = from; i < std::min(from + kBatch, entries_.size()); ++i)
          batch.push_back(&entries_[i]);
        if (!renew(self, batch)) break;
      }
    }
  }
}

void Watchdog::run_one(Client& self, const std::string& key) {
  for (;;) {
    self.sleep(options_.ttl / 3);
    Entry* entry = find(key);
    if (entry == nullptr) return;
    if (!renew(self, {&entry, 1}) && !options_.renew_after_error) return forget(key);
  }
}

// False: no answer, and nobody knows.
bool Watchdog::renew(Client& self, std::span<Entry* const> batch) {
  std::vector<std::string> names;
  std::vector<Hold> firsts;
  for (const Entry* entry : batch) {
    names.push_back(entry->key);
    firsts.push_back(entry->holds.front());
  }
  const std::string lease = milliseconds(options_.ttl);
  std::vector<std::string_view> keys(names.begin(), names.end());
  std::vector<std::string_view> args = {lease};
  for (const Hold& hold : firsts) args.push_back(hold.lease.token);
  self.act_for(firsts.front().tenancy);
  const Duration sent = now(self, options_.clock);
  const redis::Reply reply = commands_.run_freely(
      self, {or_own(options_.scripts.renew, extend()), keys, args}, Role::renew);
  if (reply.elements.size() != names.size()) return false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    self.act_for(firsts[i].tenancy);
    if (reply.elements[i].is_integer(1)) {
      if (options_.deadline) self.believe_until(firsts[i].lease, sent + options_.ttl);
      continue;
    }
    const Entry* entry = find(names[i]);
    const bool held = entry != nullptr && entry->holds.front().thread == firsts[i].thread;
    if (!held) continue;  // released meanwhile
    if (options_.tell_loss) self.lost(firsts[i].lease);
    remove(names[i], firsts[i].thread);
  }
  return true;
}

}  // namespace picklock::models::locks::redisson
