#include "models/locks/token_lock.h"

#include "models/locks/local_time.h"

namespace picklock::models::locks {

using Outcome = Taken::Outcome;

std::string TokenLock::make_token(Client& self) const {
  return options().value == TokenPer::machine ? self.machine_token() : self.fresh_token();
}

Acquired TokenLock::acquire(Client& self, std::string_view key) {
  if (token_.empty() || options().value == TokenPer::acquisition) token_ = make_token(self);
  doubt_ = false;
  return Lock::acquire(self, key);
}

Acquired TokenLock::try_acquire(Client& self, std::string_view key) {
  if (token_.empty()) token_ = make_token(self);
  const Duration sent = now(self, options().clock);
  Taken taken = take(self, key, token_);
  doubt_ = doubt_ || taken.resent || taken.outcome == Outcome::unknown;
  const bool looks = options().recognise_own == RecogniseOwn::always ||
                     (options().recognise_own == RecogniseOwn::after_unknown && doubt_);
  if (taken.outcome == Outcome::refused && looks) taken = recognise(self, key);
  if (taken.outcome == Outcome::unknown) return Acquired::unknown();
  if (taken.outcome == Outcome::refused) return std::nullopt;
  Lease lease{.key = std::string(key), .token = token_, .ttl = options().ttl, .fence = taken.fence};
  if (options().deadline && options().ttl > Duration::zero()) lease.deadline = sent + options().ttl;
  if (!replicated(self)) {
    if (give_back(self, lease) == Released::unknown) return Acquired::unknown();
    return std::nullopt;
  }
  renewals_.start(self, lease, options());
  return lease;
}

Taken TokenLock::recognise(Client& self, std::string_view key) {
  const redis::Reply holder = redis::server(self).get(key, Role::check);
  if (!holder.answered()) return Taken::unknown();
  if (!holder.is_bulk(token_)) return {};
  return adopt(self, key, token_);
}

// WAIT must use the connection that has made the write: on another one it would prove nothing
// (R52).
bool TokenLock::replicated(Client& self) const {
  const std::uint32_t wanted = options().wait_replicas;
  if (wanted == 0) return true;
  const redis::Reply reply = redis::server(self).wait(wanted, options().wait_timeout);
  return reply.kind == redis::Reply::Kind::integer && reply.integer >= wanted;
}

redis::Reply TokenLock::holder(Client& self, std::string_view key) const {
  redis::Client& asked =
      options().check_at == CheckAt::replica ? redis::replica(self) : redis::server(self);
  return asked.get(key, Role::check);
}

Held TokenLock::check_held(Client& self, const Lease& lease) {
  const redis::Reply reply = holder(self, lease.key);
  if (!reply.answered() || reply.is_error()) return Held::unknown;
  return reply.is_bulk(lease.token) ? Held::yes : Held::no;
}

Taken TokenLock::adopt(Client&, std::string_view, std::string_view) { return Taken::granted(); }

Released TokenLock::release(Client& self, const Lease& lease) {
  if (renewals_.stop(lease)) return Released::not_held;
  return give_back(self, lease);
}

Released TokenLock::released(const redis::Reply& reply) {
  if (!reply.answered()) return Released::unknown;
  return reply.is_integer(1) ? Released::ok : Released::not_held;
}

}  // namespace picklock::models::locks
