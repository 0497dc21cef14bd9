#include "models/locks/renewal.h"

#include <algorithm>
#include <utility>

#include "models/locks/local_time.h"

namespace picklock::models::locks {

const redis::Script& compare_and_extend() {
  static const redis::Script script(
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], "
      "ARGV[2]) else return 0 end");
  return script;
}

void Renewals::start(Client& self, const Lease& lease, const LockOptions& options) {
  if (options.renew == Renew::none) return;
  start(self, lease, options, [options](redis::Client& redis, const Lease& mine) {
    if (options.renew == Renew::blind) return redis.pexpire(mine.key, mine.ttl, Role::renew);
    return redis.eval(options.scripts.instead_of(ScriptOf::renew, compare_and_extend()), {mine.key},
                      {mine.token, milliseconds(mine.ttl)}, Role::renew);
  });
}

void Renewals::start(Client& self, const Lease& lease, const LockOptions& options, Extend extend) {
  if (options.renew == Renew::none) return;
  const auto state = std::make_shared<State>(State{.lease = lease});
  running_.push_back(state);
  self.spawn([state, options, extend = std::move(extend)](Client& thread) {
    run(thread, *state, options, extend);
  });
}

void Renewals::run(Client& self, State& state, const LockOptions& options, const Extend& extend) {
  const Duration every = renewal_interval(options);
  for (;;) {
    self.sleep(every);
    if (state.stopped) return;
    const Duration sent = now(self, options.clock);
    const redis::Reply reply = extend(redis::server(self), state.lease);
    // Counted from when it was sent: the server may have counted from any later instant (pitfall
    // 11).
    if (options.deadline && reply.is_integer(1) && !state.stopped)
      self.witness().believe_until(state.lease, sent + state.lease.ttl);
    // A blind renewal ignores its answer too.
    if (options.renew == Renew::blind || !reply.is_integer(0)) continue;
    if (state.stopped) return;
    state.lost = true;
    if (options.tell_loss) self.witness().record_loss(state.lease);
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
