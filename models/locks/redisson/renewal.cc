#include "models/locks/redisson/renewal.h"

#include <algorithm>

#include "models/locks/local_time.h"
#include "models/locks/redisson/scripts.h"

namespace picklock::models::locks::redisson {
namespace {

constexpr std::size_t kBatch = 100;  // names renewed by one script

}  // namespace

OnRenewal as_told(const LockOptions& options) {
  return [tell_loss = options.tell_loss, deadline = options.deadline](
             Client& self, std::uint32_t, const Lease& lease, std::optional<Duration> until) {
    if (until && deadline) self.witness().believe_until(lease, *until);
    if (!until && tell_loss) self.witness().record_loss(lease);
  };
}

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

// Finds only this entry: a lock that was released and acquired anew has another number.
Watchdog::Entry* Watchdog::find(std::string_view key, std::uint64_t number) {
  Entry* entry = find(key);
  return entry != nullptr && entry->number == number ? entry : nullptr;
}

void Watchdog::add(const Lease& lease, std::uint32_t thread, Tenancy tenancy) {
  Entry* entry = find(lease.key);
  if (entry == nullptr) {
    entry = &entries_.emplace_back(Entry{.key = lease.key, .holds = {}, .number = ++entries_made_});
  }
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
    if (redisson_.timer_per_lock) {
      for (Entry& entry : entries_) {
        if (std::exchange(entry.timed, true)) continue;
        self.spawn([watchdog = shared_from_this(), key = entry.key, number = entry.number](
                       Client& thread) { watchdog->run_one(thread, key, number); });
      }
      continue;
    }
    while (!entries_.empty()) {
      self.sleep(options_.ttl / 3);
      // A batch without an answer ends the pass; the next pass comes as usual.
      for (std::size_t from = 0; from < entries_.size(); from += kBatch) {
        std::vector<Entry*> batch;
        for (std::size_t i = from; i < std::min(from + kBatch, entries_.size()); ++i)
          batch.push_back(&entries_[i]);
        if (!renew(self, batch)) break;
      }
    }
  }
}

void Watchdog::run_one(Client& self, const std::string& key, std::uint64_t number) {
  for (;;) {
    self.sleep(options_.ttl / 3);
    Entry* entry = find(key, number);
    if (entry == nullptr) return;
    const bool answered = renew(self, {&entry, 1});
    if (!answered && !redisson_.renew_after_error && find(key, number) != nullptr)
      return forget(key);
  }
}

// False: no answer, so the outcome is unknown.
bool Watchdog::renew(Client& self, std::span<Entry* const> batch) {
  std::vector<std::string> names;
  std::vector<std::uint64_t> numbers;
  std::vector<Hold> firsts;
  for (const Entry* entry : batch) {
    names.push_back(entry->key);
    numbers.push_back(entry->number);
    firsts.push_back(entry->holds.front());
  }
  const std::string lease = milliseconds(options_.ttl);
  std::vector<std::string_view> keys(names.begin(), names.end());
  std::vector<std::string_view> args = {lease};
  for (const Hold& hold : firsts) args.push_back(hold.lease.token);
  self.witness().act_for(firsts.front().tenancy);
  const Duration sent = now(self, options_.clock);
  const redis::Reply reply = commands_.run_freely(
      self, {options_.scripts.instead_of(ScriptOf::renew, extend()), keys, args}, Role::renew);
  if (reply.elements.size() != names.size()) return false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    self.witness().act_for(firsts[i].tenancy);
    const Hold& first = firsts[i];
    const Entry* entry = find(names[i], numbers[i]);
    const bool held = entry != nullptr && entry->holds.front().thread == first.thread;
    if (!held) continue;  // released meanwhile
    const bool renewed = reply.elements[i].is_integer(1);
    on_renewal_(self, first.thread, first.lease,
                renewed ? std::optional(sent + options_.ttl) : std::nullopt);
    if (renewed) continue;
    if (redisson_.timer_per_lock) {
      forget(names[i]);
    } else {
      remove(names[i], first.thread);
    }
  }
  return true;
}

}  // namespace picklock::models::locks::redisson
