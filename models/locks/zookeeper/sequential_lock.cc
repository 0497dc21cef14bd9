#include "models/locks/zookeeper/sequential_lock.h"

#include <algorithm>

#include "keys/key_kinds.h"
#include "models/locks/promises.h"
#include "models/locks/zookeeper/promises.h"

namespace picklock::models::locks::zookeeper {

Acquired SequentialLock::acquire(Client& self, std::string_view key) {
  return queue(self, key, patience_of(self, options()));
}

Acquired SequentialLock::try_acquire(Client& self, std::string_view key) {
  return queue(self, key, Patience(self, options().clock, Duration::zero()));
}

Acquired SequentialLock::queue(Client& self, std::string_view key, const Patience& patience) {
  Place place{.directory = picklock::zookeeper::lock_path(key)};
  if (own_.named_by == NamedBy::acquisition) place.prefix = prefix(self);
  for (;;) {
    if (place.path.empty()) join(self, place);
    std::string before;
    const Turn now = place.path.empty() ? Turn::no_answer : turn(self, place, before);
    if (now == Turn::mine) return granted(self, place);
    if (now == Turn::gone) {
      place.path.clear();
      continue;
    }
    bool interrupted = false;
    if (now == Turn::no_answer) {
      interrupted = !self.sleep_interruptibly(patience.at_most(options().retry_every));
    } else if (!patience.over()) {
      const Bell bell(self);
      const Answer seen = ensemble(self).exists(before, bell.watch(), Role::watch);
      const bool gone = seen.code == Code::no_node;
      if (gone && woken_ == Woken::holds) return granted(self, place);
      if (!seen.ok()) continue;
      interrupted =
          bell.wait(patience.at_most(Semaphore::kForever)) == Semaphore::Woken::by_interrupt;
      if (bell.deleted() && woken_ == Woken::holds) return granted(self, place);
    }
    if (interrupted || patience.over()) return leave(self, place);
  }
}

std::string SequentialLock::prefix(Client& self) const {
  if (options().recognise_own == RecogniseOwn::never) return "lock-";
  if (own_.named_by == NamedBy::session)
    return "x-" + std::to_string(ensemble(self).session()) + "-";
  return self.fresh_token() + "-lock-";
}

bool SequentialLock::looks_first(const Place& place) const {
  const RecogniseOwn own = options().recognise_own;
  return own == RecogniseOwn::always || (place.doubt && own != RecogniseOwn::never);
}

// Leaves the path empty if there is no answer.
void SequentialLock::join(Client& self, Place& place) {
  if (own_.named_by == NamedBy::session) {
    // A client that was never connected does not know its session yet.
    if (ensemble(self).session() == 0) ensemble(self).exists(place.directory, {}, Role::upkeep);
    if (ensemble(self).session() == 0) return;
    place.prefix = prefix(self);
  }
  if (looks_first(place)) {
    // A client that cannot look may have a znode there: a second one would wait behind it forever.
    if (!find_own(self, place) || !place.path.empty()) return;
  }
  const std::string path = child_of(place.directory, place.prefix);
  Answer made = ensemble(self).create(path, "", CreateMode::ephemeral_sequential);
  if (made.code == Code::no_node) {
    ensemble(self).create(place.directory, "", CreateMode::persistent, Role::upkeep);
    made = ensemble(self).create(path, "", CreateMode::ephemeral_sequential);
  }
  place.doubt = place.doubt || made.unknown();
  if (made.code == Code::session_expired) place.doubt = false;
  if (!made.ok()) return;
  place.path = made.path;
  place.zxid = made.zxid;
}

// A create without an answer may have been executed; then its unique name is there (Z13). False:
// the outcome is unknown.
bool SequentialLock::find_own(Client& self, Place& place) {
  const Answer all = ensemble(self).get_children(place.directory, {}, Role::check);
  if (!all.ok()) return all.code == Code::no_node;
  for (const std::string& name : all.children) {
    if (!name.starts_with(place.prefix)) continue;
    const Answer there = ensemble(self).exists(child_of(place.directory, name), {}, Role::check);
    if (!there.ok() && there.code != Code::no_node) return false;
    // A znode of an ended session will vanish soon.
    if (!there.ok() || there.stat.ephemeral_owner != ensemble(self).session()) continue;
    place.path = child_of(place.directory, name);
    place.zxid = there.stat.czxid;
  }
  return true;
}

SequentialLock::Turn SequentialLock::turn(Client& self, const Place& place, std::string& before) {
  Answer all = ensemble(self).get_children(place.directory, {}, Role::check);
  if (all.code == Code::no_node) return Turn::gone;
  if (!all.ok()) return Turn::no_answer;
  const std::vector<std::string> queue = in_order(std::move(all.children), queue_.order_by);
  const std::string name = place.path.substr(place.directory.size() + 1);
  const auto mine = std::find(queue.begin(), queue.end(), name);
  if (mine == queue.end()) return Turn::gone;
  if (mine == queue.begin()) return Turn::mine;
  before = child_of(place.directory, *std::prev(mine));
  return Turn::not_yet;
}

Acquired SequentialLock::granted(Client& self, const Place& place) {
  const std::int64_t number = *picklock::zookeeper::sequence_of(place.path);
  Lease lease{.key = place.directory,
              .token = place.path,
              .ttl = ensemble(self).session_timeout(),
              .fence = options().mint == Mint::none           ? 0
                       : queue_.fence_by == FenceBy::sequence ? number + 1
                                                              : place.zxid};
  guards_.start(self, lease, session_options_.stops_at);
  return lease;
}

Acquired SequentialLock::leave(Client& self, const Place& place) {
  bool doubt = place.doubt;
  if (!place.path.empty()) {
    const Answer gone = insist(self, options(), [&] { return ensemble(self).remove(place.path); });
    doubt = doubt || gone.unknown();
  }
  if (doubt) return Acquired::unknown();
  return std::nullopt;
}

Released SequentialLock::release(Client& self, const Lease& lease) {
  guards_.stop(self, lease);
  const Answer gone = insist(self, options(), [&] { return ensemble(self).remove(lease.token); });
  if (gone.unknown()) return Released::unknown;
  return gone.ok() ? Released::ok : Released::not_held;
}

Held SequentialLock::check_held(Client& self, const Lease& lease) {
  const Answer there = ensemble(self).exists(lease.token, {}, Role::check);
  if (there.unknown()) return Held::unknown;
  return there.ok() ? Held::yes : Held::no;
}

namespace {

constexpr std::string_view kSource = "docs/facts/algorithms.md 6.2, docs/facts/failures.md A-21";

Uses uses() { return {.check = true, .mint = true, .server = picklock::zookeeper::kServer}; }

OptionKeys name_keys() {
  using namespace keys;
  const OptionKeys own = own_keys<SequentialOptions>({
      word<SequentialOptions>(
          "named_by", {"acquisition", "session"}, at<&SequentialOptions::named_by>,
          "how the names of a client's znodes begin, so that it recognizes them: with a token for "
          "each acquisition, or with the number of its session"),
  });
  return {needing(own.front(), {.other = "recognise_own",
                                .met =
                                    [](const LockOptions& options) {
                                      return options.recognise_own != RecogniseOwn::never;
                                    },
                                .else_what = "while `recognise_own` is \"never\""})};
}

OptionKeys sequential_keys() {
  return joined({resending_session_keys(), queue_keys(), own_token_keys(), name_keys()});
}

std::vector<Role> roles() {
  return {Role::acquire, Role::check, Role::watch, Role::release, Role::renew};
}

template <Woken woken>
std::unique_ptr<Lock> make_sequential(const LockOptions& options) {
  return std::make_unique<SequentialLock>(options, woken);
}

}  // namespace

const Algorithm& zk_sequential() {
  static const Algorithm algorithm{
      .name = "zk-sequential",
      .summary =
          "the lowest ephemeral sequential znode holds the lock; every other client watches the "
          "znode before its own, and lists all again when woken",
      .source = kSource,
      .roles = roles(),
      .marks = {},
      .uses = uses(),
      .keys = sequential_keys(),
      .promises = queued,
      .bound = session_and_one_attempt,
      .wakeup = wakes_at_once,
      .overtakes = kPassedWhileLeaving,
      .preset = [](LockOptions& options) { options.recognise_own = RecogniseOwn::after_unknown; },
      .make = make_sequential<Woken::lists_again>,
  };
  return algorithm;
}

const Algorithm& zk_sequential_naive() {
  static const Algorithm algorithm{
      .name = "zk-sequential-naive",
      .summary =
          "zk-sequential, but a waiter takes the lock as soon as the znode before its own is gone",
      .source = kSource,
      .roles = roles(),
      .marks = {},
      .uses = uses(),
      .keys = sequential_keys(),
      .promises = queued_naively,
      .bound = session_and_one_attempt,
      .wakeup = wakes_at_once,
      .overtakes = kPassedWhileLeaving,
      .make = make_sequential<Woken::holds>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks::zookeeper
