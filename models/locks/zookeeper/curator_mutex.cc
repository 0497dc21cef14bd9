#include "models/locks/zookeeper/curator_mutex.h"

#include <algorithm>
#include <utility>

#include "keys/key_kinds.h"
#include "models/locks/promises.h"
#include "models/locks/zookeeper/promises.h"

namespace picklock::models::locks::zookeeper {
namespace {

using namespace std::chrono_literals;

constexpr Duration kInBackgroundAgain = 1s;

// The errors that the library retries, as often as its retry policy allows.
bool is_retried(const Answer& answer) {
  return answer.unknown() || answer.code == Code::session_expired ||
         answer.code == Code::session_moved;
}

}  // namespace

Acquired CuratorMutex::acquire(Client& self, std::string_view key) {
  return lock(self, key, patience_of(self, options()));
}

Acquired CuratorMutex::try_acquire(Client& self, std::string_view key) {
  return lock(self, key, Patience(self, options().clock, Duration::zero()));
}

template <typename Ask>
Answer CuratorMutex::retried(Client& self, Ask ask) const {
  Answer answer = ask();
  for (std::uint32_t tries = 1; is_retried(answer) && tries <= options().resend; ++tries) {
    back_off(self, tries);
    answer = ask();
  }
  return answer;
}

void CuratorMutex::back_off(Client& self, std::uint32_t tries) const {
  const Duration whole =
      longest_resend_pause(options().resend_delay, options().resend_delay_most, tries);
  if (whole > Duration::zero()) self.sleep(self.random_between(whole / 2, whole));
}

Acquired CuratorMutex::lock(Client& self, std::string_view key, const Patience& patience) {
  const auto held = holds_.find(self.thread());
  if (held != holds_.end()) {
    ++held->second.count;
    return held->second.lease;
  }
  const std::string directory = picklock::zookeeper::lock_path(key);
  bool doubt = false;
  for (std::uint32_t tries = 0;;) {
    const std::optional<Node> node = create(self, directory, doubt);
    if (!node) return doubt ? Acquired::unknown() : Acquired(std::nullopt);
    const Outcome outcome = wait_for_turn(self, directory, *node, patience);
    if (outcome == Outcome::granted) {
      Lease lease{.key = directory,
                  .token = node->path,
                  .ttl = ensemble(self).session_timeout(),
                  .fence = options().mint == Mint::none ? 0 : node->zxid};
      if (options().mint != Mint::none && queue_.fence_by == FenceBy::sequence)
        lease.fence = *picklock::zookeeper::sequence_of(node->path) + std::int64_t{1};
      holds_[self.thread()] = {.lease = lease};
      guards_.start(self, lease, session_options_.stops_at);
      return lease;
    }
    const Answer gone = remove(self, node->path, Role::release);
    if (outcome == Outcome::node_gone && tries < options().resend) {
      back_off(self, ++tries);
      continue;
    }
    return gone.unknown() ? Acquired::unknown() : Acquired(std::nullopt);
  }
}

// Its unique name shows the outcome of a create without an answer.
std::optional<CuratorMutex::Node> CuratorMutex::create(Client& self, const std::string& directory,
                                                       bool& doubt) {
  const std::string id = "_c_" + self.fresh_token();
  const std::string path = child_of(directory, id + "-lock-");
  SessionId session = 0;  // in which the znode was last looked for
  bool tried = false;
  std::optional<Node> found;
  const Answer made = retried(self, [&] {
    if (session == 0) session = ensemble(self).session();
    if (std::exchange(tried, true)) {
      Answer looked = find(self, directory, id, session, found);
      // A client that cannot look may have a znode there: a second one would wait behind it
      // forever.
      if (found || is_retried(looked)) return looked;
    }
    Answer answer = ensemble(self).create(path, "", CreateMode::ephemeral_sequential);
    if (answer.code != Code::no_node) return answer;
    Answer parent = ensemble(self).create(directory, "", CreateMode::container, Role::upkeep);
    if (is_retried(parent)) return parent;
    return ensemble(self).create(path, "", CreateMode::ephemeral_sequential);
  });
  if (found) return found;
  if (made.ok()) return Node{made.path, made.zxid};
  // A lost create may have left a znode behind: a thread looks for it and deletes it, once.
  doubt = doubt || made.unknown();
  if (!own_.guaranteed_delete || !made.unknown()) return std::nullopt;
  self.spawn([directory, id](Client& thread) {
    for (;;) {
      const Answer all = ensemble(thread).get_children(directory, {}, Role::upkeep);
      const auto mine = first_named(all.children, id);
      if (mine != all.children.end()) remove_in_background(thread, child_of(directory, *mine));
      if (!is_retried(all)) return;
      thread.sleep(kInBackgroundAgain);
    }
  });
  return std::nullopt;
}

// A znode of an older session would soon vanish under its holder. The library does not check the
// owner, only whether the session has changed since the last look.
Answer CuratorMutex::find(Client& self, const std::string& directory, const std::string& id,
                          SessionId& session, std::optional<Node>& found) {
  Answer all = ensemble(self).get_children(directory, {}, Role::check);
  if (!all.ok()) return all;
  const SessionId now = ensemble(self).session();
  const bool another = std::exchange(session, now) != now;
  const auto mine = std::find_if(all.children.begin(), all.children.end(),
                                 [&id](const std::string& name) { return name.starts_with(id); });
  if (mine == all.children.end()) return all;
  const std::string path = child_of(directory, *mine);
  if (another) {
    self.spawn([path](Client& thread) { remove_in_background(thread, path); });
    return all;
  }
  if (options().mint == Mint::none || queue_.fence_by == FenceBy::sequence) {
    found = Node{.path = path};
    return all;
  }
  Answer there = ensemble(self).exists(path, {}, Role::check);
  if (there.ok()) found = Node{path, there.stat.czxid};
  return there;
}

CuratorMutex::Outcome CuratorMutex::wait_for_turn(Client& self, const std::string& directory,
                                                  const Node& node, const Patience& patience) {
  const std::string name = node.path.substr(directory.size() + 1);
  for (;;) {
    Answer all =
        retried(self, [&] { return ensemble(self).get_children(directory, {}, Role::check); });
    if (all.code == Code::no_node) return Outcome::node_gone;
    if (!all.ok()) return Outcome::failed;
    const std::vector<std::string> queue = in_order(std::move(all.children), queue_.order_by);
    const auto mine = std::find(queue.begin(), queue.end(), name);
    if (mine == queue.end()) return Outcome::node_gone;
    if (mine == queue.begin()) return Outcome::granted;
    if (patience.over()) return Outcome::too_late;
    // Reads its data instead of calling exists, which would leave a watch on a name that never
    // comes again.
    const std::string before = child_of(directory, *std::prev(mine));
    const Bell bell(self);
    const Answer seen =
        retried(self, [&] { return ensemble(self).get_data(before, bell.watch(), Role::watch); });
    if (seen.code == Code::no_node) continue;
    if (!seen.ok()) return Outcome::failed;
    const auto woken = bell.wait(patience.at_most(Semaphore::kForever));
    if (woken == Semaphore::Woken::by_interrupt) return Outcome::too_late;
  }
}

Answer CuratorMutex::remove(Client& self, const std::string& path, Role role) {
  Answer gone = retried(self, [&] { return ensemble(self).remove(path, role); });
  if (is_retried(gone) && own_.guaranteed_delete)
    self.spawn([path](Client& thread) { remove_in_background(thread, path); });
  return gone;
}

void CuratorMutex::remove_in_background(Client& self, const std::string& path) {
  while (is_retried(ensemble(self).remove(path, Role::release))) self.sleep(kInBackgroundAgain);
}

// The thread holds nothing any more, even if the delete fails.
Released CuratorMutex::release(Client& self, const Lease& lease) {
  const auto held = holds_.find(self.thread());
  if (held == holds_.end() || held->second.lease.token != lease.token) return Released::not_held;
  if (--held->second.count > 0) return Released::ok;
  holds_.erase(held);
  guards_.stop(self, lease);
  const Answer gone = remove(self, lease.token, Role::release);
  if (is_retried(gone)) return Released::unknown;
  return gone.ok() ? Released::ok : Released::not_held;
}

Held CuratorMutex::check_held(Client& self, const Lease&) {
  return holds_.contains(self.thread()) ? Held::yes : Held::no;
}

namespace {

OptionKeys curator_keys() {
  using namespace keys;
  return own_keys<CuratorOptions>({
      boolean<CuratorOptions>(
          "guaranteed_delete", at<&CuratorOptions::guaranteed_delete>,
          "whether a znode that could not be deleted is deleted in the background"),
  });
}

}  // namespace

const Algorithm& curator_mutex() {
  static const Algorithm algorithm{
      .name = "curator-mutex",
      .summary =
          "Curator's InterProcessMutex: a queue of protected znodes under a container; re-entrant "
          "in memory",
      .source = "docs/facts/algorithms.md 6.3, docs/facts/failures.md B-12, C-13 and C-14",
      .roles = {Role::acquire, Role::check, Role::watch, Role::release, Role::renew},
      .marks = {},
      .uses = {.mint = true, .nests = true, .shared = true, .server = picklock::zookeeper::kServer},
      .keys = joined({resending_session_keys(), queue_keys(), curator_keys()}),
      .promises = queued_and_deleted,
      .bound = session_and_one_attempt,
      .wakeup = wakes_at_once,
      .overtakes = kPassedWhileLeaving,
      .preset =
          [](LockOptions& options) {
            options.resend = 3;
            options.resend_delay = 1s;
            options.resend_delay_most = 8s;
            options.of<SessionOptions>().stops_at = StopsAt::suspended;
            options.of<SessionOptions>().lost_after_percent = 100;
          },
      .make = make<CuratorMutex>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks::zookeeper
