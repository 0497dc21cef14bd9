#include "models/locks/renewal.h"

#include <algorithm>
#include <string>

#include "models/locks/local_time.h"

namespace picklock::models::locks {
namespace {

const redis::Script& compare_and_extend() {
  static const redis::Script script(
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], "
      "ARGV[2]) else return 0 end");
  return script;
}

redis::Reply extend(redis::Client& redis, const Lease& lease, const LockOptions& options) {
  if (options.renew == Renew::blind) return redis.pexpire(lease.key, lease.ttl, Role::renew);
  const auto ttl = std::chrono::duration_cast<std::chrono::milliseconds>(lease.ttl).count();
  return redis.eval(or_own(options.scripts.renew, compare_and_extend()), {lease.key},
                    {lease.token, std::to_string(ttl)}, Role::renew);
}

}  // namespace

void Renewals::start(Client& self, const Lease& lease, const LockOptions& options) {
  if (options.renew == Renew::none) return;
  const auto state = std::make_shared<State>(State{.lease = lease});
  running_.push_back(state);
  self.spawn([state, options](Client& thread) { run(thread, *state, options); });
}

void Renewals::run(Client& self, State& state, const LockOptions& options) {
  const Duration every =
      options.renew_every > Duration::zero() ? options.renew_every : state.lease.ttl / 3;
  for (;;) {
    self.sleep(every);
    if (state.stopped) return;
    const Duration sent = now(self, options.clock);
    const redis::Reply reply = extend(self.redis(), state.lease, options);
    // By its sending: the server may have counted from any instant since (pitfall 11).
    if (options.deadline && reply.is_integer(1) && !state.stopped)
      self.believe_until(state.lease, sent + state.lease.ttl);
    // Blind is blind to its answer too.
    if (options.renew == Renew::blind || !reply.is_integer(0)) continue;
    if (state.stopped) return;
    state.lost = true;
    if (options.tell_loss) self.lost(state.lease);
    return;
  }
}

bool Renewals::stop(const Lease& lease) {
  const auto newest = std::find_if(
      running_.rbegin(), running_.rend(),
      [&lease](const std::shared_ptr<State>& one) { return one->lease.token == lease.token; });
  if (newest == running_.rend()) return false;
  const bool lost = (*newest)->lost;
  (*newest)->stopped = true;
  running_.erase(std::next(newest).base());
  return lost;
}

}  // namespace picklock::models::locks
