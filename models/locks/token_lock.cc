#include "models/locks/token_lock.h"

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
  Taken taken = take(self, key, token_);
  doubt_ = doubt_ || taken.resent || taken.outcome == Outcome::unknown;
  const bool looks = options().recognise_own == RecogniseOwn::always ||
                     (options().recognise_own == RecogniseOwn::after_unknown && doubt_);
  if (taken.outcome == Outcome::refused && looks) taken = recognise(self, key);
  if (taken.outcome == Outcome::unknown) return Acquired::unknown();
  if (taken.outcome == Outcome::refused) return std::nullopt;
  Lease lease{.key = std::string(key), .token = token_, .ttl = options().ttl, .fence = taken.fence};
  renewals_.start(self, lease, options());
  return lease;
}

Taken TokenLock::recognise(Client& self, std::string_view key) {
  const redis::Reply holder = self.redis().get(key, Role::check);
  if (!holder.answered()) return Taken::unknown();
  if (!holder.is_bulk(token_)) return {};
  return adopt(self, key, token_);
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
